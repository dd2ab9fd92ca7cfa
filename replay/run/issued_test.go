package run

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session/wire"
)

// TestIDsArePairedByValue: a server may spell an id in another way than the client.
func TestIDsArePairedByValue(t *testing.T) {
	t.Parallel()
	s := &rawHTTP{odd: func(w http.ResponseWriter, _ *http.Request, m wire.Message) bool {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%q,"result":{"a":1}}`, wire.Text(m.ID))
		return true
	}}
	url := s.start(t)
	path := replaytest.OverHTTP(t, url, func(origin string) {
		for _, id := range []string{`"req\/1"`, `"\u0072eq2"`} {
			post(t, t.Context(), origin, `{"jsonrpc":"2.0","id":`+id+`,"method":"echo"}`)
		}
	})
	allSame(t, replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}, Timeout: 5 * time.Second}), 2)
}

// TestHandleWithoutANameIsSent: the number that the new server gave is sent, and its results
// are the same.
func TestHandleWithoutANameIsSent(t *testing.T) {
	t.Parallel()
	number, s := 41, &rawHTTP{}
	s.answer(func(w http.ResponseWriter, _ *http.Request, m wire.Message) bool {
		w.Header().Set("Content-Type", "application/json")
		if got := wire.Get(m.Params, "arguments", "issue_number"); got != nil && string(got) != fmt.Sprint(number) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"not found"}}`, m.ID)
		} else {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"{\"number\":%d}"}]}}`, m.ID, number)
		}
		return true
	})
	url := s.start(t)
	path := replaytest.OverHTTP(t, url, func(origin string) {
		post(t, t.Context(), origin, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_issue"}}`)
		post(t, t.Context(), origin, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"close_issue","arguments":{"issue_number":41}}}`)
	})
	number = 52
	r := replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}})
	if v := verdicts(r); len(v) > 1 || v["tools/call close_issue"] != replay.Same || r.Substituted != 1 {
		t.Errorf("%v, %d substituted: %+v", v, r.Substituted, r.Outcomes)
	}
}

// TestFixedServerIssuesAnID: where the recorded server issued no session id, the one that the
// new server issues is sent with every later request, and the session is closed.
func TestFixedServerIssuesAnID(t *testing.T) {
	t.Parallel()
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	s, fixed, closed := &rawHTTP{}, false, 0
	s.answer(func(w http.ResponseWriter, r *http.Request, m wire.Message) bool {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodDelete:
			closed++
		case string(m.Method) == "initialize":
			if fixed {
				w.Header().Set("Mcp-Session-Id", "issued-now")
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, m.ID)
		case !fixed || r.Header.Get("Mcp-Session-Id") != "issued-now":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			return false
		}
		return true
	})
	url := s.start(t)
	path := replaytest.OverHTTP(t, url, func(origin string) {
		for _, body := range []string{initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":3,"method":"echo"}`} {
			post(t, t.Context(), origin, body)
		}
	})
	fixed = true
	r := replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}})
	if r.Count(replay.Fixed) != 2 || r.Count(replay.Same) != 1 || closed != 1 {
		t.Errorf("%v, closed %d times, %v", verdicts(r), closed, r.Problems)
	}
}

// TestSessionInTheQuery: a session that is named in the query is the one that is issued now.
func TestSessionInTheQuery(t *testing.T) {
	t.Parallel()
	id, s := "5f0c1d2e3a4b5c6d", &rawHTTP{}
	s.answer(func(w http.ResponseWriter, r *http.Request, m wire.Message) bool {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case string(m.Method) == "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"_meta":{"session_id":%q},"serverInfo":{"name":"s","version":"1"}}}`, m.ID, id)
		case r.URL.Query().Get("sid") != id:
			w.WriteHeader(http.StatusNotFound)
		default:
			return false
		}
		return true
	})
	target := s.start(t)
	path := replaytest.OverHTTP(t, target, func(origin string) {
		post(t, t.Context(), origin+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		post(t, t.Context(), origin+"/mcp?sid="+id, `{"jsonrpc":"2.0","id":2,"method":"echo"}`)
	})
	id = "99887766554433ff"
	allSame(t, replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, target)}}), 2)
}

// TestSessionsByOtherNames: a session that its client names in the query, or in _meta, is
// replayed as it was recorded, without a handshake that nobody made; and the id that a fixed
// server issues now is sent with the latter.
func TestSessionsByOtherNames(t *testing.T) {
	t.Parallel()
	s, issues, initialized := &rawHTTP{}, "", 0
	s.answer(func(w http.ResponseWriter, r *http.Request, m wire.Message) bool {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case string(m.Method) == "initialize":
			if initialized++; issues != "" {
				w.Header().Set("Mcp-Session-Id", issues)
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, m.ID)
		case r.URL.Path == "/q" && r.URL.Query().Get("session_id") != "abc123", r.Header.Get("Mcp-Session-Id") != issues && r.URL.Path != "/q":
			w.WriteHeader(http.StatusBadRequest)
		default:
			return false
		}
		return true
	})
	target := s.start(t)
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	const meta = `{"jsonrpc":"2.0","id":%d,"method":"echo","params":{"_meta":{"session_id":"test123"}}}`
	for name, c := range map[string]struct {
		record           func(origin string)
		issues           string
		calls, handshake int
	}{
		"query": {func(origin string) {
			post(t, t.Context(), origin+"/q?session_id=abc123", initialize)
			post(t, t.Context(), origin+"/q?session_id=abc123", `{"jsonrpc":"2.0","id":2,"method":"echo"}`)
		}, "", 2, 1},
		"query, one request": {func(origin string) {
			post(t, t.Context(), origin+"/q?session_id=abc123", `{"jsonrpc":"2.0","id":2,"method":"echo"}`)
		}, "", 1, 0},
		"meta, one request": {func(origin string) { post(t, t.Context(), origin+"/m", fmt.Sprintf(meta, 1)) }, "", 1, 0},
		"meta": {func(origin string) {
			post(t, t.Context(), origin+"/m", initialize)
			post(t, t.Context(), origin+"/m", fmt.Sprintf(meta, 2))
		}, "issued-now", 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			issues = ""
			path := replaytest.OverHTTP(t, target, c.record)
			initialized, issues = 0, c.issues
			allSame(t, replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, target)}}), c.calls)
			if initialized != c.handshake {
				t.Errorf("%d handshakes", initialized)
			}
		})
	}
}
