package ui

import (
	"strings"
	"testing"
	"testing/synctest"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// TestPage reads a message on its page: both sides, the tabs, what is around it.
func TestPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 160, 45)
		d.press("[", "[", "enter")
		d.want("✗ delete_file  tools/call #21", "claude-code", "╭─ Timing", "ARGUMENTS", `"/srv/old.db"`, "RESULT", "╭─ Request", "╭─ Response", "[ 1 item, ", ": shown above ]")
		golden(t, "page-160x45", d.screen())
		d.press("tab", "G", "k", "k")
		d.want("result.isError  boolean")
		d.press("l", "l")
		d.want("[Raw]", `#22 line, 113 bytes`, "╭─ Request", "╭─ Timing", "✗ The server reported a failure.")
		d.press("h")
		d.want("[Headers]", "There are no HTTP headers")
		d.press("h", "tab", "g")
		d.want("[Body]", "╭─ Request", " 1 ▾  {")
		d.press("esc")
		d.want("╭─ Messages")
	})
}

// TestReadableEmoji shows characters for escapes where JSON is laid out, and the
// escapes among the raw bytes.
func TestReadableEmoji(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tape scenes.Tape
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who","arguments":{"q":"\ud83d\udc69\u200d\ud83d\udc67 caf\u00e9"}}}`)
		tape.Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\ud83d\ude00 done"}]}}`)
		s := newFakeSource()
		s.give(live("p"), tape.Frames)
		d := drive(t, s, Options{}, 120, 36)
		d.press("enter", "+", "=")
		d.want(`"q": "👩👧 café"`)
		d.press("G")
		d.want(`"text": "😀 done"`)
		d.press("l", "l")
		d.want("[Raw]", `\ud83d\udc69\u200d`)
	})
}

// TestFilterLightsContent: what the filter looks for is lit in what was on the wire,
// and not in words of ours.
func TestFilterLightsContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.filtered("server")
		d.press("G", "g", "enter")
		for _, hit := range d.m.detail.Search.Hits {
			if len(hit) == 0 {
				t.Error("an empty hit")
			}
		}
		before := len(d.m.detail.Search.Hits)
		if before == 0 {
			t.Fatalf("nothing is lit:\n%s", d.screen())
		}
		all := 0
		for i := range d.m.detail.Doc.Lines {
			all += strings.Count(strings.ToLower(d.m.detail.Doc.Lines[i].Text()), "server")
		}
		if all <= before {
			t.Errorf("the filter lights %d places of %d: words of ours are lit", before, all)
		}
	})
}

// TestMeanwhile lists what came between request and response; enter opens it and '
// comes back.
func TestMeanwhile(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {160, 45}} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, lively(), Options{}, size[0], size[1])
			d.choose(12)
			d.press("enter", "+")
			if size[0] >= pageWidth {
				d.press("tab")
			}
			d.want("MEANWHILE", "#13", "progress 1/3 reading", "#18", "progress 2/3")
			for range 30 {
				if frame, _ := d.m.detail.led(); frame == 13 {
					break
				}
				d.press("j")
			}
			if size[0] >= 100 {
				d.want("enter opens #13")
			}
			d.press("enter")
			d.want("progress #13")
			d.press("'")
			d.want("tools/call #12", "MEANWHILE")
		})
	}
}

// TestProcessRow shows what there is of a row without a message, without headings of
// what there is not.
func TestProcessRow(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {160, 45}} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, lively(), Options{}, size[0], size[1])
			d.press("g")
			d.want("The server process was started.", "start #1")
			if size[0] >= 100 {
				d.want(`command  ["node"`)
			}
			d.wantNot("response  ")
			d.press("enter", "+", "l", "h", "tab")
			d.want("process was started", `"command"`)
			d.wantNot("╭─ Response", "Nothing was asked")
		})
	}
}

// asksBack is a call that waits for a question of the server, which nobody answered.
const asksBack = `tap stdio
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"agent","version":"3"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"files-server","version":"1.4.0"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save","arguments":{"path":"a"}}}
< {"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"Overwrite it?","requestedSchema":{"type":"object","properties":{}}}}
`

// TestWhatIsWaitedFor: what is pending says for what it waits, who owes that, and leads
// there.
func TestWhatIsWaitedFor(t *testing.T) {
	waiting := func(t *testing.T, w, h int) *driver {
		s := newFakeSource()
		s.recs["a"] = framesOf(t, asksBack)
		d := drive(t, s, Options{}, w, h)
		s.ch <- Batch{Recordings: []Recording{live("a")}, Frames: tagged("a", framesOf(t, asksBack))}
		d.send()
		d.press("k")
		return d
	}
	screens(t, "waits", waiting)
	synctest.Test(t, func(t *testing.T) {
		d := waiting(t, 120, 36)
		d.want("waits for #5", "elicitation/create #5", "owed by client agent 3 · for ")
		d.press("tab", "g", "j", "j")
		d.want("enter opens #5")
		d.press("enter")
		d.want("elicitation #5")
	})
}
