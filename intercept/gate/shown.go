package gate

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"midwire/session/filter"
	"midwire/session/jsonpath"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// Shown is String without the credentials in it, for recordings, controllers and
// logs. What is done is done with them.
func (r *Rule) Shown() string {
	out := *r
	out.When, out.Do = shownFilter(r.When), r.Do.masked()
	return out.String()
}

func (a *Action) shown() string {
	out := a.masked()
	return out.String()
}

func (a *Action) masked() Action {
	out := *a
	out.Text = masked(a.Text)
	out.JSON = maskedValue(a)
	out.Fields = slices.Clone(a.Fields)
	for i, f := range out.Fields {
		if text, ok := strings.CutPrefix(masked(f.Name+": "+f.Value), f.Name+": "); ok {
			out.Fields[i].Value = text
		}
	}
	return out
}

// secrets are the credentials in a rule, and of one with a scheme what is behind it.
func (r *Rule) secrets() (all []string) {
	add := func(text, shown string) {
		parts := strings.Split(shown, "redacted")
		text, _ = strings.CutPrefix(text, parts[0])
		for _, part := range parts[1:] {
			end := len(text)
			if part != "" {
				end = strings.Index(text, part)
			}
			if end < 0 {
				return // not to be told
			}
			all = append(all, text[:end])
			if scheme, code, ok := strings.Cut(text[:end], " "); ok && scheme != "" && !strings.Contains(code, " ") {
				all = append(all, code)
			}
			text = text[end+len(part):]
		}
	}
	do := r.Do.masked()
	add(r.Do.Text, do.Text)
	if text, _ := strconv.Unquote(string(r.Do.JSON)); text != "" && !bytes.Equal(r.Do.JSON, do.JSON) {
		all = append(all, text)
	}
	add(string(r.Do.JSON), string(do.JSON))
	for i, f := range r.Do.Fields {
		add(f.Value, do.Fields[i].Value)
	}
	return all
}

// masked is a text without credentials.
func masked(text string) string { return redact.Args([]string{"", text})[1] }

// maskedValue masks the JSON of an action: that of set is the value of a member, whose
// name says what it is.
func maskedValue(a *Action) []byte {
	name := ""
	if n := len(a.Path); n > 0 && a.Path[n-1].Kind == jsonpath.Member {
		name = a.Path[n-1].Name
	}
	if a.Verb != Set || name == "" {
		return []byte(masked(string(a.JSON)))
	}
	around := slices.Concat([]byte("{"), quoted(name), []byte(":"), a.JSON, []byte("}"))
	if out := wire.Get([]byte(masked(string(around))), name); out != nil && !bytes.Equal(out, a.JSON) {
		return out
	}
	return a.JSON
}

func shownFilter(n *filter.Node) *filter.Node {
	if n == nil {
		return nil
	}
	out := *n
	out.Value = masked(n.Value)
	out.Kids = slices.Clone(n.Kids)
	for i, k := range out.Kids {
		out.Kids[i] = shownFilter(k)
	}
	return &out
}

// Masked is a line that may be no rule, without the credentials that can be told.
func Masked(line string) string {
	if rules, err := Parse(line); err == nil && len(rules) == 1 && rules[0].Preset == "" {
		if shown := rules[0].Shown(); shown != rules[0].String() {
			return shown
		}
		return line
	}
	return masked(line)
}
