package replay

import (
	"slices"
	"strings"

	"midwire/session/jsonpath"
)

// Rule says that differences at a place do not count.
type Rule struct {
	Method string        // "" for every method
	Target string        // tool, prompt or resource; "" for all
	Path   jsonpath.Path // pattern, of the response: result.structuredContent.took_ms
}

// String writes the rule as ParseRule reads it.
func (r Rule) String() string {
	switch {
	case r.Method == "":
		return r.Path.String()
	case r.Target == "":
		return r.Method + " " + r.Path.String()
	}
	return r.Method + ":" + strings.ReplaceAll(r.Target, " ", "%20") + " " + r.Path.String()
}

// ParseRule reads one rule: PATH, METHOD PATH, or METHOD:TARGET PATH. A blank in
// a target is written %20.
func ParseRule(text string) (Rule, error) {
	var r Rule
	var err error
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, " \t"); i > 0 && !strings.ContainsAny(text[:i], `"[`) {
		r.Method, r.Target, _ = strings.Cut(text[:i], ":")
		r.Target = strings.ReplaceAll(r.Target, "%20", " ")
		text = strings.TrimSpace(text[i:])
	}
	r.Path, err = jsonpath.Parse(text)
	return r, err
}

// rulesFor returns the rules that hold for a call.
func (m *Masks) rulesFor(method, target string) []Rule {
	var some []Rule
	for _, r := range m.Rules {
		if (r.Method == "" || r.Method == "*" || r.Method == method) && (r.Target == "" || r.Target == target) {
			some = append(some, r)
		}
	}
	return some
}

// covered reports whether one of the rules holds for a place.
func covered(rules []Rule, at jsonpath.Path) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return r.Path.Matches(at) })
}
