package export

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words/wordstest"
)

// spansOf are the spans of frames as they are sent: those of rows that have ended, and of
// sessions, by name.
func spansOf(t testing.TB, tap string, frames []wire.Frame) map[string]otlpSpan {
	t.Helper()
	tracker := session.New(session.Options{Tap: tap})
	load := func(n uint64) *wire.Frame { f := frames[n-1]; return &f }
	x := NewSpans(Source{Recording: Recording{ID: "x", Tap: tap}, Load: load}, tracker, "")
	for i := range frames {
		x.Take(&frames[i], tracker.Apply(&frames[i]))
	}
	all := map[string]otlpSpan{}
	add := func(raw []byte) {
		var s otlpSpan
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatalf("%v: %.200s", err, raw)
		}
		all[s.Name] = s
	}
	for at := range tracker.Rows() {
		if IsSpan(tracker.Row(at)) {
			add(x.Row(at))
		}
	}
	for _, s := range tracker.Sessions() {
		add(x.Session(s, nil))
	}
	return all
}

const (
	traceA  = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	traceB  = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	parentA = "1111111111111111"
	parentB = "2222222222222222"
)

// TestParentsOfSpans: what names a span of its caller is below it, with all that comes of
// it; the context of _meta goes before that of the HTTP request, which is a link.
func TestParentsOfSpans(t *testing.T) {
	tr, err := transcript.Parse(`tap http
1 open {"client":"127.0.0.1:1"}
1.1 > POST /mcp | traceparent: 00-` + traceA + `-` + parentA + `-01 || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"head","_meta":{"progressToken":1}}}
1.1 < 200 text/event-stream
1.1 event data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
1.1 event data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
1.1 close server
1.2 > POST /mcp | traceparent: 00-` + traceA + `-` + parentA + `-01 || {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"both","_meta":{"traceparent":"00-` + traceB + `-` + parentB + `-01"}}}
1.2 < 200 application/json || {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
1.3 > POST /mcp | traceparent: 00-` + traceA + `-0000000000000000-01 || {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"broken"}}
1.3 < 200 application/json || {"jsonrpc":"2.0","id":3,"result":{"content":[]}}`)
	if err != nil {
		t.Fatal(err)
	}
	frames := framesOf(tr)
	spans := spansOf(t, "http", frames)
	root, head, both, broken := spans["mcp.session"], spans["tools/call head"], spans["tools/call both"], spans["tools/call broken"]
	if head.TraceID != traceA || head.ParentID != parentA || len(head.Links) != 0 {
		t.Errorf("%+v", head)
	}
	if p := spans["notifications/progress"]; p.TraceID != traceA || p.ParentID != head.SpanID {
		t.Errorf("progress is not below its call: %+v", p)
	}
	if both.TraceID != traceB || both.ParentID != parentB || len(both.Links) != 1 || both.Links[0] != (otlpLink{TraceID: traceA, SpanID: parentA}) {
		t.Errorf("%+v", both)
	}
	if broken.TraceID != root.TraceID || broken.ParentID != root.SpanID {
		t.Errorf("%+v", broken)
	}
	// A file has no span of the caller.
	text := written(t, source("http", frames), "otlp")
	if strings.Contains(text, `"parentSpanId":"`+parentA) || !strings.Contains(text, `"links":[{"traceId":"`+traceA+`","spanId":"`+parentA+`"`) {
		t.Errorf("%s", text)
	}
}

// TestLongTextsOfSpans: a collector refuses what is too large.
func TestLongTextsOfSpans(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	var tp tape
	tp.line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+long+`"}}`)
	tp.line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"`+long+`"}}`)
	for name, s := range spansOf(t, "stdio", tp.frames) {
		if raw, _ := json.Marshal(s); len(raw) > 5*maxAttribute {
			t.Errorf("%.40s has %d bytes", name, len(raw))
		}
	}
}

// FuzzSpans: whatever the messages are, spans are JSON and their ids are ids.
func FuzzSpans(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s, s, "00-"+traceA+"-"+parentA+"-01")
	}
	ids := regexp.MustCompile(`^[0-9a-f]{32} [0-9a-f]{16} ([0-9a-f]{16})?$`)
	f.Fuzz(func(t *testing.T, name, method, parent string) {
		request, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": name, "method": method, "params": map[string]any{
			"name": name, "uri": name, "_meta": map[string]any{"traceparent": parent, "tracestate": name},
		}})
		var tp tape
		tp.line(wire.ToServer, string(request))
		tp.line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":`+name+`}}`)
		for _, s := range spansOf(t, "stdio", tp.frames) {
			if !ids.MatchString(s.TraceID + " " + s.SpanID + " " + s.ParentID) {
				t.Errorf("%+v", s)
			}
		}
	})
}
