package telemetry

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"midwire/session/record"
	"midwire/session/words/wordstest"
)

// scrape reads metrics as strictly as the format is defined: samples by name and labels.
func scrape(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if got := w.Header().Get("Content-Type"); got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Error(got)
	}
	sample := regexp.MustCompile(`^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$`)
	all, families, family := map[string]float64{}, map[string]bool{}, ""
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			word := strings.Fields(rest)
			if family = word[1]; word[0] == "HELP" && families[family] {
				t.Errorf("family %s comes twice", family)
			}
			families[family] = true
			continue
		}
		part := sample.FindStringSubmatch(line)
		if part == nil || !strings.HasPrefix(part[1], family) {
			t.Errorf("in %s: %q", family, line)
			continue
		}
		value, err := strconv.ParseFloat(part[3], 64)
		key := part[1] + "{" + part[2] + "}"
		if _, twice := all[key]; err != nil || twice || strings.ContainsAny(line, "\x1b\r\x00") {
			t.Errorf("%q: %v, twice: %v", line, err, twice)
		}
		all[key] = value
	}
	return all
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	p := newProxied(t, private(t), record.Header{})
	p.handshake()
	p.call("1", "add")
	p.line('>', `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nope"}}`)
	p.line('<', `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no such tool"}}`)
	p.line('>', `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add"}}`)
	p.line('<', `{"jsonrpc":"2.0","id":3,"result":{"content":[],"isError":true}}`)
	p.line('>', `{"jsonrpc":"2.0","id":4,"method":"ping"}`)
	p.Close()
	m := &Metrics{Version: "v1", Sender: &Sender{}}
	if err := m.Read(t.Context(), nil, p.Path()); err != nil {
		t.Fatal(err)
	}
	got := scrape(t, m)
	const add = `mcp_method_name="tools/call",gen_ai_tool_name="add",network_transport="pipe",mcp_protocol_version="2025-06-18"`
	const failed = `mcp_method_name="tools/call",gen_ai_tool_name="add",error_type="tool_error",network_transport="pipe",mcp_protocol_version="2025-06-18"`
	for key, want := range map[string]float64{
		`mcp_client_operation_duration_seconds_bucket{` + add + `,le="0.01"}`: 1,
		`mcp_client_operation_duration_seconds_bucket{` + add + `,le="+Inf"}`: 1,
		`mcp_client_operation_duration_seconds_sum{` + add + `}`:              0.01,
		`mcp_client_operation_duration_seconds_count{` + failed + `}`:         1,
		`mcp_server_operation_duration_seconds_count{` + failed + `}`:         1,
		// What a client should not have asked is an error of its own only.
		`mcp_client_operation_duration_seconds_count{mcp_method_name="tools/call",gen_ai_tool_name="nope",error_type="-32602",rpc_response_status_code="-32602",network_transport="pipe",mcp_protocol_version="2025-06-18"}`: 1,
		`mcp_server_operation_duration_seconds_count{mcp_method_name="tools/call",gen_ai_tool_name="nope",rpc_response_status_code="-32602",network_transport="pipe",mcp_protocol_version="2025-06-18"}`:                     1,
		`mcp_client_operation_duration_seconds_count{mcp_method_name="ping",error_type="no_answer",network_transport="pipe",mcp_protocol_version="2025-06-18"}`:                                                              1,
		`mcp_client_session_duration_seconds_count{network_transport="pipe",mcp_protocol_version="2025-06-18"}`:                                                                                                              1,
		`midwire_frames_total{kind="line",direction="to_server"}`: 6,
		`midwire_otlp_spans_total{outcome="taken"}`:               0,
		`midwire_lost_bytes_total{}`:                              0,
	} {
		if v, ok := got[key]; !ok || v != want {
			t.Errorf("%s: %v, %v, want %v", key, v, ok, want)
		}
	}
}

// TestSidesOfAHub: a recording of one side has that side's times only.
func TestSidesOfAHub(t *testing.T) {
	t.Parallel()
	for side, want := range map[string]string{"client": "mcp_client_", "server": "mcp_server_"} {
		p := newProxied(t, private(t), record.Header{Side: side})
		p.handshake()
		p.Close()
		var m Metrics
		if err := m.Read(t.Context(), nil, p.Path()); err != nil {
			t.Fatal(err)
		}
		for key := range scrape(t, &m) {
			if strings.HasPrefix(key, "mcp_") && !strings.HasPrefix(key, want) {
				t.Errorf("of the side of the %s: %s", side, key)
			}
		}
	}
}

// TestHostileLabels: peers choose methods, tools and versions; a page stays small, and is
// one.
func TestHostileLabels(t *testing.T) {
	t.Parallel()
	p := newProxied(t, private(t), record.Header{})
	p.handshake()
	for i := range 1500 {
		p.call(fmt.Sprint(i+1), fmt.Sprintf(`t%d\"} 1\nevil{a=\"\u001b[31m\u202e\\%s`, i, strings.Repeat("x", 500)))
	}
	for i := range 500 {
		p.line('>', fmt.Sprintf(`{"jsonrpc":"2.0","id":"m%d","method":"m%d%s"}`, i, i, strings.Repeat("é", 400)))
		p.line('<', fmt.Sprintf(`{"jsonrpc":"2.0","id":"m%d","error":{"code":%d,"message":"x"}}`, i, i))
	}
	p.call("9000", strings.Repeat("y", 4<<20))
	p.Close()
	var m Metrics
	if err := m.Read(t.Context(), nil, p.Path()); err != nil {
		t.Fatal(err)
	}
	got := scrape(t, &m)
	if len(got) > 4*(maxSeries+8)*17+100 {
		t.Errorf("%d samples", len(got))
	}
	sum, size := 0.0, 0
	for key, v := range got {
		size += len(key)
		if strings.HasPrefix(key, "mcp_client_operation_duration_seconds_count") {
			sum += v
		}
	}
	if sum != 2002 || size > 8<<20 {
		t.Errorf("%v calls are counted, in %d bytes", sum, size)
	}
	if got[`mcp_client_operation_duration_seconds_count{mcp_method_name="other",gen_ai_tool_name="other",network_transport="pipe",mcp_protocol_version="other"}`] < 1000 {
		t.Error("the rest is not counted under other")
	}
}

func FuzzLabel(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s)
	}
	f.Add("a\"\\\n\x1b]0;x\a")
	whole := regexp.MustCompile(`^a_b="(?:[^"\\\n]|\\[\\"n])*"$`)
	f.Fuzz(func(t *testing.T, value string) {
		got := label("a.b", value)
		if !whole.MatchString(got) || len(got) > 6*maxLabel+40 {
			t.Errorf("%q: %q", value, got)
		}
	})
}
