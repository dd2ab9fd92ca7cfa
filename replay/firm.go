package replay

import (
	"slices"
	"strings"

	"midwire/session/handle"
	"midwire/session/jsonpath"
	"midwire/session/wire"
	"midwire/session/words"
)

// firm says what in the response to a call is the same in every run, though it may look like
// an id: what the client sent, and numbers that were the same in other sessions. The zero
// value and nil know of nothing.
type firm struct {
	sent  map[string][]string // values that the client sent with the call, and the members that held them
	names map[string]bool     // members that hold handles though their names do not say so
	uses  map[uint64]span     // all that was sent, by hash
	frame uint32              // of the request
	runs  func() [][]byte     // recorded responses to the same request in other sessions; nil after Compare
	known map[string]bool     // what stable has found
}

const (
	maxSentValues = 4096    // of a request that are looked at,
	maxNames      = 8       // and members that hold the same
	maxRuns       = 8       // sessions that are asked,
	maxRunBytes   = 1 << 20 // each for a response of so many bytes
	maxPlaces     = 100     // and for so many places
)

// Outcome begins the outcome of a call.
func (p *Plan) Outcome(call int32) Outcome {
	o := p.Script.Outcome(call)
	step := p.Script.Calls[call].Step
	if p.sent == nil || p.sentStep != step {
		p.sent, p.sentStep = p.sentValues(step), step
	}
	o.firm = firm{
		sent: p.sent, names: p.names, uses: p.uses, frame: o.Frame,
		runs: func() [][]byte { return p.runs(call) }, known: map[string]bool{},
	}
	return o
}

// sentValues are the recorded values that a step still sends, with the user's own in place.
func (p *Plan) sentValues(step int32) map[string][]string {
	all := map[string][]string{}
	payload, _, err := p.Payload(step, func(int32) (string, bool) { return "", false })
	if err != nil {
		return all
	}
	handle.Given(payload, func(at jsonpath.Path, value []byte) bool {
		if text := wire.Plain(value); text != "" && len(text) <= handle.MaxToken {
			if names := all[text]; len(names) < maxNames {
				all[text] = append(names, at.Last())
			}
		}
		return len(all) < maxSentValues
	})
	return all
}

// runs are the recorded responses of other sessions to the same request.
func (p *Plan) runs(call int32) (all [][]byte) {
	s := p.Script
	if len(s.Sessions) < 2 {
		return nil
	}
	if p.alike == nil {
		p.alike = map[uint64][]int32{}
		for i := range s.Calls {
			k := s.key(int32(i), AlikeExactly)
			p.alike[k] = append(p.alike[k], int32(i))
		}
	}
	for _, other := range p.alike[s.key(call, AlikeExactly)] {
		row := s.CallRow(other)
		own := s.SessionOf(other) == s.SessionOf(call)
		if own || len(all) == maxRuns || row.Response == 0 || row.RLen > maxRunBytes {
			continue
		}
		if raw, err := s.RawResponse(other); err == nil {
			all = append(all, raw)
		}
	}
	return all
}

// has reports whether a value of a member, or behind a word of that name, is one that the
// client sent. Of a digit and of times, which occur by chance, the name has to be alike.
func (f *firm) has(name, value string) bool {
	if f == nil || value == "" {
		return false
	}
	if names := f.sent[value]; len(names) > 0 {
		chance := len(value) < 2 || timeName(name) && handle.IsNumber([]byte(value))
		return !chance || slices.ContainsFunc(names, func(sent string) bool { return akin(sent, name) })
	}
	u, used := f.uses[hash(value)]
	return used && handle.Opaque(value) && u.first <= f.frame
}

// akin reports whether two names of members may be of the same thing: number, issue_number.
func akin(a, b string) bool {
	a, b = words.Fold(a), words.Fold(b)
	return len(a) > 1 && len(b) > 1 && (strings.Contains(a, b) || strings.Contains(b, a))
}

// stable reports whether a whole number stands at its place in all known sessions.
func (f *firm) stable(at jsonpath.Path, was string) bool {
	if f == nil {
		return false
	}
	place := at.String()
	is, known := f.known[place]
	if known || f.runs == nil || len(f.known) == maxPlaces {
		return is
	}
	all := f.runs()
	is = len(all) > 0
	for _, raw := range all {
		is = is && string(valueAt(raw, at)) == was
	}
	f.known[place] = is
	return is
}

// valueAt is what stands at a place of a value, also in JSON that is inside a string.
func valueAt(value []byte, at jsonpath.Path) []byte {
	for i := range at {
		if len(value) > 0 && value[0] == '"' {
			value = []byte(wire.Text(value))
		}
		value = at[i : i+1].Get(value)
	}
	return value
}
