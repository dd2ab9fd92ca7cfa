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

// opened is a comparison with the difference of the call that differs first on the whole
// screen.
func (h *program) opened() *Comparison {
	h.t.Helper()
	v := h.replayed(Request{SessionRef: files})
	h.drawn(v)
	h.command(v, "view.open")
	h.drawn(v)
	return v
}

func differing() *backend {
	by := plain()
	by.lines = responses()
	return by
}

// From change to change: lines of one place are one, and what does not count is
// none. Behind the last is the next call that differs.
func TestNextChange(t *testing.T) {
	with(t, differing(), func(h *program) {
		v := h.opened()
		var seen []string
		look := func() { seen = append(seen, v.of.lines[v.of.at].Path) }
		look()
		for _, id := range []string{"next-hit", "next-hit", "previous-hit", "previous-hit"} {
			h.command(v, "view."+id)
			look()
		}
		want := "result.text result.more result.gone result.more result.text"
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("%s, want %s; %q", got, want, h.said)
		}
		for range 3 {
			h.command(v, "view.next-hit")
		}
		if h.drawn(v); here(v) != "#14" {
			t.Errorf("%s is selected", here(v))
		}
	})
}

// Beside each other where there is room, else one under the other: what was,
// then what is.
func TestSplitAndUnified(t *testing.T) {
	with(t, differing(), func(h *program) {
		h.w = 120
		v := h.opened()
		contains(t, h.drawn(v), "#10", "BEFORE", "AFTER", `-   "text": "3 hits"`, "▌+   \"text\": \"4 hits in many", "~   \"took\": 371  ignored: a time", "␛[31m", "1 path ignored", "of 2")
		h.w = 80
		text := h.drawn(v)
		if contains(t, text, "▌-   \"text\": \"3 hits\""); strings.Index(text, "3 hits") > strings.Index(text, "4 hits") {
			t.Errorf("what is stands before what was:\n%s", text)
		}
	})
}

// The next call comes in the same view; lines that come late, for the call
// before, are dropped.
func TestOtherCall(t *testing.T) {
	with(t, differing(), func(h *program) {
		v := h.opened()
		late := v.of.load(v.result, h.by)
		h.by.lines = nil
		h.command(v, "view.next-problem")
		contains(t, h.drawn(v), "Neither side has a response to show.")
		if h.do(late); len(v.of.lines) > 0 || v.Crumbs(h.Scene())[2] != "#14 tools/call index" {
			t.Errorf("%d lines of %q", len(v.of.lines), v.Crumbs(h.Scene()))
		}
		h.by.err = errBroken
		h.command(v, "view.previous-problem")
		contains(t, h.drawn(v), "it is ␛[2J broken")
		if here(v) != "#10" {
			t.Errorf("%s is selected", here(v))
		}
	})
}

func TestWhatADifferenceCanDo(t *testing.T) {
	with(t, differing(), func(h *program) {
		v := h.opened()
		h.command(v, "view.copy")
		if contains(t, h.copied, "### #10 `tools/call search`: changed"); strings.Contains(h.copied, "#18") {
			t.Errorf("more than one call is copied:\n%s", h.copied)
		}
		h.command(v, "replay.resend")
		h.command(v, "replay.edit")
		if len(h.by.asked) != 2 || len(h.by.edited) != 1 {
			t.Errorf("%d replays, %q edited", len(h.by.asked), h.by.edited)
		}
		contains(t, string(v.Told(h)), "against node x.js in 1.0s, recorded as new-run")
		contains(t, stated(h, v), "6 calls")
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
