package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/view"
)

// compareView is the screen of what came of a replay, or of comparing two
// recordings.
type compareView struct {
	lines    view.Scroller
	by       Replayer
	runs     resender
	result   *Comparison
	replayed bool          // result is of a replay, not of two recordings
	of       ReplayRequest // that replay
	only     bool          // what is the same is left out
	vis      []int         // calls that are shown, and behind them problems
	how      diffChoice
}

// diffChoice is how answers stand beside each other.
type diffChoice struct {
	unified bool
	chosen  bool // by the user, and not by the width
}

// resender replays once more what a comparison is about.
type resender interface {
	again(v *compareView) tea.Cmd
	askAgain(v *compareView) tea.Cmd
	editCompared(v *compareView) tea.Cmd
	whyNotAgain(v *compareView) safe.Text
	whyNotEdit(v *compareView) safe.Text
}

// newCompareView shows the first call that differs.
func newCompareView(runs resender, by Replayer, c *Comparison) *compareView {
	v := &compareView{runs: runs, by: by, result: c}
	v.sift()
	v.lines.Sel = -1
	if !v.toDifference(1) {
		v.lines.Sel = 0
	}
	return v
}

func (v *compareView) Area() keymap.Area         { return keymap.Replay }
func (v *compareView) Name() safe.Text           { return "comparison" }
func (v *compareView) Scroller() *view.Scroller  { return &v.lines }
func (v *compareView) Refresh(view.Host) tea.Cmd { return nil }

// sift chooses what the list of compared calls shows. Problems stand behind the
// calls: their numbers go on from those of the calls.
func (v *compareView) sift() {
	v.vis = v.vis[:0]
	for i := range v.result.Calls {
		if c := &v.result.Calls[i]; !v.only || c.Differs() {
			v.vis = append(v.vis, i)
		}
	}
	for i := range v.result.Problems {
		v.vis = append(v.vis, len(v.result.Calls)+i)
	}
	v.lines.Fit(len(v.vis), v.lines.Height)
}

// selected is the selected call; false for none, or a problem.
func (v *compareView) selected() (call int, ok bool) {
	if v.lines.Sel >= len(v.vis) || v.vis[v.lines.Sel] >= len(v.result.Calls) {
		return 0, false
	}
	return v.vis[v.lines.Sel], true
}

// to selects a line.
func (v *compareView) to(i int) { v.lines.Move(i - v.lines.Sel) }

// toDifference goes to the next or previous call that differs.
func (v *compareView) toDifference(n int) bool {
	for i := v.lines.Sel + n; i >= 0 && i < len(v.vis); i += n {
		if v.vis[i] >= len(v.result.Calls) || v.result.Calls[v.vis[i]].Differs() {
			v.to(i)
			return true
		}
	}
	return false
}

// toCall selects a call, when it is shown.
func (v *compareView) toCall(call int) {
	if i := slices.Index(v.vis, call); i >= 0 {
		v.to(i)
	}
}

func (v *compareView) Commands(h view.Host) []keymap.Command {
	call := func() safe.Text {
		_, ok := v.selected()
		return keymap.Unless(ok, "no call is selected")()
	}
	again := func() safe.Text { return v.runs.whyNotAgain(v) }
	next := func(n int) func() tea.Cmd {
		return func() tea.Cmd {
			if !v.toDifference(n) {
				return h.Complain("no further difference")
			}
			return nil
		}
	}
	show := func() tea.Cmd { return v.open(h) }
	return []keymap.Command{
		{ID: "replay.open", Key: keymap.Bind("enter l right", "enter", "the two answers"), Hint: "difference", Group: keymap.Move, Why: call, Run: show},
		{ID: "replay.back", Key: keymap.Bind("esc", "esc", "back to the messages"), Hint: "back", Group: keymap.Move, Run: func() tea.Cmd { return h.Run("global.back") }},
		{ID: "replay.next-problem", Key: keymap.Bind("] n", "] [", "next, previous difference"), Title: "next difference", Hint: "next", Group: keymap.Move, Run: next(1)},
		{ID: "replay.previous-problem", Key: keymap.Bind("[ N", "", ""), Title: "previous difference", Run: next(-1)},
		{ID: "replay.only-these", Key: keymap.Bind("f", "f", "only what differs, or all"), Hint: "only these", Group: keymap.Look, Run: keymap.Do(v.toggleOnly)},
		{ID: "replay.compare", Key: keymap.Bind("d", "d", "the two answers"), Group: keymap.Look, Why: call, Run: show},
		{ID: "replay.resend", Key: keymap.Bind("r", "r", "replay again"), Hint: "again", Group: keymap.Act, Why: again, Run: func() tea.Cmd { return v.runs.again(v) }},
		{
			ID: "replay.edit", Key: keymap.Bind("e", "e", "edit the request, send it"), Hint: "edit", Group: keymap.Act, Why: func() safe.Text { return v.runs.whyNotEdit(v) },
			Run: func() tea.Cmd { return v.runs.editCompared(v) },
		},
		{ID: "replay.replay", Key: keymap.Bind("R", "R", "replay again, ask how"), Hint: "ask", Group: keymap.Act, Why: again, Run: func() tea.Cmd { return v.runs.askAgain(v) }},
		{ID: "replay.copy-report", Key: keymap.Bind("y", "y", "copy as Markdown"), Hint: "copy", Group: keymap.Act, Run: func() tea.Cmd { return h.Copy(markdownOfAll(v.result), "comparison") }},
	}
}

// toggleOnly leaves out what is the same, or shows it again.
func (v *compareView) toggleOnly() {
	at, ok := v.selected()
	v.only = !v.only
	if v.sift(); ok {
		v.toCall(at)
	}
}

// open shows the two answers to the selected call.
func (v *compareView) open(h view.Host) tea.Cmd {
	d := v.difference()
	if d == nil {
		return nil
	}
	h.Open(d)
	return d.load()
}

// difference is the view of the two answers to the selected call, nil for none.
func (v *compareView) difference() *diffView {
	call, ok := v.selected()
	if !ok {
		return nil
	}
	return &diffView{of: v, call: call, loading: true, at: -1, rows: view.Scroller{Page: true}}
}

// click selects a call, and shows its answers when it was selected already.
func (v *compareView) Click(h view.Host, _, y int) tea.Cmd {
	if again, ok := v.lines.PickLine(y - 2); ok && again {
		return v.open(h)
	}
	return nil
}
