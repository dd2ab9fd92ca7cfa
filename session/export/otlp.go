package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// The parts of OTLP/JSON that are used. Numbers of 64 bits are strings in it.
type (
	otlpValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpEvent struct {
		Time       string          `json:"timeUnixNano"`
		Name       string          `json:"name"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
	}
	otlpLink struct {
		TraceID    string `json:"traceId"`
		SpanID     string `json:"spanId"`
		TraceState string `json:"traceState,omitempty"`
	}
	otlpStatus struct {
		Code    int    `json:"code,omitempty"`
		Message string `json:"message,omitempty"`
	}
	otlpSpan struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		TraceState string          `json:"traceState,omitempty"`
		ParentID   string          `json:"parentSpanId,omitempty"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes"`
		Events     []otlpEvent     `json:"events,omitempty"`
		Links      []otlpLink      `json:"links,omitempty"`
		Status     otlpStatus      `json:"status"`
	}
)

// Of SpanKind and of Status.
const (
	spanInternal = 1
	spanClient   = 3
	statusError  = 2
)

// writeOTLP writes traces as OTLP/JSON, one object of TracesData, by the
// semantic conventions of OpenTelemetry for MCP: a span for each request and
// each notification, seen from the side that sent it. What carries a
// traceparent in its _meta joins that trace, with a link to the span that it names:
// that is not in the file, and a viewer takes a parent that it does not have for a loss.
// Everything else is the trace of its session, under a span of its own. Findings are
// events of that.
func writeOTLP(w io.Writer, s *Source) error {
	out := &list{brief: brief{w: w}}
	out.write(`{"resourceSpans":[`)
	for i, one := range s.sessions() {
		if i > 0 {
			out.write(",")
		}
		o := otlp{
			s:       s,
			session: one,
			spans:   map[int32]bool{},
			joined:  map[int32]string{},
			trace:   s.hash("trace", one.Index)[:32],
			root:    s.hash("session", one.Index)[:16],
		}
		for _, at := range one.Rows() {
			o.spans[int32(at)] = isSpan(s.tracker.Row(int(at)))
		}
		resource, _ := json.Marshal(attributes("service.name", text(cmp.Or(one.Client.Name, "mcp-client")), "service.version", text(one.Client.Version)))
		scope, _ := json.Marshal(map[string]string{"name": "midwire", "version": cmp.Or(s.Version, "devel")})
		out.write("\n", `{"resource":{"attributes":`, escapeHarm(string(resource)), `},"scopeSpans":[{"scope":`, string(scope), `,"spans":[`)
		out.some = false
		out.add(o.whole())
		for _, at := range one.Rows() {
			r := s.tracker.Row(int(at))
			if !isSpan(r) {
				continue
			}
			if out.add(o.span(int32(at), r)); out.err != nil {
				return out.err
			}
		}
		out.write("\n]}]}")
	}
	out.write("\n]}\n")
	return out.err
}

// otlp makes the spans of a session.
type otlp struct {
	s       *Source
	session *session.Session
	trace   string           // of the session
	root    string           // its span
	joined  map[int32]string // rows that are in another trace
	spans   map[int32]bool   // rows that are spans of it
}

func isSpan(r *session.Row) bool {
	return r.Kind == session.RowCall || r.Kind == session.RowNotification
}

// hash makes ids that are the same in every export of a recording.
func (s *Source) hash(what string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", s.ID, what, n))
	return hex.EncodeToString(sum[:])
}

func (o *otlp) nano(t int64) string {
	return strconv.FormatInt(o.s.Started.UnixNano()+t, 10)
}

// whole is the span of the session itself.
func (o *otlp) whole() otlpSpan {
	x := o.session
	span := otlpSpan{
		TraceID: o.trace, SpanID: o.root, Name: "mcp.session", Kind: spanInternal, Start: o.nano(x.Started), End: o.nano(x.Last),
		Attributes: append(o.common(), attributes("midwire.recording.id", o.s.ID, "midwire.session.state", x.State.String(), "midwire.session.grouped_by", text(x.Why))...),
	}
	for _, f := range o.s.findings() {
		if f.Session == x.Index {
			span.Events = append(span.Events, otlpEvent{o.nano(f.T), "midwire.finding", attributes(
				"midwire.rule", f.Rule.ID, "midwire.severity", f.Severity.String(), "midwire.message", text(f.Message), "midwire.cause", text(f.Cause), "midwire.fix", text(f.Fix()))})
		}
	}
	return span
}

// common are the attributes that hold for all of a session.
func (o *otlp) common() []otlpAttribute {
	x := o.session
	all := attributes("mcp.protocol.version", text(string(x.ProtocolVersion)), "mcp.session.id", text(x.ID))
	if x.Transport == session.TransportStdio {
		return append(all, attributes("network.transport", "pipe")...)
	}
	all = append(all, attributes("network.transport", "tcp", "network.protocol.name", "http")...)
	if u, err := url.Parse(o.s.Target); err == nil && u.Hostname() != "" {
		all = append(all, attributes("server.address", u.Hostname())...)
		if port, err := strconv.Atoi(cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])); err == nil {
			all = append(all, number("server.port", int64(port)))
		}
	}
	return all
}

// span is that of a request or a notification.
func (o *otlp) span(at int32, r *session.Row) otlpSpan {
	method := text(o.s.clean(o.s.tracker.Name(r.Name)))
	m, _ := wire.ScanMessage([]byte(o.s.message(uint64(r.Request), r.Batch)))
	span := otlpSpan{
		TraceID: o.trace, SpanID: o.s.hash("row", int(at))[:16], ParentID: o.root, Name: method, Kind: spanClient,
		Start: o.nano(r.T), End: o.nano(max(r.T, r.End)),
		Attributes: append(attributes("mcp.method.name", method), o.common()...),
	}
	if r.Parent >= 0 && o.spans[r.Parent] {
		span.ParentID = o.s.hash("row", int(r.Parent))[:16]
		span.TraceID = cmp.Or(o.joined[r.Parent], o.trace)
	}
	if trace, parent, ok := traceparent(wire.Text(wire.Get(m.Params, "_meta", mcp.MetaTraceParent))); ok {
		state := text(wire.Text(wire.Get(m.Params, "_meta", mcp.MetaTraceState)))
		if trace != span.TraceID {
			span.TraceID, span.ParentID = trace, ""
		}
		span.TraceState = state
		span.Links = []otlpLink{{trace, parent, state}}
	}
	if span.TraceID != o.trace {
		o.joined[at] = span.TraceID
	}
	if r.Kind == session.RowCall && len(m.ID) > 0 && string(m.ID) != "null" {
		id := string(m.ID)
		if id[0] == '"' {
			id = wire.Text(m.ID)
		}
		span.Attributes = append(span.Attributes, attributes("jsonrpc.request.id", text(id))...)
	}
	if target := span.about(method, &m); target != "" {
		span.Name += " " + target
	}
	o.outcome(&span, r)
	return span
}

// about adds what the message is about, and returns the name that belongs into
// the span's.
func (p *otlpSpan) about(method string, m *wire.Message) string {
	name := text(wire.Text(wire.Get(m.Params, "name")))
	switch {
	case method == mcp.ToolsCall:
		p.Attributes = append(p.Attributes, attributes("gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", name)...)
		return name
	case method == mcp.PromptsGet:
		p.Attributes = append(p.Attributes, attributes("gen_ai.prompt.name", name)...)
		return name
	case strings.HasPrefix(method, "resources/") || method == mcp.NotifyResourcesUpdated:
		p.Attributes = append(p.Attributes, attributes("mcp.resource.uri", text(wire.Text(wire.Get(m.Params, "uri"))))...)
	}
	return ""
}

// outcome adds how a call ended.
func (o *otlp) outcome(p *otlpSpan, r *session.Row) {
	kind := ""
	switch e := r.Ending; {
	case r.Code != 0:
		kind = strconv.Itoa(int(r.Code))
		p.Attributes = append(p.Attributes, attributes("rpc.response.status_code", kind)...)
	case e.IsError() && r.Status >= 400:
		kind = strconv.Itoa(int(r.Status))
	case e.IsError():
		kind = "tool_error" // or what came is no JSON-RPC
	case e.GaveUp():
		kind = "cancelled"
	case e.Lost(), e.Open():
		kind = "no_answer"
		p.End = o.nano(max(r.T, o.session.Last))
	}
	if kind == "" {
		return
	}
	p.Attributes = append(p.Attributes, attributes("error.type", kind)...)
	p.Status.Code = statusError
	if m, ok := wire.ScanMessage([]byte(o.s.message(uint64(r.Response), r.RBatch))); ok {
		p.Status.Message = text(wire.Text(wire.Get(m.Error, "message")))
	}
}

// traceparent reads the W3C form: 00-<32 hex>-<16 hex>-<2 hex>, none all zero.
func traceparent(value string) (trace, parent string, ok bool) {
	parts := strings.Split(value, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return "", "", false
	}
	for _, p := range parts[1:3] {
		if strings.Trim(p, "0123456789abcdef") != "" || strings.Trim(p, "0") == "" {
			return "", "", false
		}
	}
	return parts[1], parts[2], true
}

// attributes are made of keys and values in turn; empty values are left out.
func attributes(pairs ...string) []otlpAttribute {
	all := []otlpAttribute{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := pairs[i+1]; value != "" {
			all = append(all, otlpAttribute{pairs[i], otlpValue{String: &value}})
		}
	}
	return all
}

func number(key string, n int64) otlpAttribute {
	text := jsonNumber(n)
	return otlpAttribute{key, otlpValue{Int: &text}}
}

func jsonNumber(n int64) string { return strconv.FormatInt(n, 10) }
