package resilience

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"midwire/fixtures/transcript"
	"midwire/replay/checks"
	"midwire/session/diagnose/rules"
	"midwire/session/wire"
)

const session1 = `tap http
1 open {"client":"127.0.0.1:5"}
` + hello1

const hello1 = `1.1 > POST /mcp | Accept: application/json, text/event-stream || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"someone","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-Id: s1 || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"it","version":"1"}}}
1.2 > POST /mcp | Mcp-Session-Id: s1 | MCP-Protocol-Version: 2025-11-25 || {"jsonrpc":"2.0","method":"notifications/initialized"}
1.2 < 202 ||
`

const began2 = `2 open {"client":"127.0.0.1:6"}
2.21 > POST /mcp | Accept: application/json, text/event-stream || {"jsonrpc":"2.0","id":20,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"someone","version":"1"}}}
2.21 < 200 application/json | Mcp-Session-Id: s2 || {"jsonrpc":"2.0","id":20,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"it","version":"1"}}}
2.22 > POST /mcp | Mcp-Session-Id: s2 | MCP-Protocol-Version: 2025-11-25 || {"jsonrpc":"2.0","method":"notifications/initialized"}
2.22 < 202 ||
`

// asks is a call of a tool in exchange x, answers what a server says to it.
func asks(x int, id string) string { return asksIn(x, id, "s1") }

func asksIn(x int, id, session string) string {
	return fmt.Sprintf("1.%d > POST /mcp | Accept: application/json, text/event-stream | Mcp-Session-Id: %s | MCP-Protocol-Version: 2025-11-25 || "+
		`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"echo","arguments":{}}}`+"\n", x, session, id)
}

func answers(x int, id string) string {
	return fmt.Sprintf(`1.%d < 200 application/json || {"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n", x, id)
}

func call1(x int, id string) string { return asks(x, id) + answers(x, id) }

const refused = "gate > answer\n1.%d < %s ||\n"

const stdio1 = `tap stdio
start {"command":["it"]}
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"someone","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"it","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`

func says(id string) string {
	return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"echo","arguments":{}}}`+"\n", id)
}

func gets(id string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`+"\n", id)
}

const leaves = "eof >\nexit {\"code\":0}\n"

// tape reads a transcript. "gate > WHAT [MS]" is what the gate did to the latest
// message in that direction.
func tape(t *testing.T, id, text string) *Tape {
	t.Helper()
	s := &transcript.Transcript{}
	latest := map[byte]uint64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		before := len(s.Frames)
		if rest, ok := strings.CutPrefix(line, "gate "); ok {
			parts := strings.Fields(rest)
			g := wire.Gate{What: parts[1], Frame: latest[parts[0][0]]}
			if len(parts) > 2 {
				g.MS, _ = strconv.ParseInt(parts[2], 10, 64)
			}
			s.Add(wire.Frame{Kind: wire.KindGate, Dir: wire.Dir(parts[0][0])}, string(g.JSON()))
		} else if err := s.Line(line); err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Frames[before:] {
			if f.HoldsMessages() {
				latest[byte(f.Dir)] = f.N
			}
		}
	}
	tp := NewTape(id, s.Tap, 1e9, rules.All())
	for _, f := range s.Frames {
		tp.Apply(f)
	}
	tp.Finish()
	return tp
}

// judged is a trial, and what it comes to.
type judged struct {
	name, fault string
	base, tape  string
	more        string // of a second recording
	end         End
	want        checks.Outcome
	why, said   string
	rule        string
}

var (
	http   = session1 + call1(3, "1") + call1(4, "2")
	stdio  = stdio1 + says("1") + gets("1") + says("2") + gets("2") + leaves
	failed = End{Took: time.Second, Lines: []Line{{0, "calling"}, {9e8, "Error: something failed"}}}
)

// judgements are what was seen of real clients, and more.
var judgements = []judged{
	{name: "nothing to act on", fault: "401", base: http, tape: http, want: checks.NotApplicable, why: "nothing to act on"},
	{
		name: "the id is used again", fault: "expire-session", base: http,
		tape: session1 + call1(3, "1") + asks(4, "2") + fmt.Sprintf(refused, 4, "404") + "wait 500\n" + asks(5, "3") + fmt.Sprintf(refused, 5, "404"),
		end:  failed, want: checks.Wrong, rule: "session-not-renewed", why: "kept using it", said: "Error: something failed",
	},
	{
		name: "a new session", fault: "expire-session", base: http,
		tape: session1 + call1(3, "1") + asks(4, "2") + fmt.Sprintf(refused, 4, "404") + began2 + asksIn(6, "22", "s2") + answers(6, "22"),
		want: checks.Recovered, why: "it began a new session",
	},
	{
		name: "it gives up and says so", fault: "expire-session", base: http,
		tape: session1 + call1(3, "1") + asks(4, "2") + fmt.Sprintf(refused, 4, "404"),
		end:  End{Took: time.Second, Code: 1}, want: checks.Told, why: "tools/call echo did not come; it exited with 1",
	},
	{
		name: "no retry, but words", fault: "429", base: http,
		tape: session1 + call1(3, "1") + asks(4, "2") + fmt.Sprintf(refused, 4, "429 | Retry-After: 1"),
		end:  failed, want: checks.Told, why: "it said so", said: "Error: something failed",
	},
	{
		name: "a retry", fault: "429", base: http,
		tape: session1 + call1(3, "1") + asks(4, "2") + fmt.Sprintf(refused, 4, "429 | Retry-After: 1") + "wait 1000\n" + call1(5, "3"),
		want: checks.Recovered, why: "it asked again",
	},
	{
		name: "silence", fault: "503", base: http,
		tape: session1 + call1(3, "1") + asks(4, "2") + fmt.Sprintf(refused, 4, "503"),
		want: checks.Wrong, why: "as if nothing had happened",
	},
	{
		name: "it waits for ever", fault: "never", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + gets("2") + "gate < drop\nwait 90000\neof >\n",
		end:  End{Took: 90 * time.Second, Killed: true}, want: checks.Hung,
	},
	{
		name: "it stops waiting", fault: "never", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + gets("2") + "gate < drop\nwait 6000\n" +
			`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n" + leaves,
		end: failed, want: checks.Told, why: "tools/call echo did not come",
	},
	{
		name: "the stream is resumed", fault: "cut-stream", base: http,
		tape: session1 + call1(3, "1") + asks(4, "2") + "gate > cut\n1.4 < 200 text/event-stream\n" +
			"1.4 event id: 1 | data: \n1.4 close server\n" +
			"1.5 > GET /mcp | Accept: text/event-stream | Mcp-Session-Id: s1 | MCP-Protocol-Version: 2025-11-25 | Last-Event-ID: 1\n1.5 < 200 text/event-stream\n" +
			`1.5 event id: 2 | data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}` + "\n1.5 close client\n",
		want: checks.Recovered, why: "it resumed the stream",
	},
	{
		name: "the server sent what did not arrive", fault: "cut-stream", base: http,
		tape: session1 + call1(3, "1") + asks(4, "2") + "gate > cut\n1.4 < 200 text/event-stream\n" +
			`1.4 event id: 1 | data: {"jsonrpc":"2.0","id":2,"result":{"content":[]}}` + "\n1.4 close server\n",
		end: failed, want: checks.Told,
	},
	{
		name: "what is spoilt is taken for good", fault: "schema-corrupt", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + gets("2") + "gate < edit\n" + leaves,
		want: checks.Wrong, why: "took for good",
	},
	{
		name: "it cannot read what is odd", fault: "id-as-text", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + gets("2") + "gate < edit\nwait 6000\n" +
			`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n" + leaves,
		end: failed, want: checks.Told,
	},
	{
		name: "what is odd but whole is taken", fault: "id-as-text", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + gets("2") + "gate < edit\n" + leaves,
		want: checks.Recovered, why: "it went on",
	},
	{
		name: "the server is started again", fault: "kill-server", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + "gate > kill\nexit {\"code\":137,\"signal\":\"SIGKILL\",\"lost\":true}\n",
		more: stdio1 + says("1") + gets("1") + leaves,
		want: checks.Recovered, why: "it started the server again",
	},
	{
		name: "a late response is waited for", fault: "delay", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + "gate < delay 10000\nwait 10000\n" + gets("2") + leaves,
		want: checks.Recovered, why: "it went on",
	},
	{
		name: "a minute is late", fault: "never", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + gets("2") + "gate < drop\nwait 60000\n" + says("3") + gets("3") + leaves,
		want: checks.RecoveredLate, why: "it asked again, 1m0s later",
	},
	{
		name: "it goes on with any version", fault: "wrong-version", base: stdio,
		tape: strings.Replace(stdio1, "> {\"jsonrpc\":\"2.0\",\"method\"", "gate < edit\n> {\"jsonrpc\":\"2.0\",\"method\"", 1) +
			says("1") + gets("1") + says("2") + gets("2") + leaves,
		want: checks.Wrong, why: "a protocol version that nobody knows",
	},
	{
		name: "it crashes", fault: "garbage-line", base: stdio,
		tape: stdio1 + says("1") + gets("1") + says("2") + gets("2") + "gate < edit\neof >\n",
		end:  End{Code: 2, Lines: []Line{{0, "panic: runtime error: index out of range"}}}, want: checks.Wrong, why: "it crashed: panic",
	},
}

func TestJudge(t *testing.T) {
	for _, c := range judgements {
		t.Run(c.name, func(t *testing.T) {
			base := &Trial{Started: 1e9, Tapes: []*Tape{tape(t, "base", c.base)}, End: End{Took: time.Second, Lines: []Line{{0, "calling"}}}}
			trial := &Trial{Fault: Fault{Name: c.fault}, Started: 1e9, Tapes: []*Tape{tape(t, "one", c.tape)}, End: c.end}
			if c.more != "" {
				trial.Tapes = append(trial.Tapes, tape(t, "two", c.more))
			}
			got := Judge(trial, base)
			if got.Outcome != c.want || !strings.Contains(got.Text, c.why) || got.Rule != c.rule || c.said != "" && got.Said != c.said {
				t.Errorf("got %s %q, rule %q, said %q; want %s %q %q %q", got.Outcome, got.Text, got.Rule, got.Said, c.want, c.why, c.rule, c.said)
			}
			if got.Outcome != checks.NotApplicable && len(got.Evidence) == 0 {
				t.Error("no evidence")
			}
		})
	}
}

func TestListIsAskedForOnce(t *testing.T) {
	storm := strings.Repeat("gate < inject\n"+`< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", 50)
	base := stdio1 + says("1") + gets("1") + leaves
	for _, c := range []struct {
		lists int
		want  checks.Outcome
	}{{0, checks.Recovered}, {1, checks.Recovered}, {50, checks.Wrong}} {
		var text strings.Builder
		text.WriteString(stdio1 + says("1") + gets("1") + storm)
		for i := range c.lists {
			fmt.Fprintf(&text, `> {"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n"+`< {"jsonrpc":"2.0","id":%d,"result":{"tools":[]}}`+"\n", i+9, i+9)
		}
		got := Judge(
			&Trial{Fault: Fault{Name: "list-changed-storm"}, Started: 1e9, Tapes: []*Tape{tape(t, "one", text.String()+leaves)}},
			&Trial{Started: 1e9, Tapes: []*Tape{tape(t, "base", base)}})
		if got.Outcome != c.want {
			t.Errorf("%d lists: %s: %s", c.lists, got.Outcome, got.Text)
		}
	}
}
