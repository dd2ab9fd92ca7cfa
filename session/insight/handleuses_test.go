package insight

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"midwire/session"
)

// signs writes the uses of the handles down: worked, refused, failed, left out,
// and where a handle stopped working.
func signs(b *Book) (out []string) {
	all, _ := b.Handles(Whole)
	for i := range all {
		h := &all[i]
		var s []byte
		for _, u := range h.Uses {
			switch {
			case u.LeftOut:
				s = append(s, '.')
			case u.Blamed:
				s = append(s, 'x')
			case u.Ending.Bad():
				s = append(s, 'f')
			case u.Worked():
				s = append(s, '+')
			default:
				s = append(s, '?')
			}
		}
		line := h.Value + " " + string(s)
		if good, bad, ok := h.Break(); ok {
			line += fmt.Sprintf(" good #%d bad #%d", good.N, bad.N)
		}
		out = append(out, line)
	}
	return out
}

const documents = hello + `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open"}}
< {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"session_id":"doc-f7170c5aa690"}}}
`

func edits(ids ...string) string {
	var b strings.Builder
	for i, response := range ids {
		fmt.Fprintf(&b, `> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"edit","arguments":{"session_id":"doc-f7170c5aa690"}}}`+"\n", i+2)
		if response != "" {
			fmt.Fprintf(&b, `< {"jsonrpc":"2.0","id":%d,%s}`+"\n", i+2, response)
		}
	}
	return b.String()
}

const (
	done    = `"result":{"content":[]}`
	gone    = `"result":{"content":[{"type":"text","text":"no document for session doc-f7170c5aa690"}],"isError":true}`
	unknown = `"error":{"code":-32602,"message":"Unknown Session"}`
	other   = `"error":{"code":-32603,"message":"disk full"}`
)

// What came of each use, and where the handle stopped working.
func TestOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		uses  []string
		wants string
	}{
		{"works", []string{done, done}, "++"},
		{"is lost", []string{done, done, gone, unknown}, "++xx good #9 bad #11"},
		{"never worked", []string{gone}, "x good #6 bad #7"},
		{"fails and works again", []string{done, other, done}, "+f+"},
		{"fails for another reason", []string{done, other}, "+f good #7 bad #9"},
		{"no response", []string{done, ""}, "+?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantLines(t, signs(read(t, documents+edits(tt.uses...))), "doc-f7170c5aa690 "+tt.wants)
		})
	}
}

// A session id that the server does not know any more, one that a client leaves
// out, and one that a failing tool says nothing about.
func TestOutcomesOfSessionIDs(t *testing.T) {
	const start = `tap http
1.1 > POST /mcp | User-Agent: c || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-Id: 5e55ed || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
1.2 > POST /mcp | Mcp-Session-Id: 5e55ed || {"jsonrpc":"2.0","method":"notifications/initialized"}
1.2 < 202 text/plain ||
`
	for _, tt := range []struct{ name, text, wants string }{
		{"lost", `1.3 > POST /mcp | Mcp-Session-Id: 5e55ed || {"jsonrpc":"2.0","id":1,"method":"tools/list"}
1.3 < 404 application/json || {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}
`, "+x good #7 bad #11"},
		{"bad request", `1.3 > POST /mcp | Mcp-Session-Id: 5e55ed || {"jsonrpc":"2.0","id":1,"method":"tools/list"}
1.3 < 400 application/json || {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"No valid session"}}
`, "+x good #7 bad #11"},
		{"something else", `1.3 > POST /mcp | Mcp-Session-Id: 5e55ed || {"jsonrpc":"2.0","id":1,"method":"tools/list"}
1.3 < 503 text/plain || busy
`, "+f good #7 bad #11"},
		{"left out", `1.3 > POST /mcp | User-Agent: c || {"jsonrpc":"2.0","id":1,"method":"tools/list"}
1.3 < 400 application/json || {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Server not initialized"}}
`, "+."},
		{"a tool fails", `1.3 > POST /mcp | Mcp-Session-Id: 5e55ed || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}
1.3 < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}
`, "++"},
		{"no stream to be had", `1.3 > GET /mcp | Mcp-Session-Id: 5e55ed ||
1.3 < 405 text/plain ||
`, "++"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantLines(t, signs(read(t, start+tt.text)), "5e55ed "+tt.wants)
		})
	}
}

// Of a handle with many uses the first and the last are kept, and the latest that
// worked.
func TestManyUses(t *testing.T) {
	h := &Handle{Value: "1a2b3c4d"}
	for i := range 500 {
		how, blamed := session.Served, i > 400
		if blamed {
			how = session.Refused
		}
		useOf{h, h.note(Use{N: uint64(i + 1), Place: "params.id"})}.settle(how, blamed)
	}
	one := h.copied()
	if len(one.Uses) != FirstUses+lastUses || one.Between != 500-len(one.Uses) || one.Times != 500 {
		t.Errorf("%d uses, %d between, %d times", len(one.Uses), one.Between, one.Times)
	}
	good, bad, ok := one.Break()
	if !ok || good.N != 401 || bad.N <= good.N || one.Worked != 401 || one.Refused != 99 {
		t.Errorf("good %v, bad %v, %v, worked %d, refused %d", good, bad, ok, one.Worked, one.Refused)
	}
}

func TestByFrame(t *testing.T) {
	b := read(t, documents+edits(done, gone))
	all, _ := b.Handles(Whole)
	at := ByFrame(all)
	if !slices.Equal(at[6], []Held{{0, -1}}) || !slices.Equal(at[7], []Held{{0, 0}}) || !slices.Equal(at[9], []Held{{0, 1}}) || len(at) != 3 {
		t.Error(at)
	}
	if got := all[0].Sessions(); !slices.Equal(got, []int{0}) {
		t.Error(got)
	}
	// What was returned stays as it is when the book goes on.
	was := all[0].Uses[0]
	b.handles.by["doc-f7170c5aa690"].uses[0].Ending = session.NoEnding
	if all[0].Uses[0] != was {
		t.Error("it has changed")
	}
}

// Where a value stands in its message.
func TestUseIn(t *testing.T) {
	for _, tt := range []struct{ place, payload, want string }{
		{"params.arguments.id", `{"params": {"arguments": {"id": "a1b2c3d4"}}}`, "a1b2c3d4"},
		{"result.content[1].text", `{"result":{"content":[{},{"text":"[session: a1b2c3d4]"}]}}`, "a1b2c3d4"},
		{"params.arguments.id", `{"params":{"arguments":{"id":"a1\u0062"}}}`, `a1\u0062`},
		{"params.arguments.id", `{"params":{"arguments":{"id":17}}}`, "17"},
		{"params.arguments.id", `{"params":{}}`, ""},
		{"header Mcp-Session-Id", `{"params":{}}`, ""},
		{"params.id", `no JSON`, ""},
	} {
		u := Use{Place: tt.place}
		from, to, ok := u.Locate([]byte(tt.payload), "a1b2c3d4")
		if got := tt.payload[from:to]; got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s in %s: %q, %v", tt.place, tt.payload, got, ok)
		}
	}
}
