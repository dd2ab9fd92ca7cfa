package ui

import (
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
		d.want("✗ delete_file  tools/call #21", "claude-code", "╭─ Timing", "ARGUMENTS", `"/srv/old.db"`, "RESULT", "╭─ Request", "╭─ Response", "shown above")
		golden(t, "page-160x45", d.screen())
		d.press("tab", "G", "k", "k")
		d.want("result.isError  boolean")
		d.press("l", "l")
		d.want("[Response]")
		d.press("h", "h", "tab", "g")
		d.want("╭─ Request")
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
		d.press("l", "l", "l")
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
		d.press("/", "s", "e", "r", "v", "e", "r", "enter")
		if after := len(d.m.detail.Search.Hits); after <= before {
			t.Errorf("the filter lights %d places, looking for it finds %d: words of ours are lit", before, after)
		}
	})
}
