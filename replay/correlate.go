package replay

import (
	"net/url"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/handle"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// span is when a value was first and last sent by a client.
type span struct{ first, last uint32 }

// correlator finds the values that a server issued and a client used.
type correlator struct {
	*Plan
	sources map[uint64]int32 // by the hash of a value
	// plain are by the same where a value stood first that nothing says is a handle.
	plain  map[uint64][]Source
	placed map[string][]Sub // substitutions of the step at hand, by path
}

// collect notes every value in requests, so that of the responses only what is
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
		note := func(value string) {
			h := hash(value)
			was, ok := c.uses[h]
			if !ok {
				was.first = e.Frame
			}
			was.last = e.Frame
			c.uses[h] = was
		}
		c.requestValues(payload, func(u use) { note(u.value) })
		if head, ok := c.Script.RequestHead(e.Index); ok { // a session may be named in the query
			_, query, _ := strings.Cut(head.Target, "?")
			values, _ := url.ParseQuery(query) // of what is no query those that are
			for _, some := range values {
				for _, value := range some {
					note(value)
				}
			}
		}
	}
	return nil
}

// match goes through the recording once more, takes the values that responses
// issue, and finds them in the requests that follow.
func (c *correlator) match() error {
	for _, e := range c.Events {
		switch e.Kind {
		case EventResponse:
			c.responseValues(e.Index, e.Frame)
		case EventStep:
			c.first[e.Index] = len(c.Subs)
			c.placed = map[string][]Sub{}
			payload, err := c.requestPayload(e.Index)
			if err != nil {
				return err
			}
			c.requestValues(payload, func(u use) { c.use(e.Index, u) })
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

// use makes a substitution of a value that a server issued.
func (c *correlator) use(step int32, u use) {
	i, ok := c.sources[hash(u.value)]
	if !ok || c.Sources[i].Was != u.value || c.Sources[i].named && !u.named {
		if i, ok = c.plainSource(&u); !ok {
			return
		}
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
	return c.Script.Payload(c.Script.Steps[step].Frame)
}

// requestValues calls yield with the values of a payload that may be handles:
// whole ones first.
func (c *correlator) requestValues(payload []byte, yield func(use)) {
	handle.Used(payload, func(v handle.Value) {
		yield(use{v.Path, v.Text, v.From, v.To, handle.Why(v.Name), v.Named})
	})
	handle.Given(payload, func(p jsonpath.Path, value []byte) bool {
		if handle.IsNumber(value) && !handle.Named(p.Last()) {
			yield(use{p, string(value), 0, 0, handle.Why(p.Last()), false})
		}
		return true
	})
}

// maxPlain is how many places of one value are kept.
const maxPlain = 8

// plainSource makes a source of a place where a value stood first that is used now, though
// neither its name nor its look says that it is a handle: of one with a name like that of the
// argument, else of the first, where the value has a digit and more.
func (c *correlator) plainSource(u *use) (int32, bool) {
	h, name := hash(u.value), u.path.Last()
	var first *Source
	for i := range c.plain[h] {
		src := &c.plain[h][i]
		switch {
		case u.to != 0 || src.Was != u.value:
		case akin(src.label, name):
			c.names[src.label], c.names[name] = true, true
			return c.add(h, *src), true
		case first == nil && len(u.value) > 1 && hasDigit(u.value):
			first = src
		}
	}
	if first == nil {
		return 0, false
	}
	c.names[first.label], c.names[name] = true, true
	return c.add(h, *first), true
}

func (c *correlator) add(h uint64, src Source) int32 {
	i := int32(len(c.Sources))
	c.sources[h] = i
	c.Sources = append(c.Sources, src)
	c.from[src.Call] = append(c.from[src.Call], i)
	return i
}

// responseValues takes the values of a response that a client uses later and did
// not send before.
func (c *correlator) responseValues(call int32, frame uint32) {
	offer := func(src Source, v *handle.Value) {
		h := hash(src.Was)
		u, used := c.uses[h]
		_, known := c.sources[h]
		if src.plain {
			known = len(c.plain[h]) == maxPlain
		}
		if known || !used || u.last < frame || u.first < frame {
			return
		}
		src.Call, src.Path = call, slices.Clone(src.Path)
		if v != nil && v.Part { // which reads the whole text
			k := newCut(v.Whole, v.From, v.Text, v.Class)
			src.cut = &k
		}
		if src.plain {
			c.plain[h] = append(c.plain[h], src)
			return
		}
		c.add(h, src)
	}
	s := c.Script
	if s.Method(call) == mcp.Initialize && s.Sessions[s.SessionOf(call)].Transport == session.TransportHTTP {
		if h, ok := s.ResponseHead(s.CallRow(call)); ok && h.Get(mcp.HeaderSessionID) != "" {
			offer(Source{Header: mcp.HeaderSessionID, Was: h.Get(mcp.HeaderSessionID)}, nil)
		}
	}
	payload, err := s.RawResponse(call)
	if err != nil {
		return // what is no JSON-RPC issues nothing
	}
	handle.Issued(payload, s.Method(call), func(v handle.Value) {
		offer(Source{Path: v.Path, Was: v.Text, named: v.Named}, &v)
	})
	handle.Plain(payload, s.Method(call), func(v handle.Value) {
		offer(Source{Path: v.Path, Was: v.Text, plain: true, label: v.Name}, &v)
	})
}

// Learn notes in values, by what was recorded, what a new response to a call
// issues in the places of the call's sources: texts, and raw JSON of numbers.
// sessionID is what the new server issued in the header, "" for nothing. It goes
// through the message once.
func (p *Plan) Learn(call int32, sessionID string, message []byte, values map[string]string) {
	at := map[string][]*Source{}
	for _, i := range p.from[call] {
		src := &p.Sources[i]
		switch {
		case src.Header == "":
			path := src.Path.String()
			at[path] = append(at[path], src)
		case sessionID != "":
			values[src.Was] = sessionID
		}
	}
	if len(at) == 0 {
		return
	}
	still := p.keptValues(call, message)
	// Of members that occur twice the last counts.
	jsonpath.Leaves(message, nil, func(place jsonpath.Path, value []byte) bool {
		for _, src := range at[place.String()] {
			now, ok := src.take(value)
			switch {
			case !ok:
			case !src.plain:
				values[src.Was] = now
			case !still[src.Was]: // it is elsewhere now: it was not the place that counted
				values[src.Was] = now
			}
		}
		return true
	})
}

// keptValues are the values of plain sources of a call that its new response still has somewhere.
func (p *Plan) keptValues(call int32, message []byte) map[string]bool {
	plain := map[string]bool{}
	for _, i := range p.from[call] {
		if p.Sources[i].plain {
			plain[p.Sources[i].Was] = true
		}
	}
	found := map[string]bool{}
	if len(plain) > 0 {
		handle.Plain(message, "", func(v handle.Value) { found[v.Text] = found[v.Text] || plain[v.Text] })
	}
	return found
}

// take returns what a source issues in the value that stands at its place
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

func hash(s string) uint64 { return wire.Hash([]byte(s)) }
