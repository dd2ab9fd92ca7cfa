package export

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
)

func TestHAR(t *testing.T) {
	s := sources()["http"]
	var h struct {
		Log struct {
			Version string
			Creator struct{ Name, Version string }
			Entries []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(written(t, s, "har")), &h); err != nil {
		t.Fatal(err)
	}
	if h.Log.Version != "1.2" || h.Log.Creator.Name != "midwire" || h.Log.Creator.Version == "" || len(h.Log.Entries) < 6 {
		t.Fatalf("%+v", h.Log)
	}
	for i, e := range h.Log.Entries {
		where := fmt.Sprintf("entry %d", i)
		members(t, where, e, "startedDateTime string", "time number", "request object", "response object", "cache object", "timings object")
		q, _ := e["request"].(map[string]any)
		members(t, where, q, "method string", "url string", "httpVersion string", "cookies array", "headers array", "queryString array", "headersSize number", "bodySize number")
		r, _ := e["response"].(map[string]any)
		members(t, where, r, "status number", "statusText string", "httpVersion string", "cookies array", "headers array", "content object", "redirectURL string", "headersSize number", "bodySize number")
		c, _ := r["content"].(map[string]any)
		members(t, where, c, "size number", "mimeType string", "text string")
		times, _ := e["timings"].(map[string]any)
		members(t, where, times, "send number", "wait number", "receive number")
		sum := 0.0
		for _, v := range times {
			if v.(float64) < 0 {
				t.Errorf("%s: %v", where, times)
			}
			sum += v.(float64)
		}
		if d := sum - e["time"].(float64); d > 0.01 || d < -0.01 {
			t.Errorf("%s: timings of %v make %v", where, e["time"], sum)
		}
		if p, ok := q["postData"].(map[string]any); ok {
			members(t, where, p, "mimeType string", "params array", "text string")
		}
		if !regexp.MustCompile(`^http://[^/]+/`).MatchString(q["url"].(string)) {
			t.Errorf("%s: url %q", where, q["url"])
		}
	}
}

// members checks that an object has members of these types.
func members(t *testing.T, where string, object map[string]any, want ...string) {
	t.Helper()
	for _, w := range want {
		name, kind, _ := strings.Cut(w, " ")
		got := "nothing"
		switch object[name].(type) {
		case string:
			got = "string"
		case float64:
			got = "number"
		case map[string]any:
			got = "object"
		case []any:
			got = "array"
		}
		if got != kind {
			t.Errorf("%s: %s is %s, want %s", where, name, got, kind)
		}
	}
}

// TestOTLPHasEveryParent: a viewer takes a parent that is not in the file for a loss.
func TestOTLPHasEveryParent(t *testing.T) {
	for name, s := range sources() {
		text := written(t, s, "otlp")
		spans := map[string]bool{}
		for _, m := range regexp.MustCompile(`"spanId":"(\w+)","`).FindAllStringSubmatch(text, -1) {
			spans[m[1]] = true
		}
		for _, m := range regexp.MustCompile(`"parentSpanId":"(\w+)"`).FindAllStringSubmatch(text, -1) {
			if !spans[m[1]] {
				t.Errorf("%s: no span is %s, which is the parent of one", name, m[1])
			}
		}
	}
}

func TestOTLPJoinsTheCallersTrace(t *testing.T) {
	tr, err := transcript.Parse(`tap stdio
> {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"add","_meta":{"progressToken":1,"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","tracestate":"rojo=1"}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
< {"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"no such tool"}}
> {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"note://a","_meta":{"traceparent":"00-00000000000000000000000000000000-00f067aa0ba902b7-01"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	var o struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []otlpAttribute }
			ScopeSpans []struct {
				Scope map[string]string
				Spans []otlpSpan
			}
		}
	}
	if err := json.Unmarshal([]byte(written(t, source("stdio", framesOf(tr)), "otlp")), &o); err != nil {
		t.Fatal(err)
	}
	spans := o.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 4 {
		t.Fatalf("%d spans: %+v", len(spans), spans)
	}
	root, call, progress, read := spans[0], spans[1], spans[2], spans[3]
	for _, s := range spans {
		if !regexp.MustCompile(`^[0-9a-f]{32} [0-9a-f]{16} \d{19} \d{19}$`).MatchString(s.TraceID + " " + s.SpanID + " " + s.Start + " " + s.End) {
			t.Errorf("%+v", s)
		}
	}
	if call.TraceID != "4bf92f3577b34da6a3ce929d0e0e4736" || call.ParentID != "" || call.TraceState != "rojo=1" || call.Name != "tools/call add" || call.Kind != spanClient {
		t.Errorf("call: %+v", call)
	}
	if len(call.Links) != 1 || call.Links[0] != (otlpLink{call.TraceID, "00f067aa0ba902b7", "rojo=1"}) {
		t.Errorf("links of the call: %+v", call.Links)
	}
	if progress.TraceID != call.TraceID || progress.ParentID != call.SpanID {
		t.Errorf("progress: %+v", progress)
	}
	if read.TraceID != root.TraceID || read.ParentID != root.SpanID || read.Name != "resources/read" {
		t.Errorf("a trace id of zeros was joined: %+v", read)
	}
	want := map[string]string{
		"mcp.method.name": "tools/call", "network.transport": "pipe", "jsonrpc.request.id": "a", "gen_ai.operation.name": "execute_tool",
		"gen_ai.tool.name": "add", "rpc.response.status_code": "-32602", "error.type": "-32602",
	}
	for _, a := range call.Attributes {
		if a.Value.String != nil && want[a.Key] == *a.Value.String {
			delete(want, a.Key)
		}
	}
	if len(want) > 0 || call.Status.Code != statusError || call.Status.Message != "no such tool" {
		t.Errorf("missing %v, status %+v", want, call.Status)
	}
}
