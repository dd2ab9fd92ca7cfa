package telemetry

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"midwire/session/record"
)

func from(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		given string
		env   []string
		want  string // URL and headers, or what of the error
	}{
		{"http://127.0.0.1:4318", nil, "http://127.0.0.1:4318/v1/traces map[]"},
		{"http://127.0.0.1:4318/", nil, "http://127.0.0.1:4318/v1/traces map[]"},
		{"https://x.example/otlp", nil, "https://x.example/otlp/v1/traces map[]"},
		{"https://x.example/otlp/v1/traces", nil, "https://x.example/otlp/v1/traces map[]"},
		{"http://[::1]:4318", nil, "http://[::1]:4318/v1/traces map[]"},
		{"http://x.example?key=1#f", nil, "http://x.example/v1/traces?key=1 map[]"},
		{"env", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"}, "http://c:4318/v1/traces map[]"},
		{"env", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c:4318/x/", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://d"}, "http://c:4318/x/ map[]"},
		{"env", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c:4318"}, "http://c:4318/ map[]"},
		{"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "Api-Key=a%20b, x=y"}, "http://c/v1/traces map[Api-Key:[a b] X:[y]]"},
		{"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "k=v", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, "http://c/v1/traces map[K:[v]]"},
		{"http://other", []string{"OTEL_EXPORTER_OTLP_HEADERS", "k=v", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, "http://other/v1/traces map[] OTEL_EXPORTER_OTLP_HEADERS are not sent: they are for c"},
		{"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "k=v", "OTEL_EXPORTER_OTLP_ENDPOINT", "https://c"}, "http://c/v1/traces map[] OTEL_EXPORTER_OTLP_HEADERS are not sent: they are for c"},
		{"localhost:4318", nil, "no URL"},
		{"ftp://x", nil, "no URL"},
		{"http://", nil, "no URL"},
		{"http://:4318", nil, "no URL"},
		{"http://a b", nil, "no URL"},
		{"env", nil, "neither OTEL_EXPORTER_OTLP_ENDPOINT"},
		{"env", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, "no URL"},
		{"env", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"}, "is grpc"},
		{"env", []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c", "OTEL_SDK_DISABLED", "true"}, "OTEL_SDK_DISABLED"},
		{"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "a=b\r\nX: y"}, "OTEL_EXPORTER_OTLP_HEADERS is"},
		{"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "a=%0d%0aX: secret"}, "OTEL_EXPORTER_OTLP_HEADERS is"},
		{"http://c", []string{"OTEL_EXPORTER_OTLP_HEADERS", "secret"}, "OTEL_EXPORTER_OTLP_HEADERS is"},
		{"http://c", []string{"OTEL_EXPORTER_OTLP_TIMEOUT", "10s"}, "OTEL_EXPORTER_OTLP_TIMEOUT"},
		{"https://c", []string{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere/ca.pem"}, "OTEL_EXPORTER_OTLP_CERTIFICATE"},
	} {
		e, err := Parse(c.given, from(c.env...))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = strings.TrimSpace(fmt.Sprint(e.URL, " ", e.Header, " ", e.Warning))
		}
		if !strings.HasPrefix(got, c.want) && (err == nil || !strings.Contains(got, c.want)) || strings.Contains(got, "secret") {
			t.Errorf("%s %v: %s, want %s", c.given, c.env, got, c.want)
		}
	}
	e, err := Parse("http://c", from("OTEL_EXPORTER_OTLP_TIMEOUT", "250", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip",
		"OTEL_SERVICE_NAME", "shop", "OTEL_RESOURCE_ATTRIBUTES", "service.name=no,team=a%2Cb,,odd"))
	if err != nil || e.Timeout != 250*time.Millisecond || !e.Gzip || fmt.Sprint(e.Resource) != "[team a,b service.name shop]" {
		t.Errorf("%+v %v", e, err)
	}
}

// TestSecretsOfTheCollector: its credentials reach it and no one else, and are said and
// written nowhere.
func TestSecretsOfTheCollector(t *testing.T) {
	t.Parallel()
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer thief.Close()
	c, dir := newCollector(t), private(t)
	c.will(status(503), status(308, "Location", thief.URL))
	p := newProxied(t, dir, record.Header{})
	p.handshake()
	p.Close()
	given := strings.Replace(c.URL, "://", "://user:hunter2@", 1) + "?token=hunter3"
	e, err := Parse(given, from("OTEL_EXPORTER_OTLP_HEADERS", "api-key=hunter4", "OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"))
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	s := &Sender{Endpoint: e, first: time.Millisecond, Say: func(err error) { fmt.Fprintln(&said, err) }}
	if err := s.Send(t.Context(), nil, p.Path()); err != nil || s.Refused.Load() != 3 {
		t.Errorf("%v, dropped %d", err, s.Refused.Load())
	}
	s.said = time.Time{}
	c.will(status(200))
	s.Again = true
	if err := s.Send(t.Context(), nil, p.Path()); err != nil {
		t.Error(err)
	}
	for _, h := range c.heads {
		if h.Get("Api-Key") != "hunter4" || !strings.HasPrefix(h.Get("Authorization"), "Basic ") || h.Get("Content-Encoding") != "gzip" {
			t.Errorf("%v", h)
		}
	}
	c.Close()
	s.said = time.Time{}
	s.Attempts = 1
	if err := s.Send(t.Context(), nil, p.Path()); err == nil {
		t.Error("it was sent to no one")
	} else {
		fmt.Fprintln(&said, err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		said.Write(data)
	}
	if strings.Contains(said.String(), "hunter") || !strings.Contains(said.String(), "/v1/traces") {
		t.Errorf("%s", &said)
	}
}

// TestTLS: a certificate that no one vouches for is not accepted, one of the file is.
func TestTLS(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	safe := httptest.NewTLSServer(c)
	defer safe.Close()
	safe.Config.ErrorLog = nil
	p := newProxied(t, private(t), record.Header{})
	p.handshake()
	p.Close()
	e, err := Parse(safe.URL, from())
	if err != nil {
		t.Fatal(err)
	}
	s := &Sender{Endpoint: e, Attempts: 1}
	if err := s.Send(t.Context(), nil, p.Path()); err == nil || len(c.got()) > 0 {
		t.Errorf("it was sent to anyone: %v", err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	cert := safe.Certificate()
	if err := os.WriteFile(file, pemOf(cert.Raw), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err = Parse(safe.URL, from("OTEL_EXPORTER_OTLP_CERTIFICATE", file)); err != nil {
		t.Fatal(err)
	}
	s = &Sender{Endpoint: e, Attempts: 1}
	if err := s.Send(t.Context(), nil, p.Path()); err != nil || len(c.got()) != 3 {
		t.Errorf("%v %v", err, c.names())
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(200, `{"partialSuccess":{"rejectedSpans":"1","errorMessage":"x"}}`, "")
	f.Add(429, "", "Wed, 21 Oct 2099 07:28:00 GMT")
	f.Add(503, "{", "99999999999999999999")
	f.Fuzz(func(t *testing.T, code int, body, after string) {
		resp := &http.Response{StatusCode: code, Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(strings.NewReader(body))}
		a := judge(resp, []byte(body), nil)
		if a.after < 0 || a.after > longestAfter || a.rejected < 0 || len(a.why) > 200 {
			t.Errorf("%+v", a)
		}
		if d := wait(1+len(body)%2000, firstWait, a.after); d < 0 || d > max(longestWait, longestAfter) {
			t.Errorf("waits %v", d)
		}
	})
}

func pemOf(der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}) }
