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
		if r := s.CallRow(int32(i)); r.Request == frame && r.Batch == batch {
			return int32(i), true
		}
	}
	return 0, false
}

// Params returns the parameters of a call as they were recorded, nil for none.
func (s *Script) Params(call int32) ([]byte, error) {
	m, err := s.Request(call)
	return m.Params, err
}

// takes says whether a step is sent.
func (p *Plan) takes(step int32) bool {
	return p.chosen[p.Script.Steps[step].Session] && (p.only == nil || p.only[step])
}

// Narrow narrows the plan to one call and what that needs: the handshake of its
// session, and the calls that issue what it uses. With params it is
// sent with those instead of the recorded ones; they have to be JSON.
func (p *Plan) Narrow(call int32, params []byte) (*Plan, error) {
	return p.Keep(p.Slice(p.Script.Calls[call].Step), call, params)
}

// Substitute narrows the plan to one call and what that needs, as Only does, and has it call a
// tool in the place of what was recorded. The arguments have to be JSON.
func (p *Plan) Substitute(call int32, tool string, arguments []byte) (*Plan, error) {
	m, err := p.Script.Request(call)
	if err != nil {
		return nil, err
	}
	params := map[string]any{"name": tool, "arguments": json.RawMessage(arguments)}
	if meta := Object(wire.Get(m.Params, "_meta")); meta != nil { // the envelope of 2026-07-28
		delete(meta, "progressToken")
		params["_meta"] = meta
	}
	payload := Encode(map[string]any{
		"jsonrpc": "2.0", "id": json.RawMessage(m.ID), "method": mcp.ToolsCall, "params": params,
	})
	if payload == nil {
		return nil, errors.New("the arguments are no JSON")
	}
	q, err := p.Narrow(call, nil)
	if err != nil {
		return nil, err
	}
	step := p.Script.Calls[call].Step
	if p.Script.Steps[step].Count > 1 {
		return nil, errors.New("the request is in a batch: another one has to stand for the call")
	}
	q.edits = map[int32][]byte{step: payload}
	q.instead = map[int32]string{step: tool}
	return q, nil
}

// Tooled returns the tool that a step calls in the place of what was recorded.
func (p *Plan) Tooled(step int32) (tool string, ok bool) {
	tool, ok = p.instead[step]
	return tool, ok
}

// Slice marks by step what some steps cannot do without, and those steps.
func (p *Plan) Slice(steps ...int32) []bool { return closure(len(p.Script.Steps), steps, p.needs()) }

// Keep narrows the plan to some of its steps, which include what they need. With params the
// call is sent with those instead of the recorded ones; they have to be JSON. The steps
// belong to the plan from then on.
func (p *Plan) Keep(steps []bool, call int32, params []byte) (*Plan, error) {
	q := *p
	q.only, q.edits, q.guards, q.instead = steps, nil, nil, nil
	q.Events = slices.DeleteFunc(slices.Clone(p.Events), func(e Event) bool { return !q.happens(e) })
	if params == nil {
		return &q, nil
	}
	payload, err := p.Script.edited(call, params)
	q.edits = map[int32][]byte{p.Script.Calls[call].Step: payload}
	return &q, err
}

// needs returns a function that says what a step cannot do without. The steps of
// a session's handshake it names once.
func (p *Plan) needs() func(step int32, need func(int32)) {
	s := p.Script
	handshakes := map[int32][]int32{} // by session
	for i := range s.Steps {
		if name := s.Name(s.Row(s.Steps[i].Row)); name == mcp.Initialize || name == mcp.NotifyInitialized {
			handshakes[s.Steps[i].Session] = append(handshakes[s.Steps[i].Session], int32(i))
		}
	}
	return func(step int32, need func(int32)) {
		one := &s.Steps[step]
		for _, sub := range p.SubsOf(step) {
			if src := &p.Sources[sub.Source]; !src.plain {
				need(s.Calls[src.Call].Step)
			}
		}
		for call := one.First; call < one.First+one.Count; call++ {
			if before := s.Calls[call].Before; before >= 0 {
				need(s.Calls[before].Step)
			}
		}
		for _, i := range handshakes[one.Session] {
			need(i)
		}
		delete(handshakes, one.Session)
	}
}

// closure marks the first of n things, what they need, what that needs, and so
// on. It asks of each thing once what that needs.
func closure(n int, first []int32, needs func(i int32, need func(int32))) []bool {
	marked := make([]bool, n)
	var open []int32
	need := func(i int32) {
		if !marked[i] {
			marked[i] = true
			open = append(open, i)
		}
	}
	for _, i := range first {
		need(i)
	}
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		needs(i, need)
	}
	return marked
}

// happens says whether an event of the recording concerns the steps that are
// sent.
func (p *Plan) happens(e Event) bool {
	switch e.Kind {
	case EventNotification:
		return false
	case EventResponse:
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
	row := s.CallRow(call)
	payload, err := s.Payload(row.Request)
	if err != nil {
		return nil, err
	}
	path := jsonpath.Path{{Name: "params"}}
	if wire.IsArray(payload) {
		path = jsonpath.Path{{Kind: jsonpath.Element, Index: int(row.Batch)}, {Name: "params"}}
	}
	if from, to, ok := path.Find(payload); ok {
		return Apply(payload, Edit{from, to, one.Bytes()}), nil
	}
	if len(path) > 1 || len(payload) == 0 {
		return nil, errors.New("a request of a batch that has no parameters cannot be given any")
	}
	end := bytes.LastIndexByte(payload, '}')
	return Apply(payload, Edit{end, end, append([]byte(`,"params":`), one.Bytes()...)}), nil
}
