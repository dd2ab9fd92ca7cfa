package run

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session/record"
)

// A server that sends without end is not read without end: the replay is over,
// says why, and counts it as a difference.
func TestFloods(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{"flood": "a message of more than 64 MiB", "flood lines": "not listened to any more", "flood stderr": "not listened to any more"} {
		t.Run(method, func(t *testing.T) {
			path := replaytest.Tape(t, "stdio", `
				> {"jsonrpc":"2.0","id":1,"method":"`+method+`"}
				< {"jsonrpc":"2.0","id":1,"result":{}}`)
			opt := Options{Server: peer.Server{Command: replaytest.Serve("raw"), Record: func(record.Header) *record.Writer { return record.Discard() }}, mostTotal: 1 << 30}
			if method != "flood" {
				opt.mostTotal = 8 << 20
			}
			r := replayed(t, path, opt)
			if r.Count(replay.Broken) != 1 || len(r.Problems) == 0 || !strings.Contains(r.Problems[0].Text, want) || !strings.Contains(r.Outcomes[0].Note, want) {
				t.Errorf("%v %v", r.Outcomes, r.Problems)
			}
		})
	}
}

// The same over HTTP: bodies, events, and streams of many. The server counts
// what it could send.
func TestFloodsOverHTTP(t *testing.T) {
	t.Parallel()
	path := replaytest.Transcript(t, record.Header{Tap: "http"}, `1.1 > POST /mcp | Content-Type: application/json || {"jsonrpc":"2.0","id":1,"method":"echo"}`+
		"\n"+`1.1 < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{}}`)
	for name, tt := range map[string]struct {
		media, piece string
		total        int64
		want         string
	}{
		"body":    {"application/json", strings.Repeat(" ", 1<<20), 1 << 30, "a message of more than 64 MiB"},
		"event":   {"text/event-stream", "data: " + strings.Repeat("x", 1<<20) + "\n", 1 << 30, "a message of more than 64 MiB"},
		"comment": {"text/event-stream", ": " + strings.Repeat("x", 1<<20), 1 << 30, "a message of more than 64 MiB"},
		"events":  {"text/event-stream", strings.Repeat("id: 1\ndata: {}\n\n", 1<<16), 8 << 20, "not listened to any more"},
	} {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.media)
				for {
					n, err := io.WriteString(w, tt.piece)
					if sent.Add(int64(n)); err != nil {
						return
					}
				}
			}))
			t.Cleanup(srv.Close)
			r := replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, srv.URL), Record: func(record.Header) *record.Writer { return record.Discard() }}, mostTotal: tt.total})
			if r.Count(replay.Broken) != 1 || !strings.Contains(r.Outcomes[0].Note, tt.want) || len(r.Problems) == 0 {
				t.Errorf("%v %v", r.Outcomes, r.Problems)
			}
			// What is not read stays in the buffers of sockets and the proxy's queue.
			if got, most := sent.Load(), int64(replay.MaxMessage+128<<20); got > most {
				t.Errorf("the server could send %d MiB", got>>20)
			}
		})
	}
}

// Of many large answers at once few are held: the others wait for their turn,
// and all of them come.
func TestLargeAnswersWaitForEachOther(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for id := range 12 {
		lines.WriteString(strings.NewReplacer("C", string(rune('1'+id/10))+string(rune('0'+id%10)), "ID", string(rune('a'+id))).Replace(
			`C.C > POST /mcp | Content-Type: application/json || {"jsonrpc":"2.0","id":"ID","method":"echo"}` + "\n"))
	}
	for id := range 12 {
		lines.WriteString(strings.NewReplacer("C", string(rune('1'+id/10))+string(rune('0'+id%10)), "ID", string(rune('a'+id))).Replace(
			`C.C < 200 application/json || {"jsonrpc":"2.0","id":"ID","result":{"got":1}}` + "\n"))
	}
	path := replaytest.Transcript(t, record.Header{Tap: "http"}, lines.String())
	long := strings.Repeat("x", 3<<20)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, rest, _ := strings.Cut(string(body), `"id":"`)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"`+rest[:1]+`","result":{"got":"`+long+`"}}`)
	}))
	t.Cleanup(srv.Close)
	r := replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, srv.URL)}, Timeout: time.Minute})
	if r.Count(replay.Changed) != 12 || len(r.Problems) > 0 {
		t.Errorf("%d changed of %d, %v", r.Count(replay.Changed), len(r.Outcomes), r.Problems)
	}
}
