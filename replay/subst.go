package replay

import (
	"cmp"
	"slices"
	"strings"

	"midwire/session/handle"
	"midwire/session/wire"
)

// masks begin what a recording has in the place of a credential.
const masked = "redacted:"

// masked notes what a step needs and the recording does not hold.
func (c *correlator) masked(step int32) {
	if h, ok := c.Script.head(step); ok {
		for _, f := range h.Fields {
			// Cookies are the server's to hand out again.
			if strings.Contains(f.Value, masked) && !strings.EqualFold(f.Name, "Cookie") {
				c.Masked = append(c.Masked, MaskedValue{Step: step, Header: f.Name})
			}
		}
	}
	f, err := c.Script.reader.Frame(uint64(c.Script.Steps[step].Frame))
	if err != nil || !f.Masked || c.Script.Steps[step].Kind != StepSend {
		return
	}
	payload, err := c.Script.payload(c.Script.Steps[step].Frame)
	if err != nil {
		return
	}
	handle.Leaves(payload, nil, func(p Path, value []byte) bool {
		if strings.Contains(wire.Text(value), masked) {
			c.Masked = append(c.Masked, MaskedValue{Step: step, Path: slices.Clone(p)})
		}
		return true
	})
}

// subsOf returns the substitutions of a step.
func (p *Plan) subsOf(step int32) []Sub {
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
	path     Path
	from, to int    // in the decoded text; both 0 for all of it
	text     string // what to put there
	raw      []byte // or, for all of it, the JSON
}

// payload returns what to send for a step: the recorded bytes, with nothing
// changed but what is substituted. value returns what the new server handed
// out for a source; of those it does not know the recorded value stays, and
// they are returned as missing.
func (p *Plan) payload(step int32, value func(source int32) (string, bool)) (payload []byte, missing []int32, err error) {
	if payload, err = p.Script.payload(p.Script.Steps[step].Frame); err != nil {
		return nil, nil, err
	}
	edit, edited := p.edits[step]
	if edited {
		payload = edit
	}
	changes := p.settings(payload)
	given := map[string]bool{} // the user's word counts
	for _, c := range changes {
		if c.to == 0 {
			given[c.path.String()] = true
		}
	}
	for _, s := range p.subsOf(step) {
		if edited && !p.stands(&s, payload) {
			continue
		}
		if len(given) > 0 && given[s.Path.String()] {
			continue
		}
		now, ok := value(s.Source)
		if !ok {
			missing = append(missing, s.Source)
			continue
		}
		changes = append(changes, change{path: s.Path, from: s.From, to: s.To, text: now})
	}
	return substitute(payload, changes), missing, nil
}

// settings are the changes that the user wants in a payload.
func (p *Plan) settings(payload []byte) []change {
	if len(p.Options.Set) == 0 {
		return nil
	}
	var all []change
	handle.Leaves(payload, nil, func(at Path, value []byte) bool {
		own := at
		if len(own) > 0 && own[0].Kind == SegElement {
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
				all = append(all, change{path: slices.Clone(at), text: s.Value})
			default:
				if i := strings.Index(text, s.Was); i >= 0 && handle.Opaque(s.Was) {
					all = append(all, change{path: slices.Clone(at), from: i, to: i + len(s.Was), text: s.Value})
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
	at := map[string][]change{}
	for _, c := range changes {
		path := c.path.String()
		at[path] = append(at[path], c)
	}
	var edits []edit
	handle.Leaves(payload, nil, func(p Path, value []byte) bool {
		if len(at) == 0 {
			return false
		}
		path := p.String()
		if here := at[path]; here != nil {
			slices.SortStableFunc(here, func(a, b change) int { return cmp.Compare(a.from, b.from) })
			if with := rewrite(value, here); with != nil {
				from := cap(payload) - cap(value) // they share their memory
				edits = append(edits, edit{from, from + len(value), with})
			}
			delete(at, path) // of members that occur twice the first counts
		}
		return true
	})
	return apply(payload, edits)
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
		return handle.Quote(nil, first.text)
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
	return handle.Quote(nil, out.String())
}
