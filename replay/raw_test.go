package replay

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/wire"
)

// rawServer is a stdio server that shows what it was sent: an answer holds the
// parameters of its request. "pair" is answered when two of them wait, "hang"
// never, "ask" after the client has answered, "news" before a notification. When
// it is left it asks once more. pages are lists of tools.
func rawServer(pages []string) {
	var pair [][]byte
	var asker []byte
	asks := 0
	say := func(format string, a ...any) { fmt.Printf(format+"\n", a...) }
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			say(`{"jsonrpc":"2.0","id":"late","method":"ping"}`)
			return
		}
		var answers []string
		_, batch := wire.ScanMessages(line, func(_ int, m wire.Message) bool {
			echo := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"got":%s}}`, m.ID, cmp.Or(string(m.Params), "null"))
			switch {
			case m.Kind == wire.MsgNotification && string(m.Method) == mcp.NotifyCancelled:
				say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"cancelled"}}`)
			case m.IsResponse():
				say(`{"jsonrpc":"2.0","id":%s,"result":{"got":%s}}`, asker, cmp.Or(string(m.Result), string(m.Error)))
			case m.Kind != wire.MsgRequest:
			case string(m.Method) == "hang":
			case string(m.Method) == "pair":
				if pair = append(pair, slices.Clone(m.ID)); len(pair) == 2 {
					for _, id := range pair {
						say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
					}
					pair = nil
				}
			case string(m.Method) == "ask":
				asks++
				asker = slices.Clone(m.ID)
				say(`{"jsonrpc":"2.0","id":"q%d","method":"elicitation/create","params":%s}`, asks, m.Params)
			case string(m.Method) == mcp.ToolsList && len(pages) > 0:
				at, next := 0, ""
				_, _ = fmt.Sscan(wire.Text(wire.Get(m.Params, "cursor")), &at)
				if at+1 < len(pages) {
					next = fmt.Sprintf(`,"nextCursor":"%d"`, at+1)
				}
				say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]%s}}`, m.ID, pages[at], next)
			case strings.HasPrefix(string(m.Method), "flood"):
				flood(string(m.Method))
			case string(m.Method) == "news":
				say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
				say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			default:
				answers = append(answers, echo)
			}
			return true
		})
		switch {
		case batch && len(answers) > 0:
			say("[%s]", strings.Join(answers, ","))
		case len(answers) > 0:
			say("%s", answers[0])
		}
	}
}

// flood writes until nobody reads: an endless line, endless lines, or stderr.
func flood(what string) {
	out, piece := os.Stdout, strings.Repeat("x", 1<<20)
	switch what {
	case "flood lines":
		piece = strings.Repeat(`{"jsonrpc":"2.0","id":77,"result":{}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/x"}`+"\n", 10_000)
	case "flood stderr":
		out = os.Stderr
	}
	for {
		if _, err := out.WriteString(piece); err != nil {
			os.Exit(3)
		}
	}
}

// tape writes a recording: lines that begin with > or <, a millisecond apart,
// or as many as "+N " in front says.
func tape(t testing.TB, tap, text string) string {
	t.Helper()
	w, err := record.Create(t.TempDir(), record.Header{Tap: tap}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if tap == "stdio" {
		w.Append(&wire.Frame{X: 1, Kind: wire.KindStart, Data: []byte(`{"command":["raw"],"pid":1}`)})
	}
	at := int64(0)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		step := 1
		if strings.HasPrefix(line, "+") {
			_, _ = fmt.Sscanf(line, "+%d", &step)
			_, line, _ = strings.Cut(line, " ")
		}
		if line == "" {
			continue
		}
		at += int64(step) * int64(time.Millisecond)
		f := wire.Frame{T: at, X: 1, Kind: wire.KindLine, EOL: "\n", Dir: wire.Dir(line[0]), Data: []byte(strings.TrimSpace(line[1:]))}
		w.Append(&f)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

// sent returns what a replay sent, from its own recording.
func sent(t *testing.T, r *Report) []string {
	t.Helper()
	var lines []string
	s := load(t, r.Other[0])
	for n := 1; n <= s.reader.Count(); n++ {
		f, err := s.reader.Frame(uint64(n))
		if err != nil {
			t.Fatal(err)
		}
		if f.Kind == wire.KindLine && f.Dir == wire.ToServer {
			lines = append(lines, string(f.Data))
		}
	}
	return lines
}

// Calls that overlapped overlap again: the server answers a pair only.
func TestOverlapIsKept(t *testing.T) {
	path := tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"pair"}
		> {"jsonrpc":"2.0","id":2,"method":"pair"}
		< {"jsonrpc":"2.0","id":2,"result":{}}
		< {"jsonrpc":"2.0","id":1,"result":{}}
		> {"jsonrpc":"2.0","id":3,"method":"echo"}
		< {"jsonrpc":"2.0","id":3,"result":{"got":null}}`)
	allSame(t, replayed(t, path, Options{Command: serve("raw"), Timeout: 5 * time.Second}), 3)
}

// A batch goes out as the batch it was; cancelled and unanswered calls are so
// again.
func TestBatchesCancelledAndUnanswered(t *testing.T) {
	path := tape(t, "stdio", `
		> [{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}, {"jsonrpc":"2.0","id":2,"method":"echo","params":{"b" : 2}}]
		< [{"jsonrpc":"2.0","id":1,"result":{"got":{"a":1}}},{"jsonrpc":"2.0","id":2,"result":{"got":{"b":2}}}]
		> {"jsonrpc":"2.0","id":3,"method":"hang"}
		+20 > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
		> {"jsonrpc":"2.0","id":4,"method":"hang"}
		> {"jsonrpc":"2.0","id":5,"method":"echo"}
		< {"jsonrpc":"2.0","id":5,"result":{"got":null}}`)
	r := replayed(t, path, Options{Command: serve("raw")})
	allSame(t, r, 5)
	lines := sent(t, r)
	if len(lines) != 5 || lines[0] != `[{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}, {"jsonrpc":"2.0","id":2,"method":"echo","params":{"b" : 2}}]` {
		t.Errorf("sent: %q", lines)
	}
}

// The server's questions are answered by their content, whatever their order.
func TestQuestionsAreAnsweredByContent(t *testing.T) {
	recording := tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"ask","params":{"message":"colour?"}}
		< {"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"size?"}}
		> {"jsonrpc":"2.0","id":"q1","result":{"action":"accept","content":{"v":"big"}}}
		< {"jsonrpc":"2.0","id":"q2","method":"elicitation/create","params":{"message":"colour?"}}
		> {"jsonrpc":"2.0","id":"q2","result":{"action":"accept","content":{"v":"red"}}}
		< {"jsonrpc":"2.0","id":1,"result":{}}`)
	r := replayed(t, recording, Options{Command: serve("raw")})
	if got := strings.Join(sent(t, r), "\n"); !strings.Contains(got, `{"jsonrpc":"2.0","id":"q1","result":{"action":"accept","content":{"v":"red"}}}`) {
		t.Errorf("sent: %s", got)
	}
	unasked := tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"ask","params":{"message":"colour?"}}
		< {"jsonrpc":"2.0","id":1,"result":{}}`)
	r = replayed(t, unasked, Options{Command: serve("raw")})
	if got := strings.Join(sent(t, r), "\n"); !strings.Contains(got, `"id":"q1","error"`) || !strings.Contains(fmt.Sprint(r.Problems), "elicitation/create, which nobody recorded") {
		t.Errorf("sent: %s\nproblems: %v", got, r.Problems)
	}
}

// What a client did after news waits for the news; without news it goes on.
func TestNewsIsWaitedFor(t *testing.T) {
	for _, method := range []string{"news", "echo"} {
		path := tape(t, "stdio", `
			> {"jsonrpc":"2.0","id":1,"method":"`+method+`"}
			< {"jsonrpc":"2.0","id":1,"result":{}}
			< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
			> {"jsonrpc":"2.0","id":2,"method":"echo"}
			< {"jsonrpc":"2.0","id":2,"result":{"got":null}}`)
		r := replayed(t, path, Options{Command: serve("raw")})
		if missing := len(r.Problems) == 1; missing != (method == "echo") {
			t.Errorf("%s: problems %v", method, r.Problems)
		}
	}
}

// A recording that was cut off, or began late, replays as far as it goes.
func TestDamagedRecordings(t *testing.T) {
	path := tape(t, "stdio, begun late", `
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
	r := replayed(t, torn, Options{Command: serve()})
	remarks := strings.Join(r.Remarks, "\n")
	if !strings.Contains(remarks, "middle of a line") || !strings.Contains(remarks, "began before the recording") {
		t.Errorf("remarks: %s", remarks)
	}
	if r.Count(Broken) > 0 || !strings.Contains(sent(t, r)[0], `"method":"initialize"`) {
		t.Errorf("no handshake was made: %v", r.Outcomes)
	}
}

// An interruption leaves a readable recording, and the report says what was
// done until then.
func TestInterruption(t *testing.T) {
	path := tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"echo"}
		< {"jsonrpc":"2.0","id":1,"result":{"got":null}}
		> {"jsonrpc":"2.0","id":2,"method":"hang"}
		< {"jsonrpc":"2.0","id":2,"result":{}}`)
	p, err := load(t, path).Plan(PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	r, err := p.Run(ctx, Options{Command: serve("raw"), Record: library(t), Step: func(context.Context, int32) error {
		if steps++; steps == 2 {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		return nil
	}})
	if err == nil || r.Count(Same) != 1 {
		t.Errorf("%v, %v", err, r.Outcomes)
	}
	if got := load(t, r.Other[0]); len(got.Calls) != 2 || len(got.Remarks) > 0 {
		t.Errorf("its recording: %d calls, %v", len(got.Calls), got.Remarks)
	}
}
