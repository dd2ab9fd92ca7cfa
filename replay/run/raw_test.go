package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
)

// Calls that overlapped overlap again: the server answers a pair only.
func TestOverlapIsKept(t *testing.T) {
	path := replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"pair"}
		> {"jsonrpc":"2.0","id":2,"method":"pair"}
		< {"jsonrpc":"2.0","id":2,"result":{}}
		< {"jsonrpc":"2.0","id":1,"result":{}}
		> {"jsonrpc":"2.0","id":3,"method":"echo"}
		< {"jsonrpc":"2.0","id":3,"result":{"got":null}}`)
	allSame(t, replayed(t, path, Options{Server: peer.Server{Command: replaytest.Serve("raw")}, Timeout: 5 * time.Second}), 3)
}

// A batch goes out as the batch it was; cancelled and those without a response are so
// again.
func TestBatchesCancelledAndUnanswered(t *testing.T) {
	t.Parallel()
	path := replaytest.Tape(t, "stdio", `
		> [{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}, {"jsonrpc":"2.0","id":2,"method":"echo","params":{"b" : 2}}]
		< [{"jsonrpc":"2.0","id":1,"result":{"got":{"a":1}}},{"jsonrpc":"2.0","id":2,"result":{"got":{"b":2}}}]
		> {"jsonrpc":"2.0","id":3,"method":"hang"}
		+20 > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
		> {"jsonrpc":"2.0","id":4,"method":"hang"}
		> {"jsonrpc":"2.0","id":5,"method":"echo"}
		< {"jsonrpc":"2.0","id":5,"result":{"got":null}}`)
	r := replayed(t, path, Options{Server: peer.Server{Command: replaytest.Serve("raw")}})
	allSame(t, r, 5)
	lines := replaytest.Sent(t, r.Other[0])
	if len(lines) != 5 || lines[0] != `[{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}, {"jsonrpc":"2.0","id":2,"method":"echo","params":{"b" : 2}}]` {
		t.Errorf("sent: %q", lines)
	}
}

// Requests of the server get responses by their content, whatever their order.
func TestQuestionsAreAnsweredByContent(t *testing.T) {
	t.Parallel()
	recording := replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"ask","params":{"message":"colour?"}}
		< {"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"size?"}}
		> {"jsonrpc":"2.0","id":"q1","result":{"action":"accept","content":{"v":"big"}}}
		< {"jsonrpc":"2.0","id":"q2","method":"elicitation/create","params":{"message":"colour?"}}
		> {"jsonrpc":"2.0","id":"q2","result":{"action":"accept","content":{"v":"red"}}}
		< {"jsonrpc":"2.0","id":1,"result":{}}`)
	r := replayed(t, recording, Options{Server: peer.Server{Command: replaytest.Serve("raw")}})
	if got := strings.Join(replaytest.Sent(t, r.Other[0]), "\n"); !strings.Contains(got, `{"jsonrpc":"2.0","id":"q1","result":{"action":"accept","content":{"v":"red"}}}`) {
		t.Errorf("sent: %s", got)
	}
	unasked := replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"ask","params":{"message":"colour?"}}
		< {"jsonrpc":"2.0","id":1,"result":{}}`)
	r = replayed(t, unasked, Options{Server: peer.Server{Command: replaytest.Serve("raw")}})
	if got := strings.Join(replaytest.Sent(t, r.Other[0]), "\n"); !strings.Contains(got, `"id":"q1","error"`) || !strings.Contains(fmt.Sprint(r.Problems), "elicitation/create, which is not in the recording") {
		t.Errorf("sent: %s\nproblems: %v", got, r.Problems)
	}
}

// What a client did after news waits for the news; without news it goes on.
func TestNewsIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"news", "echo"} {
		path := replaytest.Tape(t, "stdio", `
			> {"jsonrpc":"2.0","id":1,"method":"`+method+`"}
			< {"jsonrpc":"2.0","id":1,"result":{}}
			< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
			> {"jsonrpc":"2.0","id":2,"method":"echo"}
			< {"jsonrpc":"2.0","id":2,"result":{"got":null}}`)
		r := replayed(t, path, Options{Server: peer.Server{Command: replaytest.Serve("raw")}})
		if missing := len(r.Problems) == 1; missing != (method == "echo") {
			t.Errorf("%s: problems %v", method, r.Problems)
		}
	}
}

// A recording that was cut off, or began late, replays as far as it goes.
func TestDamagedRecordings(t *testing.T) {
	t.Parallel()
	path := replaytest.Tape(t, "stdio, begun late", `
		> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"count","arguments":{"name":"a.md"}}}
		< {"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":{"words":3,"took_ms":1,"trace_id":"K2J4H5G6F7D8S9A1","read_at":"2026-01-01T00:00:00Z"}}}
		> {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"wait","arguments":{"name":"a.md"}}}`)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(t.TempDir(), "torn.jsonl")
	if err := os.WriteFile(torn, data[:len(data)-90], 0o600); err != nil {
		t.Fatal(err)
	}
	r := replayed(t, torn, Options{Server: peer.Server{Command: replaytest.Serve()}})
	remarks := strings.Join(r.Remarks, "\n")
	if !strings.Contains(remarks, "middle of a line") || !strings.Contains(remarks, "began before the recording") {
		t.Errorf("remarks: %s", remarks)
	}
	if r.Count(replay.Broken) > 0 || !strings.Contains(replaytest.Sent(t, r.Other[0])[0], `"method":"initialize"`) {
		t.Errorf("no handshake was made: %v", r.Outcomes)
	}
}

// An interruption leaves a readable recording, and the report says what was
// done until then, also when a response comes while the server is left.
func TestInterruption(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"hang", "late"} {
		path := replaytest.Tape(t, "stdio", `
			> {"jsonrpc":"2.0","id":1,"method":"echo"}
			< {"jsonrpc":"2.0","id":1,"result":{"got":null}}
			> {"jsonrpc":"2.0","id":2,"method":"`+last+`"}
			< {"jsonrpc":"2.0","id":2,"result":{}}`)
		p, err := load(t, path).Plan(replay.PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r, err := Run(ctx, p, Options{
			Server: peer.Server{Command: replaytest.Serve("raw"), Record: replaytest.Library(t)},
			Seen:   func(*replay.Outcome) { time.AfterFunc(50*time.Millisecond, cancel) },
		})
		if err == nil || r.Count(replay.Same) != 1 || len(r.Outcomes) != 1 || len(r.Problems) > 0 {
			t.Errorf("%s: %v, %v, %v", last, err, r.Outcomes, r.Problems)
		}
		if got := load(t, r.Other[0]); len(got.Calls) != 2 || len(got.Remarks) > 0 {
			t.Errorf("%s: its recording: %d calls, %v", last, len(got.Calls), got.Remarks)
		}
	}
}
