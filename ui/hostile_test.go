package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	"midwire/session/diagnose"
	"midwire/session/notes"
	"midwire/session/wire"
	"midwire/ui/detail"
	"midwire/ui/internal/scenes"
)

// poison is everything a peer could try on a terminal.
const poison = "İẞȺ\u212aA\x1b[2J\x1b]52;c;ZXZpbA==\x07\x1b]0;t\x1b\\\u009b31m\u009d52;c;eA==\u009c\u202eB\u2066\U000e0041\U000e0101\r\n\x00\x08\t\u200b\ufeff\u2028C\xff\x9b\u0301\u0301\u0301\u0301\u0301\u0301D\x7f"

// hostile is a recording whose every field is poisoned. In JSON the poison is
// written both raw, as far as JSON allows it, and escaped.
func hostile() []wire.Frame {
	escaped, _ := json.Marshal(strings.ToValidUTF8(poison, "?"))
	raw := strings.Map(func(r rune) rune {
		if r < 0x20 {
			return -1
		}
		return r
	}, poison) + "\x9b\xff"
	both := string(escaped[:len(escaped)-1]) + raw + `"`
	var t scenes.Tape
	t.Fact(wire.KindStart, wire.NoDir, 0, 1, wire.Start{Command: []string{poison}})
	t.Stderr(poison)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":%s,"clientInfo":{"name":%s,"version":%s}}}`, both, both, both, both)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"serverInfo":{"name":%s,"version":%s}}}`, both, both, both, both)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":%s}`, both)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":%s,"data":%s}}`, both, both)
	t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%s,"arguments":{%s:%s}}}`, both, both, both)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":%s}],%s:1}}`, both, both)
	t.Line(wire.ToClient, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":%s,"data":%s}}`, both, both)
	t.Line(wire.ToClient, "%s", poison)
	return t.Frames
}

func hostileHTTP() []wire.Frame {
	id := strings.NewReplacer("\r", "", "\n", "").Replace(poison)
	var t scenes.Tape
	t.Fact(wire.KindOpen, wire.NoDir, 1, 0, wire.Open{Client: poison, Upstream: poison})
	t.Post(1, "/"+id, "Mcp-Session-ID: "+id+"\r\n"+id+": "+id+"\r\n", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`).
		Answer(1, "500 "+id, id+": "+id+"\r\n", poison)
	t.Post(1, "/mcp", "", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`).Stream(1, poison, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	return t.Frames
}

// poisoned are rules that say what they saw.
func poisoned() []*diagnose.Rule {
	say := func(c *diagnose.Case, what string) {
		c.Report(diagnose.Finding{
			Message: poison + what, Cause: what + poison,
			Remedies: []diagnose.Remedy{{Side: diagnose.Server, Text: poison}}, Frames: []uint64{c.N, 1, 1 << 40},
		})
	}
	return []*diagnose.Rule{
		{
			ID: "poison-" + poison, Title: poison, Severity: diagnose.Error, On: diagnose.Requests,
			Page:  func() diagnose.Help { return diagnose.Help{Means: poison, Spec: poison} },
			Check: func(c *diagnose.Case) { say(c, string(c.Message.Method)+string(c.Message.Params)) },
		},
		{
			ID: "poison-again", Title: poison, Severity: diagnose.Note,
			On:    diagnose.Errors | diagnose.Results | diagnose.Noise | diagnose.Bodies,
			Check: func(c *diagnose.Case) { say(c, string(c.Data)+string(c.Message.Result)+string(c.Message.Error)) },
		},
	}
}

// sgr is colours, and links of our own.
var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m|\x1b\]8;;(https://modelcontextprotocol\.io/[!-~]*|file://[!-~]*)?(\x1b\\|\x07)`)

// clean fails when a screen holds anything a terminal would act upon besides
// the colours of the interface.
func clean(t *testing.T, what, s string) {
	t.Helper()
	for i, r := range sgr.ReplaceAllString(s, "") {
		if r == '\n' && what != "title" {
			continue
		}
		if r != ' ' && unicode.In(r, unicode.C, unicode.Z) || r == unicode.ReplacementChar && what == "title" {
			t.Fatalf("%s: %U at %d in %q", what, r, i, s)
		}
	}
	if !strings.Contains(s, "\xff") {
		return
	}
	t.Fatalf("%s: a raw byte in %q", what, s)
}

func hostileSizes() [][2]int {
	if testing.Short() {
		return [][2]int{{100, 24}}
	}
	return [][2]int{{160, 40}, {100, 24}, {60, 15}}
}

func TestHostileServer(t *testing.T) {
	for _, size := range hostileSizes() {
		synctest.Test(t, func(t *testing.T) {
			s := having(Recording{ID: "a", Label: poison, Tap: "stdio", Where: poison, Live: true, Trouble: poison}, hostile())
			s.give(Recording{ID: "b", Label: poison, Tap: "http", Where: poison + ":1 → x", Live: true}, hostileHTTP())
			odd := Recording{ID: "c" + poison, Label: poison, Tap: poison, Where: poison + " → " + poison, Trouble: poison}
			s.ch <- Batch{Recordings: []Recording{odd}}
			s.ch <- Batch{Err: fmt.Errorf("%s", poison)}
			b := newNotebook()
			for _, k := range []notes.Key{
				{},
				{Kind: notes.Session, Frame: 1},
				{Kind: notes.Session, Frame: 2},
				{Kind: notes.Comment, Frame: 4},
				{Kind: notes.Comment, Frame: 6},
			} {
				b.set("a", k, poison)
				b.set("b", k, poison)
			}
			b.failed["c"+poison] = errors.New(poison)
			d := drive(t, s, Options{
				Notebook: b, rules: poisoned(), Exporter: &fakeExporter{}, Title: poison,
				Version: poison, Hints: Hints{Folder: poison},
			}, size[0], size[1])
			look := func(what string) {
				v := d.m.View()
				clean(t, what, v.Content)
				clean(t, "title", v.WindowTitle)
			}
			walk := strings.Fields("g j j j j j j j j j j v g j j j j j j j j j j j v 1 j l j j l j j l 2 g j j j j ? esc y i y w / A")
			for range detail.TabCount {
				for _, k := range walk {
					d.press(k)
					look("after " + k)
				}
				d.press("esc", "3", "l")
				look("tab")
				for k := range strings.FieldsSeq("/ A enter n N W right right W esc") {
					d.press(k)
					look("find " + k)
				}
				for k := range strings.FieldsSeq("g j enter j j u - j enter + u G U k k H U H y p y v y m x h y F") {
					d.press(k)
					look("tree " + k)
				}
				d.press("2")
			}
			for k := range strings.FieldsSeq("2 g ! j j j j enter esc tab j j j tab s j enter j enter esc o m y m f esc G enter j j enter ! ? esc esc") {
				d.press(k)
				look("findings " + k)
				if d.m.findings.Selected() != nil {
					clean(t, "markdown", detail.Markdown(d.m.Scene(), d.m.findings.About()))
				}
			}
			if len(d.m.list.Rec.Findings.All) == 0 {
				t.Error("nothing was found")
			}
			for k := range strings.FieldsSeq("esc 2 g j j ; A enter o o o O o o % ' ' j j % 1 N A enter / A enter esc / esc X n G X y G N A enter k k d d esc 2") {
				d.press(k)
				look("notes " + k)
			}
			for k := range strings.FieldsSeq("1 G enter k k m f M esc esc p p") {
				d.press(k)
				look("sessions " + k)
			}
		})
	}
}
