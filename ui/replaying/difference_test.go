package replaying

import (
	"strings"
	"testing"

	"midwire/replay"
)

// responses are two responses beside each other: three changes, one of two
// lines, and a place that does not count.
func responses() []replay.Line {
	same := func(s string) replay.Line { return replay.Line{Was: s, Now: s} }
	return []replay.Line{
		same(`"result": {`),
		{Was: `  "text": "3 hits"`, Now: `  "text": "4 hits in ` + strings.Repeat("many words ", 20) + `"`, Kind: replay.LineChanged, Path: "result.text"},
		{Was: `  "took": 371`, Now: `  "took": 352`, Kind: replay.LineIgnored, Path: "result.took", Why: "a time"},
		{Now: `  "more": [`, Kind: replay.LineAdded, Path: "result.more"},
		{Now: `  ]`, Kind: replay.LineAdded, Path: "result.more"},
		{Was: `  "gone": "` + "\x1b[31m" + `"`, Kind: replay.LineRemoved, Path: "result.gone"},
		same(`}`),
	}
}

// opened is the difference of the call that differs first.
func (h *program) opened() *Difference {
	h.t.Helper()
	v := h.replayed(Request{SessionRef: files})
	h.drawn(v)
	h.command(v, "view.open")
	d := h.top().(*Difference)
	h.drawn(d)
	return d
}

func differing() *backend {
	by := plain()
	by.lines = responses()
	return by
}

// From change to change: lines of one place are one, and what does not count is
// none.
func TestNextChange(t *testing.T) {
	with(t, differing(), func(h *program) {
		d := h.opened()
		var seen []string
		look := func() {
			lines := strings.Split(h.drawn(d), "\n")
			seen = append(seen, strings.Fields(lines[len(lines)-1])[1])
		}
		look()
		for _, id := range []string{"next-hit", "next-hit", "next-hit", "previous-hit", "previous-hit", "previous-hit"} {
			h.command(d, "view."+id)
			look()
		}
		want := "result.text result.more result.gone result.gone result.more result.text result.text"
		if got := strings.Join(seen, " "); got != want || h.last() != "! no further change" {
			t.Errorf("%s, want %s; %q", got, want, h.said)
		}
		if d.lines[d.at].Path != "result.text" {
			t.Errorf("it is at %d", d.at)
		}
	})
}

// Beside each other where there is room, else one under the other: what was,
// then what is.
func TestSplitAndUnified(t *testing.T) {
	with(t, differing(), func(h *program) {
		h.w = 120
		d := h.opened()
		contains(t, h.drawn(d), "Before #10", "Replayed", `-   "text": "3 hits"`, "│▌+   \"text\": \"4 hits in many", "~   \"took\": 371  ignored: a time", "␛[31m", "1 path ignored", "of 2")
		h.w = 80
		text := h.drawn(d)
		if contains(t, text, "- before  + after", "▌-   \"text\": \"3 hits\""); strings.Index(text, "3 hits") > strings.Index(text, "4 hits") {
			t.Errorf("what is stands before what was:\n%s", text)
		}
	})
}

// The next call comes in the same view; lines that come late, for the call
// before, are dropped.
func TestOtherCall(t *testing.T) {
	with(t, differing(), func(h *program) {
		d := h.opened()
		late := d.load()
		h.by.lines = nil
		h.command(d, "view.next-problem")
		contains(t, h.drawn(d), "Neither side has a response to show.", "no significant difference")
		if h.do(late); len(d.lines) > 0 || d.Crumbs(h.Scene())[1] != "#12 ping" {
			t.Errorf("%d lines of %q", len(d.lines), d.Crumbs(h.Scene()))
		}
		h.by.err = errBroken
		h.command(d, "view.previous-problem")
		contains(t, h.drawn(d), "it is ␛[2J broken")
		if here(d.of) != "#10" {
			t.Errorf("%s is selected", here(d.of))
		}
		for range 10 {
			h.command(d, "view.next-problem")
		}
		if c := d.Crumbs(h.Scene())[1]; c != "#20 prompts/get" { // behind it are problems
			t.Errorf("%q is shown", c)
		}
	})
}

func TestWhatADifferenceCanDo(t *testing.T) {
	with(t, differing(), func(h *program) {
		d := h.opened()
		h.command(d, "view.copy")
		if contains(t, h.copied, "### #10 `tools/call search`: changed"); strings.Contains(h.copied, "#18") {
			t.Errorf("more than one call is copied:\n%s", h.copied)
		}
		h.command(d, "replay.resend")
		h.command(d, "replay.edit")
		if len(h.by.asked) != 2 || len(h.by.edited) != 1 {
			t.Errorf("%d replays, %q edited", len(h.by.asked), h.by.edited)
		}
		contains(t, string(d.Told(h)), "against node x.js in 1.0s, recorded as new-run")
		contains(t, stated(h, d), "6 calls")
	})
}

// A long line goes on below, indented as it is, without losing anything.
func TestPieces(t *testing.T) {
	text := `    "text": "` + strings.Repeat("word ", 30) + strings.Repeat("検索", 40) + "\x1b[2J" + `"`
	var all strings.Builder
	for i, s := range pieces(text, 40) {
		if i > 0 && !strings.HasPrefix(s, "      ") {
			t.Errorf("piece %d is not indented: %q", i, s)
		}
		all.WriteString(strings.TrimLeft(s, " "))
	}
	if got, want := strings.ReplaceAll(all.String(), " ", ""), strings.ReplaceAll(pieces(text, 10000)[0], " ", ""); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got := pieces("", 40); got != nil {
		t.Errorf("%q", got)
	}
}
