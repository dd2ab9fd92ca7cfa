package insight

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/wire"
)

func read(t testing.TB, text string) *Book {
	t.Helper()
	s, err := transcript.Parse(strings.ReplaceAll(text, "\t", ""))
	if err != nil {
		t.Fatal(err)
	}
	b := New(session.Options{Tap: s.Tap})
	for _, f := range s.Frames {
		b.Apply(f)
	}
	return b
}

const hello = `tap stdio
start {"command":["srv"]}
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"roots":{"listChanged":true},"experimental":{"x/y":{"a":1}}},"clientInfo":{"name":"cli","version":"2"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":null},"serverInfo":{"name":"srv","version":"1"},"instructions":"Be kind."}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`

const stdio = hello + `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"open","inputSchema":{"type":"object"}},{"name":"edit","annotations":{"destructiveHint":true},"inputSchema":{"type":"object"}}],"nextCursor":"cGFnZTI"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"cGFnZTI"}}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"never","inputSchema":{"type":"object"}}]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"open","arguments":{"name":"a"}}}
wait 10
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"opened [session: 7f3a9c21e0]"}]}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"edit","arguments":{"session_id":"7f3a9c21e0"},"_meta":{"progressToken":"p9"}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p9","progress":1}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[],"isError":true}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"edit","arguments":{"session_id":"7f3a9c21e0"}}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"no"}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"ghost","arguments":{}}}
< {"jsonrpc":"2.0","id":"s","method":"elicitation/create","params":{"message":"?"}}
`

func shown(l List) (out []string) {
	for i := range l.Items {
		it := &l.Items[i]
		out = append(out, fmt.Sprintf("%s listed=%d gone=%v calls=%d err=%d failed=%d pending=%d lost=%d never=%v", it.Name, it.Listed, it.Gone, it.Calls, it.Errors, it.Failed, it.Pending, it.Lost, it.Unused()))
	}
	return out
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTools(t *testing.T) {
	b := read(t, stdio)
	l := b.Items(Tool, Whole)
	wantLines(t, shown(l),
		"open listed=6 gone=false calls=1 err=0 failed=0 pending=0 lost=0 never=false",
		"edit listed=6 gone=false calls=2 err=1 failed=1 pending=0 lost=0 never=false",
		"never listed=8 gone=false calls=0 err=0 failed=0 pending=0 lost=0 never=true",
		"ghost listed=0 gone=false calls=1 err=0 failed=0 pending=1 lost=0 never=false")
	if l.Calls != 4 || l.Never != 1 || l.Request != 5 || l.Response != 8 || l.Refused != 0 {
		t.Errorf("%+v", l)
	}
	if p := time.Duration(l.Items[0].P50); p != 12*time.Millisecond || l.Items[0].Max != l.Items[0].P95 {
		t.Errorf("p50 of open is %v", p)
	}
	if !strings.Contains(string(l.Items[1].Definition), "destructiveHint") || l.Bytes < 150 {
		t.Errorf("the definition of edit is %q, all are %d bytes", l.Items[1].Definition, l.Bytes)
	}
}

// TestToolsOfSeveralSessions asks for each session and for all.
func TestToolsOfSeveralSessions(t *testing.T) {
	one := func(x int, id string, ms int) string {
		sid := " | Mcp-Session-Id: " + id
		return fmt.Sprintf(`1.%d > POST /mcp || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
1.%d < 200 application/json%s || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
1.%d > POST /mcp%s || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}
wait %d
1.%d < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
`, x, x, sid, x+1, sid, ms, x+1)
	}
	b := read(t, "tap http\n"+one(1, "aaaa-1", 10)+one(3, "bbbb-2", 30))
	if n := b.Sessions(); n != 2 {
		t.Fatalf("%d sessions", n)
	}
	for scope, want := range map[int][2]int64{Whole: {2, 33}, 0: {1, 12}, 1: {1, 33}, Loose: {0, 0}} {
		l := b.Items(Tool, scope)
		worst := int64(0)
		for _, it := range l.Items {
			worst = it.Max / 1e6
		}
		if int64(l.Calls) != want[0] || worst < want[1]-2 || worst > want[1] {
			t.Errorf("scope %d: %d calls, worst %d ms; want %v", scope, l.Calls, worst, want)
		}
	}
	if b.Items(Tool, 0); b.Items(Tool, Whole).Calls != 2 {
		t.Error("asking changes what is counted")
	}
}

func TestNoListIsRefused(t *testing.T) {
	b := read(t, hello+`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}
`)
	if l := b.Items(Tool, 0); l.Request != 5 || l.Response != 0 || l.Refused != 6 || l.Code != -32601 {
		t.Errorf("%+v", l.Listing)
	}
}

func TestToolThatIsGone(t *testing.T) {
	b := read(t, hello+`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"b"}]}}
`)
	if l := b.Items(Tool, 0); !l.Items[0].Gone || l.Items[1].Gone {
		t.Error(shown(l))
	}
}

func capabilityWords(s Sides) (out []string) {
	for _, c := range s.Capabilities {
		if !c.Declared && c.Used == 0 {
			continue
		}
		side := "client "
		if c.Server {
			side = "server "
		}
		out = append(out, fmt.Sprintf("%s%s declared=%v #%d used=%d %s", side, c.Name, c.Declared, c.N, c.Used, c.Value))
	}
	return out
}

func TestCapabilities(t *testing.T) {
	b := read(t, stdio)
	s, ok := b.Sides(0)
	if !ok || s.Client.Name != "cli" || s.Client.ProtocolVersion != "2025-06-18" || s.Server.Name != "srv" || s.Server.Instructions != "Be kind." || s.Server.N != 3 || s.Client.N != 2 {
		t.Errorf("%+v", s)
	}
	wantLines(t, capabilityWords(s),
		"client roots declared=true #2 used=0 ",
		"client roots.listChanged declared=true #2 used=0 ",
		"client sampling declared=true #2 used=0 ",
		"client elicitation declared=false #0 used=1 ",
		"server tools declared=true #3 used=6 ",
		"server tools.listChanged declared=true #3 used=0 ",
		"server resources declared=true #3 used=0 ",
		`client experimental.x/y declared=true #2 used=0 {"a":1}`)
	if talks := b.Talks(); !slices.Equal(talks, []int{0}) {
		t.Errorf("talks %v", talks)
	}
}

func TestCapabilitiesOfConversation(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"cur","version":"2"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	b := read(t, `tap stdio
start {"command":["srv"]}
> {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+meta+`}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mod","version":"3"}}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{},`+meta+`}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","requestState":"c3RhdGU6MQ","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?"}},"b":{"method":"sampling/createMessage","params":{}}}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{},"requestState":"c3RhdGU6MQ","inputResponses":{"a":{}},`+meta+`}}
< {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[]}}
`)
	s, _ := b.Sides(0)
	if !s.Modern || s.Envelopes != 3 || s.Requests != 3 || s.Server.Name != "mod" || s.Server.Supported != "2026-07-28, 2025-11-25" || s.Client.Name != "cur" {
		t.Errorf("%+v", s)
	}
	wantLines(t, capabilityWords(s),
		"client sampling declared=false #0 used=1 ",
		"client elicitation declared=true #2 used=1 ",
		"server tools declared=true #3 used=2 ",
		"server extensions.io.modelcontextprotocol/tasks declared=true #3 used=0 ")
	l := b.Items(Tool, Whole)
	if l.Items[0].Calls != 1 || l.Items[0].Rounds != 1 {
		t.Errorf("%+v", l.Items[0])
	}
	wantLines(t, handleWords(b), "requestState c3RhdGU6MQ from #5 result.requestState times=1 crossed=0: #6 params.requestState")
}

func handleWords(b *Book) (out []string) {
	all, _ := b.Handles(Whole)
	for _, h := range all {
		var uses []string
		for _, u := range h.Uses {
			uses = append(uses, fmt.Sprintf("#%d %s", u.N, u.Place))
		}
		out = append(out, fmt.Sprintf("%s %s from #%d %s times=%d crossed=%d: %s", h.Kind, h.Value, h.From.N, h.From.Place, h.Times, h.Crossed, strings.Join(uses, " ")))
	}
	return out
}

func TestHandles(t *testing.T) {
	wantLines(t, handleWords(read(t, stdio)),
		"cursor cGFnZTI from #6 result.nextCursor times=1 crossed=0: #7 params.cursor",
		"handle 7f3a9c21e0 from #10 result.content[0].text times=2 crossed=0: #11 params.arguments.session_id #14 params.arguments.session_id",
		"progress token p9 from #11 params._meta.progressToken times=1 crossed=0: #12 params.progressToken")
}

// TestOwnValues has a client send a value before a server says it: it is the
// client's, not a handle.
func TestOwnValues(t *testing.T) {
	b := read(t, hello+`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"id":"1a2b3c4d5e6f"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"[session: 1a2b3c4d5e6f]"}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{"id":"1a2b3c4d5e6f"}}}
`)
	wantLines(t, handleWords(b))
}

func TestHandleOfAnotherSession(t *testing.T) {
	b := read(t, `tap http
1.1 > POST /mcp | Mcp-Session-Id: s-1 || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open"}}
1.1 < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"session_id":"99aabbccdd","api_token":"77zz66yy55xx44"}}}
2.2 > POST /mcp | Mcp-Session-Id: s-2 || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"edit","arguments":{"session_id":"99aabbccdd","api_token":"77zz66yy55xx44"}}}
2.2 < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
`)
	wantLines(t, handleWords(b),
		"session id s-1 from #0  times=1 crossed=0: #2 header Mcp-Session-Id",
		"handle 99aabbccdd from #4 result.structuredContent.session_id times=1 crossed=1: #7 params.arguments.session_id",
		"handle 77zz66yy55xx44 from #4 result.structuredContent.api_token times=1 crossed=1: #7 params.arguments.api_token",
		"session id s-2 from #0  times=1 crossed=0: #7 header Mcp-Session-Id")
	all, _ := b.Handles(Whole)
	if all[1].Secret || !all[2].Secret {
		t.Error("which of them is secret?")
	}
	if other, _ := b.Handles(0); len(other) != 3 {
		t.Errorf("%d handles have to do with the first session", len(other))
	}
}

func TestStreams(t *testing.T) {
	b := read(t, `tap http
1.1 > POST /mcp | Mcp-Session-Id: s-1 || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long","_meta":{"progressToken":1}}}
1.1 < 200 text/event-stream
1.1 event id: e-1 | retry: 1500 | data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
wait 5000
1.1 event : ping
1.1 close server
1.2 > GET /mcp | Mcp-Session-Id: s-1 | Last-Event-ID: e-1 | Accept: text/event-stream
1.2 < 200 text/event-stream
1.2 event id: e-2 | data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
`)
	all, left := b.Streams(Whole)
	if len(all) != 2 || left != 0 {
		t.Fatalf("%d streams", len(all))
	}
	one, two := all[0], all[1]
	if one.Kind != StreamResponse || one.What != "tools/call long" || one.Events != 1 || one.Comments != 1 || one.LastID != "e-1" || one.Gap/1e6 != 5002 || one.By != wire.ByServer || one.Open() {
		t.Errorf("%+v", one)
	}
	if two.Kind != StreamListen || two.Resumes != "e-1" || two.Of != one.Request || !two.Open() || two.Messages != 1 {
		t.Errorf("%+v", two)
	}
}

func TestHandlesAreBounded(t *testing.T) {
	b := New(session.Options{Tap: "stdio"})
	x := &b.handles
	for i := range maxCandidates * 3 {
		x.offer(&Handle{Kind: "handle", Value: fmt.Sprintf("value-%09d", i), Name: "id", From: Use{N: uint64(i + 1)}})
		if i == 10 {
			x.use("value-000000010", false, "id", Use{N: 20})
			x.use("value-000000010", false, "id", Use{N: 21})
		}
	}
	if len(x.by) > maxCandidates+1 || len(x.by) != len(x.order) {
		t.Errorf("%d values, %d in order", len(x.by), len(x.order))
	}
	all, left := b.Handles(Whole)
	if len(all) != 1 || left == 0 {
		t.Errorf("%d handles, %d forgotten: what was used stays", len(all), left)
	}
}
