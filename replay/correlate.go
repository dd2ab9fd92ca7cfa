package replay

import (
	"slices"

	"midwire/session"
	"midwire/session/handle"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// span is when a value was first and last sent by a client.
type span struct{ first, last uint32 }

// correlator finds the values that were handed out and passed back.
type correlator struct {
	*Plan
	uses    map[uint64]span  // by the hash of a value in requests
	sources map[uint64]int32 // by the same
	placed  map[string][]Sub // substitutions of the step at hand, by path
}

// collect notes every value in requests, so that of the answers only what is
// used later has to be kept.
func (c *correlator) collect() error {
	for _, e := range c.Events {
		if e.Kind != EventStep {
			continue
		}
		payload, err := c.requestPayload(e.Index)
		if err != nil {
			return err
		}
		c.masked(e.Index, payload)
		if c.Options.NoCorrelate {
			continue
		}
		requestValues(payload, func(u use) {
			h := hash(u.value)
			was, ok := c.uses[h]
			if !ok {
				was.first = e.Frame
			}
			was.last = e.Frame
			c.uses[h] = was
		})
	}
	return nil
}

// match goes through the recording once more, takes the values that answers
// hand out, and finds them in the requests that follow.
func (c *correlator) match() error {
	if c.Options.NoCorrelate {
		return nil
	}
	for _, e := range c.Events {
		switch e.Kind {
		case EventAnswer:
			c.answerValues(e.Index, e.Frame)
		case EventStep:
			c.first[e.Index] = len(c.Subs)
			c.placed = map[string][]Sub{}
			payload, err := c.requestPayload(e.Index)
			if err != nil {
				return err
			}
			requestValues(payload, func(u use) { c.use(e.Index, u) })
		}
	}
	return nil
}

// use is a value in a request.
type use struct {
	path     jsonpath.Path // valid during the call only
	value    string
	from, to int
	why      string
	named    bool
}

// use makes a substitution of a value that a server handed out.
func (c *correlator) use(step int32, u use) {
	i, ok := c.sources[hash(u.value)]
	if !ok || c.Sources[i].Was != u.value || c.Sources[i].named && !u.named {
		return
	}
	// A token inside a value that is replaced already needs nothing more.
	at := u.path.String()
	for _, s := range c.placed[at] {
		if s.To == 0 || u.from < s.To && s.From < u.to {
			return
		}
	}
	sub := Sub{step, i, slices.Clone(u.path), u.from, u.to, u.why}
	c.placed[at] = append(c.placed[at], sub)
	c.Subs = append(c.Subs, sub)
}

// requestPayload is what a step sends, nil when it sends none.
func (c *correlator) requestPayload(step int32) ([]byte, error) {
	if c.Script.Steps[step].Kind != StepSend {
		return nil, nil
	}
	return c.Script.payload(c.Script.Steps[step].Frame)
}

// requestValues calls yield with the values of a payload that may be handles:
// whole ones first.
func requestValues(payload []byte, yield func(use)) {
	handle.Passed(payload, func(v handle.Value) {
		yield(use{v.Path, v.Text, v.From, v.To, handle.Why(v.Name), v.Named})
	})
}

// answerValues takes the values of an answer that a client passes back later
// and did not send before.
func (c *correlator) answerValues(call int32, frame uint32) {
	offer := func(src Source, v *handle.Value) {
		h := hash(src.Was)
		u, used := c.uses[h]
		if _, known := c.sources[h]; known || !used || u.last < frame || u.first < frame {
			return
		}
		src.Call, src.Path = call, slices.Clone(src.Path)
		if v != nil && v.Part { // which reads the whole text
			k := newCut(v.Whole, v.From, v.Text, v.Class)
			src.cut = &k
		}
		i := int32(len(c.Sources))
		c.sources[h] = i
		c.Sources = append(c.Sources, src)
		c.from[call] = append(c.from[call], i)
	}
	s := c.Script
	if x := s.row(s.Calls[call].Row).X; s.Method(call) == mcp.Initialize && s.Sessions[s.Steps[s.Calls[call].Step].Session].Transport == session.TransportHTTP {
		if h, ok := s.answerHead(x); ok && h.Get(mcp.HeaderSessionID) != "" {
			offer(Source{Header: mcp.HeaderSessionID, Was: h.Get(mcp.HeaderSessionID)}, nil)
		}
	}
	payload, err := s.answerBytes(call)
	if err != nil {
		return // an answer that is no JSON-RPC hands out nothing
	}
	handle.Offered(payload, s.Method(call), func(v handle.Value) {
		offer(Source{Path: v.Path, Was: v.Text, named: v.Named}, &v)
	})
}

// handedOut calls yield with what a new answer to a call has in the places of
// the call's sources, as text or raw JSON number. It goes through the answer once.
func (p *Plan) handedOut(call int32, message []byte, yield func(source int32, now string)) {
	at := map[string][]int32{}
	for _, i := range p.from[call] {
		if src := &p.Sources[i]; src.Header == "" {
			path := src.Path.String()
			at[path] = append(at[path], i)
		}
	}
	if len(at) == 0 {
		return
	}
	jsonpath.Leaves(message, nil, func(place jsonpath.Path, value []byte) bool { // of members that occur twice the last counts
		for _, i := range at[place.String()] {
			if now, ok := p.Sources[i].take(value); ok {
				yield(i, now)
			}
		}
		return true
	})
}

// take returns what a source hands out in the value that stands at its place
// now; false when that is nothing.
func (src *Source) take(value []byte) (string, bool) {
	if value[0] != '"' {
		return string(value), handle.IsNumber(value) && src.cut == nil
	}
	text := wire.Text(value)
	if src.cut == nil {
		return text, text != ""
	}
	token := src.cut.take(text)
	return token, token != ""
}

// hash is 64-bit FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
