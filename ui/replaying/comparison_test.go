package replaying

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"midwire/replay"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// replayed replays all of a recording, or one call, and returns the view of what
// came of it.
func (h *program) replayed(q Request) *Comparison {
	h.t.Helper()
	h.do(h.replays.Ask(q))
	if h.dialog { // not where it is known already
		h.press("enter")
	}
	v := h.top().(*Comparison)
	v.toggle(&v.inOrder) // as the calls were made
	if v.lines.Sel = -1; q.Frame != 0 {
		v.toCall(slices.IndexFunc(v.result.Calls, func(c replay.Outcome) bool { return c.Frame == q.Frame }))
	} else {
		v.toDifference(1)
	}
	return v
}

// What is broken stands first, and the latest order can be had.
func TestCallsByWeight(t *testing.T) {
	with(t, plain(), func(h *program) {
		v := h.replayed(Request{SessionRef: files})
		h.command(v, "view.order")
		var seen []string
		for i := range v.vis {
			if v.vis[i] < 0 {
				seen = append(seen, string(v.heading(v.vis[i])))
				continue
			}
			v.lines.Sel = i
			seen = append(seen, here(v))
		}
		if want := []string{"BROKEN 1", "#18", "MISSING 1", "#20", "CHANGED 1", "#10", "SLOWER 1", "#14", "SAME 2", "#3", "#12", ""}; !slices.Equal(seen, want) {
			t.Errorf("%q, want %q", seen, want)
		}
		h.w, h.h, h.boxed = 120, 36, true
		v.lines.Sel, v.at = 4, 3
		v.Refresh(h)
		text := h.drawn(v)
		contains(t, text, "Before and after", "sort weight", "changed", "Difference", "breaks its output schema")
	})
}

func stated(h *program, v view.View) string {
	return ansi.Strip(term.NewLine(200, h.Scene().Glyphs).Segs(v.State(h)).Finish())
}

func plain() *backend { return &backend{result: outcomes(), plan: replay.Preview{Target: "http://a"}} }

// here is the number of the selected call, "" for a problem.
func here(v *Comparison) string {
	if i, ok := v.selected(); ok {
		return v.result.Calls[i].Number()
	}
	return ""
}

// The first call that differs is selected, or the one that was sent alone, and
// what is different about it stands below.
func TestComparison(t *testing.T) {
	with(t, plain(), func(h *program) {
		v := h.replayed(Request{SessionRef: files})
		contains(t, h.drawn(v),
			"search", "breaks its output schema: result.text is no number", "40ms   2.0s", "! the server asked roots/list␛[2J",
			"changed  #10 tools/call search", "the recording has a gap")
		contains(t, stated(h, v),
			"1 broken   1 missing   1 changed  2 same  1 slower   1 problem   6 calls")
		if here(v) != "#10" {
			t.Errorf("%s is selected", here(v))
		}
		alone := h.replayed(Request{SessionRef: files, Frame: 12})
		if contains(t, h.drawn(alone), "no significant difference"); here(alone) != "#12" {
			t.Errorf("%s is selected", here(alone))
		}
		contains(t, string(alone.Told(h)), "recorded as new-run")
	})
}

// The keys go from difference to difference, over what is the same, problems
// among them, and say where there is none any more.
func TestNextDifference(t *testing.T) {
	with(t, plain(), func(h *program) {
		v := h.replayed(Request{SessionRef: files})
		h.drawn(v)
		var seen []string
		for range 5 {
			h.command(v, "view.next-problem")
			seen = append(seen, here(v))
		}
		if !slices.Equal(seen, []string{"#14", "#18", "#20", "", ""}) || h.last() != "! no further difference" {
			t.Errorf("%q, %q", seen, h.said)
		}
		contains(t, h.drawn(v), "nobody recorded")
		if h.command(v, "view.open") != "no call is selected" {
			t.Error("a problem is opened")
		}
		h.command(v, "view.previous-problem")
		h.command(v, "view.previous-problem")
		h.command(v, "view.only")
		text := h.drawn(v)
		if contains(t, text, "only differences"); strings.Contains(text, "ping") || here(v) != "#18" {
			t.Errorf("%s is selected:\n%s", here(v), text)
		}
		h.command(v, "view.only")
		if contains(t, h.drawn(v), "ping"); here(v) != "#18" {
			t.Errorf("%s is selected", here(v))
		}
	})
}

func TestNothingDiffers(t *testing.T) {
	by := plain()
	by.result = &replay.Comparison{Calls: outcomes().Calls[:1]}
	with(t, by, func(h *program) {
		v := h.replayed(Request{SessionRef: files})
		if h.drawn(v); here(v) != "#3" {
			t.Errorf("%s is selected", here(v))
		}
		h.command(v, "view.only")
		contains(t, h.drawn(v), "nothing differs")
	})
}

// A click selects a call, another one gives its difference the whole screen; enter does so
// too, and leads back.
func TestOpenACall(t *testing.T) {
	with(t, plain(), func(h *program) {
		v := h.replayed(Request{SessionRef: files})
		h.drawn(v)
		h.do(v.Click(h, 5, 5))
		if here(v) != "#14" || v.whole {
			t.Fatalf("%s is selected", here(v))
		}
		h.do(v.Click(h, 5, 5))
		text := h.drawn(v)
		if !v.whole || v.Crumbs(h.Scene())[2] != "#14 tools/call index" || strings.Contains(text, "sort ") {
			t.Fatalf("the calls are on the screen:\n%s", text)
		}
		h.command(v, "view.open")
		contains(t, h.drawn(v), "sort ", "Difference")
		h.command(v, "view.open")
		if !v.Back() || v.whole || v.Back() {
			t.Error("esc does not lead back to the calls first")
		}
		if len(h.shown) != 1 {
			t.Errorf("%d views", len(h.shown))
		}
	})
}

// The difference is below the calls on a narrow screen, and beside them on a wide one: it
// has the cells that are free.
func TestDifferencePlace(t *testing.T) {
	with(t, differing(), func(h *program) {
		v := h.replayed(Request{SessionRef: files})
		for w, beside := range map[int]bool{80: false, 120: false, 139: false, 140: true, 200: true} {
			h.w, h.h = w, 36
			found := false
			for line := range strings.Lines(h.drawn(v)) {
				found = found || strings.Contains(line, "Calls") && strings.Contains(line, "Difference")
			}
			if found != beside {
				t.Errorf("at %d cells the difference is beside the calls: %v", w, found)
			}
		}
		h.w = 120
		contains(t, h.drawn(v), `4 hits in `+strings.TrimSpace(strings.Repeat("many words ", 8)))
		v.lines.Sel = len(v.vis) - 1
		v.result.Problems[0] = strings.Repeat("a long problem ", 30) + "ends"
		contains(t, h.drawn(v), "ends")
	})
}

// Once more: the same at once, or asked about, and a call edited.
func TestReplayOnceMore(t *testing.T) {
	with(t, plain(), func(h *program) {
		v := h.replayed(Request{SessionRef: files, Frame: 10, Batch: 1, Params: []byte(`{"a":2}`)})
		contains(t, string(v.Crumbs(h.Scene())[1]), "replay, edited")
		h.command(v, "replay.resend")
		if got := h.by.asked; len(got) != 2 || string(got[1].Params) != `{"a":2}` || got[1].Target != "http://a" {
			t.Fatalf("%+v", got)
		}
		h.by.plan.Params = []byte(`{"name":"x"}`)
		h.command(v, "replay.edit")
		if len(h.by.edited) != 1 || h.by.edited[0] != "{\n  \"name\": \"x\"\n}\n" {
			t.Errorf("the editor was given %q", h.by.edited)
		}
		if q := h.replays.request; q.Frame != 10 || q.Batch != 1 || q.Session != 0 {
			t.Errorf("edited is %+v", q)
		}
		whole := h.replayed(Request{SessionRef: files})
		h.command(whole, "replay.replay")
		contains(t, h.box(), "Replay notes-files")
		h.press("esc")
		h.replays.running = &running{stop: func() {}}
		if why := h.command(whole, "replay.resend"); why != "a replay is running; esc stops it" {
			t.Errorf("%q", why)
		}
	})
}

// What was edited is sent as it is; what is no JSON object comes back to the
// editor, with the place of the fault.
func TestEditedCall(t *testing.T) {
	with(t, plain(), func(h *program) {
		h.do(h.replays.Edit(Request{SessionRef: files, Frame: 10}))
		faulty := "{\n\t\"a\": 1,\n\t\"b\" 2\n}"
		h.start(h.replays.Edited(&editor{[]byte(faulty)}, nil))
		box := h.box()
		contains(t, box, "What was edited is no JSON: line 3, column 6", `"b" 2`, "e edit again", "esc drop it")
		lines := strings.Split(box, "\n")
		at := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, `"b" 2`) })
		if strings.IndexByte(lines[at], '2') != strings.IndexByte(lines[at+1], '^') {
			t.Errorf("it points elsewhere:\n%s", box)
		}
		h.press("e")
		if last := h.by.edited[len(h.by.edited)-1]; last != faulty {
			t.Errorf("the editor was given %q", last)
		}
		h.start(h.replays.Edited(&editor{[]byte("[1]")}, nil))
		contains(t, h.box(), "parameters have to be a JSON object")
		h.press("esc")
		h.start(h.replays.Edited(&editor{[]byte(" {\"a\": 1}\n")}, nil))
		h.do(h.replays.planIt())
		contains(t, h.box(), "Send #10 of notes-files again, edited")
		h.press("enter")
		if len(h.by.asked) != 1 || string(h.by.asked[0].Params) != `{"a": 1}` {
			t.Errorf("%+v", h.by.asked)
		}
	})
}

func TestJSONFault(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                  "",
		`{"a":[1]}`:           "",
		`null`:                "parameters have to be a JSON object: { … }",
		`"x"`:                 "parameters have to be a JSON object: { … }",
		``:                    "line 1, column 1: ",
		`{"a":`:               "line 1, column 5: ",
		"{\n\"a\": x\n}":      "line 2, column 6: ",
		"{\"é\": 1}\n{\"b\"}": "line 2, column 1: ",
	} {
		if got := jsonFault([]byte(text)); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The first session is marked, the second compared with it; the same again is
// not marked any more.
func TestCompare(t *testing.T) {
	with(t, plain(), func(h *program) {
		h.do(h.replays.Compare(files))
		contains(t, h.last(), "notes-files is marked")
		h.do(h.replays.Compare(files))
		contains(t, h.last(), "is not marked any more")
		h.do(h.replays.Compare(files))
		h.do(h.replays.Compare(pages))
		v := h.top().(*Comparison)
		if got := h.by.compared; len(got) != 1 || got[0] != [2]library.SessionRef{files, pages} || h.replays.Marked != nil {
			t.Errorf("%v, marked %v", got, h.replays.Marked)
		}
		if c := v.Crumbs(h.Scene()); c[0] != "notes-files" || c[1] != "compared with notes-pages" {
			t.Errorf("%q", c)
		}
		contains(t, stated(h, v), "6 calls", "1 changed", "1 problem")
		contains(t, h.command(v, "replay.resend"), "two recordings were compared")
		contains(t, h.command(v, "replay.edit"), "only a call of a replayed session")
		h.by.err = errBroken
		h.do(h.replays.Compare(files))
		h.do(h.replays.Compare(pages))
		if h.last() != "! not compared: it is ␛[2J broken" {
			t.Errorf("%q", h.said)
		}
	})
}

// Recordings of the same name are told apart by when they began.
func TestComparedNames(t *testing.T) {
	with(t, plain(), func(h *program) {
		h.recs[1].Label = h.recs[0].Label
		h.recs[1].Started = h.recs[0].Started.Add(time.Minute)
		h.do(h.replays.Compare(files))
		h.do(h.replays.Compare(pages))
		c := h.top().(*Comparison).result
		if c.FirstName != "notes-files 10:15:00" || c.SecondName != "notes-files 10:16:00" {
			t.Errorf("%q and %q", c.FirstName, c.SecondName)
		}
		if got := h.replays.NameOf(library.SessionRef{Recording: "gone\x1b"}); got != "gone␛" {
			t.Errorf("%q", got)
		}
	})
}

// What is copied is Markdown of what differs, whatever stands in it.
func TestCopyAComparison(t *testing.T) {
	with(t, plain(), func(h *program) {
		v := h.replayed(Request{SessionRef: files})
		h.command(v, "view.copy")
		contains(t, h.copied, "## notes-files against node x.js\n\n6 calls · 2 same · 1 changed · 1 missing · 1 error now · 1 slower · 1 problem\n",
			"### #10 `tools/call search`: changed\n\nnotes-files (40ms) against node x.js (40ms).\n",
			"- `result.text` changed, was `` \"3 `hits\" ``, is `", "- `result.more` added, is `true`\n",
			"- breaks its output schema: `result.text is no number`\n", "### #18 `resources/read file:///x`: error now", "`error -32002`", "- problem: `the server asked")
		if strings.Contains(h.copied, "ping") {
			t.Error("what is the same is copied")
		}
		for len(v.result.Calls) < 300 {
			v.result.Calls = append(v.result.Calls, v.result.Calls[1])
		}
		h.command(v, "view.copy")
		contains(t, h.copied, "and 98 more calls that differ")
	})
}

// However small the screen and whatever it has to say, every line fits.
func TestDrawnAtAnySize(t *testing.T) {
	by := plain()
	by.lines = responses()
	by.result.Calls[2].Session = 2
	with(t, by, func(h *program) {
		v := h.replayed(Request{SessionRef: files})
		for _, size := range [][2]int{{160, 50}, {100, 30}, {80, 24}, {60, 15}, {40, 8}, {30, 6}} {
			h.w, h.h = size[0], size[1]
			h.drawn(v)
			h.command(v, "view.open")
			h.drawn(v)
			h.command(v, "view.open")
		}
	})
}
