package offers

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"midwire/replay/resilience"
	"midwire/session/mcp"
	"midwire/session/wire"
)

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`
	call       = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}`
)

// post sends a message, and returns the messages that come back.
func post(t *testing.T, url, id, body string) (head http.Header, all [][]byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if id != "" {
		req.Header.Set(mcp.HeaderSessionID, id)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		return resp.Header, [][]byte{raw}
	}
	var events wire.EventFramer
	events.Feed(raw, func(block []byte) {
		if e := wire.ParseEvent(block); len(e.Data) > 0 {
			all = append(all, bytes.Clone(e.Data))
		}
	})
	return resp.Header, all
}

// TestHTTP: whatever its spelling, each offer is correct: the call gets its response, and
// what is an offer is marked so that the recording tells it.
func TestHTTP(t *testing.T) {
	for _, f := range resilience.Offers(0) {
		if f.Name == "resumed-stream" || f.Name == "ping" { // it takes another request
			continue
		}
		srv := httptest.NewServer(&handler{Server: &Server{Offer: f.Name}, sessions: map[string]*session{}})
		head, first := post(t, srv.URL, "", initialize)
		id := head.Get(mcp.HeaderSessionID)
		if (id == "") != (f.Name == "no-session-id") || len(first) != 1 || !json.Valid(first[0]) {
			t.Errorf("%s: session %q begins with %q", f.Name, id, first)
		}
		head, all := post(t, srv.URL, id, call)
		last := all[len(all)-1]
		m, ok := wire.ScanMessage(last)
		if !ok || m.Kind != wire.MsgResult || string(m.ID) != "1" || !json.Valid(last) {
			t.Errorf("%s: the call gets %q", f.Name, all)
		}
		if strings.HasSuffix(f.Name, "-events") && head.Get(resilience.OfferField) != f.Name {
			t.Errorf("%s: the stream is not marked", f.Name)
		}
		srv.Close()
	}
}

// TestStdio: requests get responses, each a line, and what is no message or asks for what is
// not there does not end the server.
func TestStdio(t *testing.T) {
	const initialized, nonsense = `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"nonsense"}`
	in := strings.Join([]string{initialize, "no message", initialized, call, nonsense}, "\n") + "\n"
	for _, f := range resilience.Offers(0) {
		if f.HTTP || f.Name == "ping" {
			continue
		}
		var out bytes.Buffer
		if err := (&Server{Offer: f.Name}).Stdio(strings.NewReader(in), &out); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		got := map[string]wire.MessageKind{}
		for line := range strings.Lines(out.String()) {
			m, ok := wire.ScanMessage([]byte(strings.TrimSpace(line)))
			if !ok {
				t.Errorf("%s: %q", f.Name, line)
			} else if m.IsResponse() {
				got[string(m.ID)] = m.Kind
			}
		}
		if got["0"] != wire.MsgResult || got["1"] != wire.MsgResult || got["2"] != wire.MsgError || len(got) != 3 {
			t.Errorf("%s: %v\n%s", f.Name, got, out.String())
		}
	}
}
