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
	"midwire/session/semconv"
	"midwire/session/wire"
	"midwire/session/words"
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

// maxAttribute is the most bytes of a text in a span, and maxEvents the most findings:
// peers choose both, and collectors refuse what is too large, with all that comes in it.
const (
	maxAttribute = 4 << 10
	maxEvents    = 128
)

// writeOTLP writes traces as OTLP/JSON, one object of TracesData, by the
// semantic conventions of OpenTelemetry for MCP: a span for each request and
// each notification, seen from the side that sent it. What carries a
// traceparent in its _meta, or in the head of its HTTP request, joins that trace, with a
// link to the span that it names:
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
		out.write("\n", otlpHead(s.Version, attributes(
			semconv.ServiceName, cmp.Or(one.Client.Name, "mcp-client"), semconv.ServiceVersion, one.Client.Version)))
		o := newOTLP(s, one)
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
		out.write("\n", otlpTail)
	}
	out.write("\n]}\n")
	return out.err
}

// otlpHead is what stands before the spans of a resource, otlpTail what stands behind.
func otlpHead(version string, resource []otlpAttribute) string {
	about, _ := json.Marshal(resource)
	scope, _ := json.Marshal(map[string]string{"name": "midwire", "version": cmp.Or(version, "devel")})
	return `{"resource":{"attributes":` + escapeHarm(string(about)) + `},"scopeSpans":[{"schemaUrl":"` + semconv.Schema +
		`","scope":` + string(scope) + `,"spans":[`
}

const otlpTail = "]}]}"

// otlp makes the spans of a session.
type otlp struct {
	s       *Source
	session *session.Session
	trace   string // of the session
	root    string // its span
}

func newOTLP(s *Source, one *session.Session) *otlp {
	return &otlp{s: s, session: one, trace: s.hash("trace", one.Index)[:32], root: s.hash("session", one.Index)[:16]}
}

func isSpan(r *session.Row) bool {
	return r.Kind == session.RowCall || r.Kind == session.RowNotification
}

// hash makes ids that are the same in every export of a recording.
func (s *Source) hash(what string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", s.ID+s.part, what, n))
	return hex.EncodeToString(sum[:])
}

func (o *otlp) nano(t int64) string {
	return strconv.FormatInt(o.s.Started.UnixNano()+t, 10)
}

// whole is the span of the session itself.
func (o *otlp) whole() otlpSpan {
	x := o.session
	span := otlpSpan{
		TraceID: o.trace, SpanID: o.root, Name: semconv.SessionSpan, Kind: spanInternal,
		Start: o.nano(x.Started), End: o.nano(x.Last),
		Attributes: append(o.common(), attributes(
			semconv.RecordingID, o.s.ID, semconv.SessionState, x.State.String(), semconv.SessionGrouping, x.Why)...),
	}
	for _, f := range o.s.findings() {
		if f.Session == x.Index && len(span.Events) < maxEvents {
			span.Events = append(span.Events, otlpEvent{o.nano(f.T), semconv.Finding, attributes(
				semconv.Rule, f.Rule.ID, semconv.Severity, f.Severity.String(),
				semconv.Message, f.Message, semconv.Cause, f.Cause, semconv.Fix, f.Fix())})
		}
	}
	return span
}

// common are the attributes that hold for all of a session.
func (o *otlp) common() []otlpAttribute {
	x := o.session
	all := attributes(semconv.ProtocolVersion, string(x.ProtocolVersion), semconv.SessionID, o.s.named(x.ID))
	if o.s.live { // a file has the client as its resource
		all = append(all, attributes(
			semconv.ClientName, o.s.named(x.Client.Name), semconv.ServerName, o.s.named(x.Server.Name))...)
	}
	if x.Transport == session.TransportStdio {
		return append(all, attributes(semconv.Transport, semconv.TransportPipe)...)
	}
	if at := words.ParseSocket(o.s.Target); at != nil {
		return append(all, attributes(semconv.Transport, semconv.TransportUnix, semconv.Protocol, "http",
			semconv.ServerAddress, words.SocketOf(at))...)
	}
	all = append(all, attributes(semconv.Transport, semconv.TransportTCP, semconv.Protocol, "http")...)
	if u, err := url.Parse(o.s.Target); err == nil && u.Hostname() != "" {
		all = append(all, attributes(semconv.ServerAddress, u.Hostname())...)
		if port, err := strconv.Atoi(cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])); err == nil {
			all = append(all, number(semconv.ServerPort, int64(port)))
		}
	}
	return all
}

// span is that of a request or a notification.
func (o *otlp) span(at int32, r *session.Row) otlpSpan {
	method := o.s.clean(o.s.tracker.Name(r.Name))
	m, _ := wire.ScanMessage([]byte(o.s.message(uint64(r.Request), r.Batch)))
	span := otlpSpan{
		TraceID: o.trace, SpanID: o.s.hash("row", int(at))[:16], ParentID: o.root, Name: clipped(method), Kind: spanClient,
		Start: o.nano(r.T), End: o.nano(max(r.T, r.End)),
		Attributes: append(attributes(semconv.Method, method), o.common()...),
	}
	if r.Parent >= 0 && o.isSpan(r.Parent) {
		span.ParentID = o.s.hash("row", int(r.Parent))[:16]
		span.TraceID = cmp.Or(o.s.contexts.forRow(r.Parent).trace, o.trace)
	}
	if c := o.s.contexts.forRow(at); c.parent != "" {
		switch {
		case o.s.live: // who sent it reports its own span
			span.ParentID = c.parent
		case c.trace != span.TraceID:
			span.ParentID = ""
		}
		span.TraceID, span.TraceState = c.trace, clipped(c.state)
		span.Links = c.links(o.s.live)
	}
	o.s.contexts.joins(at, span.TraceID, o.trace)
	if r.Kind == session.RowCall && len(m.ID) > 0 && string(m.ID) != "null" {
		id := string(m.ID)
		if id[0] == '"' {
			id = wire.Text(m.ID)
		}
		span.Attributes = append(span.Attributes, attributes(semconv.RequestID, id)...)
	}
	if target := span.setTarget(method, &m); target != "" {
		span.Name += " " + clipped(target)
	}
	o.outcome(&span, r)
	return span
}

// setTarget adds what the message is about, and returns the name that belongs into
// the span's.
func (p *otlpSpan) setTarget(method string, m *wire.Message) string {
	name := wire.Text(wire.Get(m.Params, "name"))
	switch {
	case method == mcp.ToolsCall:
		p.Attributes = append(p.Attributes, attributes(
			semconv.Operation, semconv.ExecuteTool, semconv.ToolName, name)...)
		return name
	case method == mcp.PromptsGet:
		p.Attributes = append(p.Attributes, attributes(semconv.PromptName, name)...)
		return name
	case strings.HasPrefix(method, "resources/") || method == mcp.NotifyResourcesUpdated:
		p.Attributes = append(p.Attributes, attributes(semconv.ResourceURI, wire.Text(wire.Get(m.Params, "uri")))...)
	}
	return ""
}

// errorType is the error.type of a row, "" for one that succeeded.
func errorType(r *session.Row) string {
	switch e := r.Ending; {
	case r.Code != 0:
		return strconv.Itoa(int(r.Code))
	case e.IsError() && r.Status >= 400:
		return strconv.Itoa(int(r.Status))
	case e.IsError():
		return semconv.ToolError // or what came is no JSON-RPC
	case e.GaveUp():
		return semconv.Cancelled
	case e.Lost(), e.Open():
		return semconv.NoAnswer
	}
	return ""
}

// outcome adds how a call ended.
func (o *otlp) outcome(p *otlpSpan, r *session.Row) {
	kind := errorType(r)
	if r.Code != 0 {
		p.Attributes = append(p.Attributes, attributes(semconv.StatusCode, kind)...)
	}
	if kind == semconv.NoAnswer {
		p.End = o.nano(max(r.T, o.session.Last))
	}
	if kind == "" {
		return
	}
	p.Attributes = append(p.Attributes, attributes(semconv.ErrorType, kind)...)
	p.Status.Code = statusError
	if m, ok := wire.ScanMessage([]byte(o.s.message(uint64(r.Response), r.RBatch))); ok {
		p.Status.Message = clipped(wire.Text(wire.Get(m.Error, "message")))
	}
}

// isSpan reports whether a row is a span of the same session.
func (o *otlp) isSpan(at int32) bool {
	r := o.s.tracker.Row(int(at))
	return isSpan(r) && int(r.Session) == o.session.Index
}

// attributes are made of keys and values in turn; empty values are left out.
func attributes(pairs ...string) []otlpAttribute {
	all := []otlpAttribute{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if value := clipped(pairs[i+1]); value != "" {
			all = append(all, otlpAttribute{pairs[i], otlpValue{String: &value}})
		}
	}
	return all
}

// clipped is a text as a span has it: UTF-8, and not too long.
func clipped(s string) string {
	if len(s) <= maxAttribute {
		return text(s)
	}
	return text(words.Clip(s, maxAttribute)) + "…"
}

func number(key string, n int64) otlpAttribute {
	text := jsonNumber(n)
	return otlpAttribute{key, otlpValue{Int: &text}}
}

func jsonNumber(n int64) string { return strconv.FormatInt(n, 10) }
