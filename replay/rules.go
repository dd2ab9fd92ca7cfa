package replay

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/safefile"
)

// maxRules is how long a file of rules may be, in bytes.
const maxRules = 1 << 20

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

// RulesFile is where the rules of a recording are kept.
func RulesFile(recording string) string { return recording + ".ignore" }

// LoadRules reads the rules that are kept beside a recording: one a line, empty
// lines and those that begin with # left out. There need not be any.
func LoadRules(recording string) ([]Rule, error) {
	file := RulesFile(recording)
	data, err := safefile.Read(file, maxRules)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("rules of the recording: %w", err)
	}
	var rules []Rule
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := ParseRule(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n+1, err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// AddRules appends rules to those that are kept beside a recording. It puts a
// new file instead of the old one.
func AddRules(recording string, rules []Rule) error {
	if len(rules) == 0 {
		return nil
	}
	file := RulesFile(recording)
	old, err := safefile.Read(file, maxRules)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		var b strings.Builder
		b.Write(old)
		if len(old) > 0 && old[len(old)-1] != '\n' {
			b.WriteByte('\n')
		}
		for _, r := range rules {
			b.WriteString(r.String() + "\n")
		}
		err = safefile.Replace(file, func(w io.Writer) error { _, err := io.WriteString(w, b.String()); return err })
	}
	if err != nil {
		return fmt.Errorf("rules of the recording: %w", err)
	}
	return nil
}

// of returns the rules that hold for a call.
func (m *Masks) of(method, target string) []Rule {
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

// Learn returns rules for what differed between several replays of one
// recording against one server: that says nothing of a change. The rules that
// the reports were made with are not repeated.
func Learn(reports []*Report) []Rule {
	if len(reports) < 2 {
		return nil
	}
	type place struct {
		call int32
		rule string
	}
	seen := map[place][]uint64{} // what was there, in the replays in which it was not what was recorded
	for _, r := range reports {
		for i := range r.Outcomes {
			o := &r.Outcomes[i]
			for _, c := range o.Changes {
				if p, err := jsonpath.Parse(c.Path); err == nil {
					at := place{o.Call, Rule{Method: o.Method, Target: o.Target, Path: p}.String()}
					seen[at] = append(seen[at], c.sum)
				}
			}
		}
	}
	places := slices.SortedFunc(maps.Keys(seen), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.call, b.call), cmp.Compare(a.rule, b.rule))
	})
	var rules []Rule
	said := map[string]bool{}
	for _, at := range places {
		of := seen[at]
		r, err := ParseRule(at.rule)
		if err == nil && !said[at.rule] && (len(of) < len(reports) || slices.Max(of) != slices.Min(of)) {
			said[at.rule] = true
			rules = append(rules, r)
		}
	}
	return rules
}

// Ignore takes differences that rules cover out of the report.
func (r *Report) Ignore(rules []Rule) { r.Outcomes = ignore(r.Outcomes, rules) }

// ignore returns outcomes without the differences that rules cover.
func ignore(outcomes []Outcome, rules []Rule) []Outcome {
	m := Masks{Rules: rules}
	less := slices.Clone(outcomes)
	for i := range less {
		o := &less[i]
		own := m.of(o.Method, o.Target)
		if len(own) == 0 || len(o.Changes) == 0 {
			continue
		}
		o.Changes = slices.DeleteFunc(slices.Clone(o.Changes), func(c Change) bool {
			at, err := jsonpath.Parse(c.Path)
			return err == nil && covered(own, at)
		})
		if o.Verdict == Changed && len(o.Changes) == 0 {
			o.Verdict = Same
			if o.Slower {
				o.Verdict = Slower
			}
		}
	}
	return less
}
