package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Call returns the call whose request is that message of a frame.
func (s *Script) Call(frame uint32, batch uint16) (call int32, ok bool) {
	for i := range s.Calls {
		if r := s.row(s.Calls[i].Row); r.Request == frame && r.Batch == batch {
			return int32(i), true
		}
	}
	return 0, false
}

// Params returns the parameters of a call as they were recorded, nil for none.
func (s *Script) Params(call int32) ([]byte, error) {
	m, err := s.request(call)
	return m.Params, err
}

// takes says whether a step is sent.
func (p *Plan) takes(step int32) bool {
	return p.chosen[p.Script.Steps[step].Session] && (p.only == nil || p.only[step])
}

// Only narrows the plan to one call and what that needs: the handshake of its
// session, and the calls that hand out what it passes back. With params it is
// sent with those instead of the recorded ones; they have to be JSON.
func (p *Plan) Only(call int32, params []byte) (*Plan, error) {
	q := *p
	q.only, q.edits, q.guards = make([]bool, len(p.Script.Steps)), nil, nil
	q.need(p.Script.Calls[call].Step)
	q.Events = slices.DeleteFunc(slices.Clone(p.Events), func(e Event) bool { return !q.happens(e) })
	q.Masked = slices.DeleteFunc(slices.Clone(p.Masked), func(m MaskedValue) bool { return !q.only[m.Step] })
	q.Subs, q.first = nil, map[int32]int{}
	for _, s := range p.Subs {
		if q.only[s.Step] {
			if _, ok := q.first[s.Step]; !ok {
				q.first[s.Step] = len(q.Subs)
			}
			q.Subs = append(q.Subs, s)
		}
	}
	if params == nil {
		return &q, nil
	}
	payload, err := p.Script.edited(call, params)
	q.edits = map[int32][]byte{p.Script.Calls[call].Step: payload}
	return &q, err
}

// need marks a step as sent, and what it cannot do without.
func (p *Plan) need(step int32) {
	if p.only[step] {
		return
	}
	p.only[step] = true
	s := p.Script
	for _, sub := range p.subsOf(step) {
		p.need(s.Calls[p.Sources[sub.Source].Call].Step)
	}
	for call := s.Steps[step].First; call < s.Steps[step].First+s.Steps[step].Count; call++ {
		if before := s.Calls[call].Before; before >= 0 {
			p.need(s.Calls[before].Step)
		}
	}
	for i := range s.Steps {
		if s.Steps[i].Session != s.Steps[step].Session {
			continue
		}
		if name := s.tracker.Name(s.row(s.Steps[i].Row).Name); name == mcp.Initialize || name == mcp.NotifyInitialized {
			p.need(int32(i))
		}
	}
}

// happens says whether an event of the recording concerns the steps that are
// sent.
func (p *Plan) happens(e Event) bool {
	switch e.Kind {
	case EventNote:
		return false
	case EventAnswer:
		return p.only[p.Script.Calls[e.Index].Step]
	}
	return p.only[e.Index]
}

// edited is the payload of a call with other parameters.
func (s *Script) edited(call int32, params []byte) ([]byte, error) {
	var one bytes.Buffer // stdio takes a line
	if err := json.Compact(&one, params); err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	row := s.row(s.Calls[call].Row)
	payload, err := s.payload(row.Request)
	if err != nil {
		return nil, err
	}
	path := jsonpath.Path{{Name: "params"}}
	if isBatch(payload) {
		path = jsonpath.Path{{Kind: jsonpath.Element, Index: int(row.Batch)}, {Name: "params"}}
	}
	if from, to, ok := path.Find(payload); ok {
		return apply(payload, []edit{{from, to, one.Bytes()}}), nil
	}
	if len(path) > 1 || len(payload) == 0 {
		return nil, errors.New("a request of a batch that has no parameters cannot be given any")
	}
	end := bytes.LastIndexByte(payload, '}')
	return apply(payload, []edit{{end, end, append([]byte(`,"params":`), one.Bytes()...)}}), nil
}

// stands says whether the value that is to be substituted is still in an
// edited payload.
func (p *Plan) stands(s *Sub, payload []byte) bool {
	value := s.Path.Get(payload)
	was, text := p.Sources[s.Source].Was, wire.Text(value)
	if s.To == 0 {
		return text == was || string(value) == was
	}
	return len(text) >= s.To && text[s.From:s.To] == was
}

// Sent counts what the plan sends: calls, and all else.
func (p *Plan) Sent(opt *Options) (calls, others int) {
	skip := p.skipped(opt)
	for _, e := range p.Events {
		switch {
		case e.Kind != EventStep || skip[e.Index]:
		case p.Script.Steps[e.Index].Count > 0:
			calls += int(p.Script.Steps[e.Index].Count)
		default:
			others++
		}
	}
	return calls, others
}

// Missing says which credentials the recording masks and the options do not
// give; nil when there are none.
func (p *Plan) Missing(opt *Options) error { return p.credentials(opt) }

// Words says in one line what a step sends. It holds text from the wire.
func (p *Plan) Words(step int32) string { return p.stepWords(step) }
