package replay

import (
	"cmp"
	"slices"
	"strings"

	"midwire/session/handle"
	"midwire/session/jsonpath"
	"midwire/session/wire"
)

// SubsOf returns the substitutions of a step.
func (p *Plan) SubsOf(step int32) []Sub {
	from, ok := p.first[step]
	if !ok {
		return nil
	}
	to := from
	for to < len(p.Subs) && p.Subs[to].Step == step {
		to++
	}
	return p.Subs[from:to]
}

// change is a value that takes the place of another.
type change struct {
	path     jsonpath.Path
	was      string // what stands there, "" for anything: a path may lead to two members
	from, to int    // in the decoded text; both 0 for all of it
	text     string // what to put there
	raw      []byte // or, for all of it, the JSON
}

// Payload returns what to send for a step: the recorded bytes, with nothing
// changed but what is substituted. value returns what the new server issued for
// a source; of those it does not know the recorded value stays, and they are
// returned as missing.
func (p *Plan) Payload(
	step int32, value func(source int32) (string, bool),
) (payload []byte, missing []int32, err error) {
	if payload, err = p.Script.Payload(p.Script.Steps[step].Frame); err != nil {
		return nil, nil, err
	}
	other, edited := p.edits[step]
	if edited {
		payload = other
	}
	changes := p.settings(payload)
	given := map[string]bool{} // the user's word counts
	for _, c := range changes {
		if c.to == 0 {
			given[c.path.String()] = true
		}
	}
	for _, s := range p.SubsOf(step) {
		c := change{path: s.Path, was: p.Sources[s.Source].Was, from: s.From, to: s.To}
		if edited && !c.stands(s.Path.Get(payload)) || len(given) > 0 && given[s.Path.String()] {
			continue
		}
		now, ok := value(s.Source)
		if !ok {
			if !p.Sources[s.Source].plain {
				missing = append(missing, s.Source)
			}
			continue
		}
		c.text = now
		changes = append(changes, c)
	}
	return substitute(payload, changes), missing, nil
}

func (p *Plan) settings(payload []byte) []change {
	if len(p.Options.Set) == 0 {
		return nil
	}
	var all []change
	jsonpath.Leaves(payload, nil, func(at jsonpath.Path, value []byte) bool {
		own := at
		if len(own) > 0 && own[0].Kind == jsonpath.Element {
			own = own[1:]
		}
		for _, s := range p.Options.Set {
			text := wire.Text(value)
			switch {
			case s.Was == "":
				if len(own) == len(s.Path) && s.Path.Matches(own) {
					all = append(all, change{path: slices.Clone(at), raw: s.raw})
				}
			case s.Was == text || s.Was == string(value):
				all = append(all, change{path: slices.Clone(at), was: s.Was, text: s.Value})
			case handle.Opaque(s.Was) || isMask(s.Was):
				for from := 0; ; {
					i := strings.Index(text[from:], s.Was)
					if i < 0 {
						break
					}
					i, from = from+i, from+i+len(s.Was)
					all = append(all, change{path: slices.Clone(at), was: s.Was, from: i, to: from, text: s.Value})
				}
			}
		}
		return true
	})
	return all
}

// substitute makes changes to a JSON payload. Bytes elsewhere stay as they are.
// It goes through the payload once, however many changes there are.
func substitute(payload []byte, changes []change) []byte {
	if len(changes) == 0 {
		return payload
	}
	at := map[string][]change{}
	for _, c := range changes {
		path := c.path.String()
		at[path] = append(at[path], c)
	}
	var edits []Edit
	jsonpath.Leaves(payload, nil, func(p jsonpath.Path, value []byte) bool {
		here := slices.DeleteFunc(slices.Clone(at[p.String()]), func(c change) bool { return !c.stands(value) })
		if len(here) > 0 {
			slices.SortStableFunc(here, func(a, b change) int { return cmp.Compare(a.from, b.from) })
			from := cap(payload) - cap(value) // they share their memory
			edits = append(edits, Edit{from, from + len(value), rewrite(value, here)})
		}
		return true
	})
	return Apply(payload, edits...)
}

// stands reports whether a value has what is to be changed.
func (c *change) stands(value []byte) bool {
	text := wire.Text(value)
	switch {
	case c.was == "":
		return true
	case c.to == 0:
		return text == c.was || string(value) == c.was
	}
	return c.to <= len(text) && text[c.from:c.to] == c.was
}

// rewrite makes the changes of one value, which are in order.
func rewrite(value []byte, changes []change) []byte {
	first := changes[0]
	switch {
	case first.raw != nil:
		return first.raw
	case first.to == 0 && value[0] != '"' && wire.Valid([]byte(first.text)):
		return []byte(first.text)
	case first.to == 0:
		return jsonpath.Quote(nil, first.text)
	}
	text := wire.Text(value)
	var out strings.Builder
	at := 0
	for _, c := range changes {
		if c.from < at || c.to > len(text) || c.from > c.to {
			continue
		}
		out.WriteString(text[at:c.from])
		out.WriteString(c.text)
		at = c.to
	}
	out.WriteString(text[at:])
	return jsonpath.Quote(nil, out.String())
}

// Exchange replaces handles in a header field or a query, of which values has
// the new ones, and masks whose values the user gave; escape writes such a value
// as it is wanted there.
func (p *Plan) Exchange(text string, values map[string]string, escape func(string) string) string {
	for _, s := range p.Options.Set {
		if isMask(s.Was) {
			text = strings.ReplaceAll(text, s.Was, escape(s.Value))
		}
	}
	if len(values) == 0 || text == "" {
		return text
	}
	if now, ok := values[text]; ok {
		return now
	}
	return replaceTokens(text, func(_ int, token string) (string, bool) {
		now, ok := values[token]
		return now, ok && handle.Opaque(token)
	})
}
