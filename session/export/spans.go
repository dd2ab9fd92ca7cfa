package export

import (
	"bytes"
	"encoding/json"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Spans makes the spans of a recording one by one while it is read: those that the
// format otlp has, with the parents of other programs' spans in place of links.
type Spans struct {
	s    *Source
	made map[int]*otlp // of the sessions met last
}

// NewSpans is for a tracker that reads the recording. Of s it needs what describes the
// recording, Load and Clean. Part tells the parts of a recording apart whose
// rows a tracker counts from 0 again; "" for the first.
func NewSpans(s Source, t *session.Tracker, part string) *Spans {
	s.tracker, s.part, s.live, s.contexts = t, part, true, contexts{}
	s.Load = s.Load.recent()
	return &Spans{s: &s, made: map[int]*otlp{}}
}

// Take is told of every frame, after it was applied.
func (x *Spans) Take(f *wire.Frame, step session.Step) { x.s.contexts.take(x.s, f, step) }

// IsSpan reports whether a row is a span.
func IsSpan(r *session.Row) bool { return isSpan(r) }

// ErrorType is the error.type of a call, "" for one that succeeded.
func ErrorType(r *session.Row) string { return errorType(r) }

// Row returns the span of a row that has ended, as JSON.
func (x *Spans) Row(at int) []byte {
	r := x.s.tracker.Row(at)
	one := x.s.tracker.Session(int(r.Session))
	if one == nil {
		one = &session.Session{Index: -1, Transport: session.TransportHTTP, Last: r.T}
		if x.s.Tap == "stdio" {
			one.Transport = session.TransportStdio
		}
	}
	return spanJSON(x.spansOf(one).span(int32(at), r))
}

// Target returns the method of a request or notification, and the tool or prompt that it
// names, "" for none.
func (x *Spans) Target(at int) (method, name string) {
	r := x.s.tracker.Row(at)
	method = x.s.clean(x.s.tracker.Name(r.Name))
	if method == mcp.ToolsCall || method == mcp.PromptsGet {
		m, _ := wire.ScanMessage([]byte(x.s.message(uint64(r.Request), r.Batch)))
		name = wire.Text(wire.Get(m.Params, "name"))
	}
	return method, name
}

// Session returns the span of a session, with what was found so far.
func (x *Spans) Session(one *session.Session, found []*diagnose.Finding) []byte {
	x.s.Findings = found
	return spanJSON(x.spansOf(one).whole())
}

func (x *Spans) spansOf(one *session.Session) *otlp {
	const many = 64
	if len(x.made) > many {
		clear(x.made)
	}
	if x.made[one.Index] == nil {
		x.made[one.Index] = newOTLP(x.s, one)
	}
	o := x.made[one.Index]
	o.session = one
	return o
}

func spanJSON(span otlpSpan) []byte {
	raw, _ := json.Marshal(span) // it has texts only
	return []byte(escapeHarm(string(raw)))
}

// Request makes what is sent of spans: one object of TracesData. The resource is keys and
// values in turn.
func Request(version string, resource []string, spans [][]byte) []byte {
	out := []byte(`{"resourceSpans":[` + otlpHead(version, attributes(resource...)))
	out = append(out, bytes.Join(spans, []byte(",\n"))...)
	return append(out, otlpTail+"]}"...)
}

// maxContexts bounds the trace contexts at hand. A recording with more forgets the
// earliest ones: what belongs to their rows and comes later is in its session's trace.
const maxContexts = 20_000

// contexts are the traces of others that requests belong to.
type contexts struct {
	rows  map[int32]context
	heads map[uint32]context // of HTTP exchanges that are open
}

// context is a span of another program. Parent is "" for a row that is in the trace
// because its own parent is.
type context struct {
	trace, parent, state string
	link                 string // the span of the HTTP request, where that is another one
	linkTrace            string
}

func (c context) links(live bool) (all []otlpLink) {
	if !live {
		all = append(all, otlpLink{c.trace, c.parent, clipped(c.state)})
	}
	if c.link != "" {
		all = append(all, otlpLink{TraceID: c.linkTrace, SpanID: c.link})
	}
	return all
}

func (c *contexts) forRow(row int32) context { return c.rows[row] }

// joins notes that a row is in a trace that is not its session's.
func (c *contexts) joins(row int32, trace, own string) {
	if _, known := c.rows[row]; !known && trace != own {
		c.put(row, context{trace: trace})
	}
}

func (c *contexts) put(row int32, one context) {
	if c.rows == nil || len(c.rows) >= maxContexts {
		c.rows = map[int32]context{}
	}
	c.rows[row] = one
}

// take reads the contexts of the rows that a frame began.
func (c *contexts) take(s *Source, f *wire.Frame, step session.Step) {
	switch f.Kind {
	case wire.KindRequest:
		one, ok := traceContext(wire.HeadValue(f.Data, mcp.MetaTraceParent), wire.HeadValue(f.Data, mcp.MetaTraceState))
		if ok {
			if c.heads == nil || len(c.heads) >= maxContexts {
				c.heads = map[uint32]context{}
			}
			c.heads[f.X] = one
		}
	case wire.KindClose:
		defer delete(c.heads, f.X)
	}
	for at := step.First; at < step.First+step.Added; at++ {
		r := s.tracker.Row(at)
		if !isSpan(r) {
			continue
		}
		one, ok := c.heads[r.X]
		ok = ok && r.Dir == wire.ToServer // what the server sends on the way belongs to its call
		if f.HoldsMessages() && (bytes.Contains(f.Data, []byte(mcp.MetaTraceParent)) || s.coded(f)) {
			m, _ := s.tracker.Message(f, r.Batch)
			own, has := traceContext(wire.Text(wire.Get(m.Params, "_meta", mcp.MetaTraceParent)),
				wire.Text(wire.Get(m.Params, "_meta", mcp.MetaTraceState)))
			if has && ok && own.parent != one.parent {
				own.link, own.linkTrace = one.parent, one.trace
			}
			if has {
				one, ok = own, true
			}
		}
		if ok {
			c.put(int32(at), one)
		}
	}
}

// coded reports whether the payload of a frame is compressed.
func (s *Source) coded(f *wire.Frame) bool {
	return f.Kind == wire.KindBody && len(f.Data) > 0 && f.Data[0] != '{' && f.Data[0] != '['
}

// traceContext reads the W3C form: 00-<32 hex>-<16 hex>-<2 hex>, none all zero.
func traceContext(value, state string) (c context, ok bool) {
	parts := strings.Split(value, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return c, false
	}
	for _, p := range parts[1:3] {
		if strings.Trim(p, "0123456789abcdef") != "" || strings.Trim(p, "0") == "" {
			return c, false
		}
	}
	return context{trace: parts[1], parent: parts[2], state: state}, true
}
