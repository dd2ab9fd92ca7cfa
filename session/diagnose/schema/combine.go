package schema

import (
	"slices"
	"strings"
)

// combined checks the keywords that combine schemas.
func (r *run) combined(n *node, v any, at *path, depth int) verdict {
	out := good
	for _, sub := range n.all {
		out = min(out, r.check(sub, v, at, depth))
	}
	if n.any != nil {
		out = min(out, r.anyOf(n.any, v, at, depth))
	}
	if n.one != nil {
		out = min(out, r.oneOf(n.one, v, at, depth))
	}
	if n.not != nil {
		switch r.try(n.not, v, at, depth) {
		case good:
			out = r.fault(at, "not", "is what it must not be")
		case unsure:
			out = min(out, unsure)
		}
	}
	if n.when != nil {
		switch r.try(n.when, v, at, depth) {
		case good:
			if n.then != nil {
				out = min(out, r.check(n.then, v, at, depth))
			}
		case bad:
			if n.els != nil {
				out = min(out, r.check(n.els, v, at, depth))
			}
		default:
			out = min(out, unsure)
		}
	}
	return out
}

// anyOf is satisfied by the best of its branches. When none fits, the faults of
// the one that was meant are those worth reading.
func (r *run) anyOf(list []*node, v any, at *path, depth int) verdict {
	had := len(r.faults)
	out := bad
	var meant []Fault
	var words choice
	for i, sub := range list {
		ok := r.check(sub, v, at, depth)
		faults := r.faults[had:]
		words.add(faults, at.level())
		if ok == bad && (i == 0 || nearer(faults, meant, at.level())) {
			meant = slices.Clone(faults)
		}
		r.faults = r.faults[:had]
		if out = max(out, ok); out == good {
			return good
		}
	}
	if out == bad {
		if len(list) > 1 && mismatch(meant, at.level()) {
			meant = words.of(len(list), Fault{
				Path:    at.String(),
				Keyword: "anyOf",
				Text:    "fits none of the " + plural(len(list)) + first(meant, at.String()),
				depth:   at.level(),
			})
		}
		r.faults = append(r.faults, meant...)
	}
	return out
}

// choice is the member by which branches are distinguished, like the type of a
// content block.
type choice struct {
	fault Fault
	wants []string
	seen  int
}

func (c *choice) add(faults []Fault, level int) {
	i := slices.IndexFunc(faults, func(f Fault) bool { return f.want != "" && f.depth <= level+1 })
	if i < 0 || c.seen > 0 && c.fault.Path != faults[i].Path {
		return
	}
	c.fault = faults[i]
	c.seen++
	if !slices.Contains(c.wants, faults[i].want) {
		c.wants = append(c.wants, faults[i].want)
	}
}

// of says which words there are when every branch has one, else what other
// says.
func (c *choice) of(branches int, other Fault) []Fault {
	if c.seen != branches {
		return []Fault{other}
	}
	is, _, _ := strings.Cut(c.fault.Text, ", and must be ")
	c.fault.want = strings.Join(c.wants, " or ")
	c.fault.Text = is + ", and must be " + c.fault.want
	return []Fault{c.fault}
}

func (r *run) oneOf(list []*node, v any, at *path, depth int) verdict {
	had := len(r.faults)
	yes, perhaps := 0, 0
	for _, sub := range list {
		switch r.try(sub, v, at, depth) {
		case good:
			yes++
		case unsure:
			perhaps++
		}
	}
	switch {
	case yes > 1:
		return r.fault(at, "oneOf", "fits more than one of the "+plural(len(list)))
	case perhaps > 0:
		return unsure
	case yes == 1:
		return good
	}
	r.anyOf(list, v, at, depth)
	if len(r.faults) == had {
		r.fault(at, "oneOf", "fits none of the "+plural(len(list)))
	}
	return bad
}

// nearer says whether the faults of one branch are nearer to being none than
// those of another: a branch that the value does not claim to be (another type,
// another constant in a member of its own) is further away than any other.
func nearer(a, b []Fault, level int) bool {
	if x, y := mismatch(a, level), mismatch(b, level); x != y {
		return y
	}
	if x, y := inForm(a), inForm(b); x != y {
		return x
	}
	return len(a) < len(b)
}

// inForm says whether faults are about the form of texts alone: all members are there.
func inForm(faults []Fault) bool {
	return !slices.ContainsFunc(faults, func(f Fault) bool { return f.Keyword != "format" })
}

// mismatch says whether a value is something else than a branch is for.
func mismatch(faults []Fault, level int) bool {
	return slices.ContainsFunc(faults, func(f Fault) bool {
		return f.Keyword == "type" && f.depth == level || f.Keyword == "enum" && f.depth <= level+1
	})
}

// first says what is wrong first with the branch that was meant.
func first(faults []Fault, base string) string {
	if len(faults) == 0 {
		return ""
	}
	f := slices.MinFunc(faults, func(a, b Fault) int { return a.depth - b.depth })
	if f.Path == base {
		return ": it " + f.Text
	}
	return ": " + strings.TrimPrefix(f.Path, base+"/") + " " + f.Text
}

func plural(n int) string {
	if n == 1 {
		return "one form it may have"
	}
	return "forms it may have"
}
