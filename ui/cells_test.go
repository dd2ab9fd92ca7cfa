package ui

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/term"
)

// alphabets are texts whose letters terminals count differently.
const alphabets = "กำลังทำ น้ำ नमस्ते हिन्दी தமிழ் কো ស្រី ကြောင် ｶﾞｷﾞﾊﾟ 1\ufe0f\u20e3 👍🏽 日本語"

// TestCellsAsTheTerminalCounts: every line of every screen is as wide as the terminal, which
// counts characters until it answers that it counts graphemes; the harness measures so.
func TestCellsAsTheTerminalCounts(t *testing.T) {
	t.Cleanup(func() { term.CountGraphemes(false) })
	for answer, want := range map[ansi.ModeSetting]ansi.Method{
		ansi.ModeNotRecognized: ansi.WcWidth, ansi.ModePermanentlyReset: ansi.WcWidth,
		ansi.ModeReset: ansi.GraphemeWidth, ansi.ModePermanentlySet: ansi.GraphemeWidth,
	} {
		synctest.Test(t, func(t *testing.T) {
			var tape scenes.Tape
			for i, word := range strings.Fields(alphabets) {
				name, text := strconv.Quote(word), strconv.Quote(alphabets)
				tape.At(int64(10*i)).Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s,"arguments":{"q":%s}}}`, i, name, text)
				tape.At(int64(10*i+5)).Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%s}]}}`, i, text)
			}
			d := drive(t, having(Recording{ID: "a", Label: alphabets, Tap: "stdio", Where: alphabets}, tape.Frames), Options{}, 101, 40)
			d.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: answer})
			if term.Counting() != want {
				t.Errorf("after %d it counts by %d", answer, term.Counting())
			}
			d.press("g", "down", "enter", "esc", "?", "esc", ":", "esc", "/")
		})
	}
}

// TestCopyThatFails: where the text did not come to a clipboard that is said.
func TestCopyThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to, err := "", errors.New("no server running")
		d := drive(t, rich(), Options{Clipboard: func(text string) (string, string, error) { return "\x1bP...\x1b\\", to, err }}, 120, 40)
		d.run(d.m.Copy("text", "request"))
		d.send()
		d.want("not copied: no server running")
		to, err = "tmux's buffer", nil
		d.run(d.m.Copy("text", "request"))
		d.send()
		d.want("sent to tmux's buffer: request, 4 bytes")
	})
}
