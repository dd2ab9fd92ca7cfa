package ui

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
)

// hostileInsights poisons all that the views show: names, definitions,
// capabilities, handles, event ids.
func hostileInsights() (stdio, http []wire.Frame) {
	escaped, _ := json.Marshal(strings.ToValidUTF8(poison, "?"))
	raw := strings.Map(func(r rune) rune {
		if r < 0x20 {
			return -1
		}
		return r
	}, poison) + "\x9b\xff"
	both := string(escaped[:len(escaped)-1]) + raw + `"`
	var t scenes.Tape
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%s,"capabilities":{%s:{},"sampling":{},"experimental":{%s:{%s:%s}}},"clientInfo":{"name":%s,"title":%s,"version":%s}}}`, both, both, both, both, both, both, both, both)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":%s,"capabilities":{"tools":{},%s:%s},"serverInfo":{"name":%s,"title":%s,"version":%s},"instructions":%s}}`, both, both, both, both, both, both, both)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":%s,"title":%s,"description":%s,"inputSchema":{%s:%s}}],"nextCursor":%s}}`, both, both, both, both, both, both)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":%s}}`, both)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":%s,"arguments":{%s:%s},"_meta":{"progressToken":%s}}}`, both, both, both, both)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s}}`, both)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":3,"result":{"structuredContent":{"session_id":%s,%s:"0a1b2c3d4e5f"}}}`, both, both)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":%s,"arguments":{%s:"0a1b2c3d4e5f","session_id":%s}}}`, both, both, both)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":%s}}`, both)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":%s}}`, both)

	flat := strings.NewReplacer("\r", "", "\n", "").Replace(poison)
	var h scenes.Tape
	h.Fact(wire.KindOpen, wire.NoDir, 1, 0, wire.Open{Client: poison, Upstream: poison})
	h.Post(1, "/mcp?x="+flat, "Mcp-Session-ID: "+flat+"\r\nLast-Event-ID: "+flat+"\r\n", `{"jsonrpc":"2.0","id":2,"method":`+both+`}`).
		Stream(1, "x\nid: "+flat+"\nevent: "+flat+"\nretry: "+flat+"\ndata: "+flat, `{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","method":`+both+`}`)
	return t.Frames, h.Frames
}

func TestHostileViews(t *testing.T) {
	for _, size := range [][2]int{{160, 40}, {80, 24}, {60, 15}, {40, 8}} {
		synctest.Test(t, func(t *testing.T) {
			stdio, http := hostileInsights()
			s := having(Recording{ID: "a", Label: poison, Tap: "stdio"}, stdio)
			s.give(Recording{ID: "b", Label: poison, Tap: "http"}, http)
			d := drive(t, s, Options{rules: poisoned()}, size[0], size[1])
			for _, id := range []string{"a", "b"} {
				d.m.show(library.Scope{Rec: d.m.rec(id), Session: library.AllSessions})
				d.m.focus = paneList
				for k := range strings.FieldsSeq("t j k D j G tab o v v v y esc enter esc esc c j j j tab J K y enter esc esc H enter j j o y enter esc h ? esc esc") {
					d.press(k)
					v := d.m.View()
					clean(t, "after "+k, v.Content)
				}
			}
			if len(d.m.rec("a").Frames) == 0 || d.m.insights.Taken() == 0 {
				t.Error("nothing was read")
			}
		})
	}
}
