package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
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
	replaying() bool
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

func (v *compareView) area() area               { return inReplay }
func (v *compareView) name() safe.Text          { return "comparison" }
func (v *compareView) scroller() *view.Scroller { return &v.lines }
func (v *compareView) refresh(host) tea.Cmd     { return nil }

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

// do carries out what a key means on the screen of a comparison.
func (v *compareView) do(h host, a action) (cmd tea.Cmd, mine bool) {
	switch a {
	case actOpen, actCompare:
		if d := v.difference(); d != nil {
			h.Open(d)
			return d.load(), true
		}
	case actOnlyThese:
		at, ok := v.selected()
		v.only = !v.only
		if v.sift(); ok {
			v.toCall(at)
		}
	case actNextProblem, actPrevProblem:
		n := 1
		if a == actPrevProblem {
			n = -1
		}
		if !v.toDifference(n) {
			return h.Complain("no further difference"), true
		}
	case actCopyReport:
		return h.Copy(markdownOfAll(v.result), "comparison"), true
	case actEdit:
		return v.runs.editCompared(v), true
	case actResend:
		return v.runs.again(v), true
	case actReplay:
		return v.runs.askAgain(v), true
	default:
		return nil, false
	}
	return nil, true
}

// difference is the view of the two answers to the selected call, nil for none.
func (v *compareView) difference() *diffView {
	call, ok := v.selected()
	if !ok {
		return nil
	}
	return &diffView{of: v, call: call, loading: true, at: -1, rows: view.Scroller{Page: true}}
}

func (v *compareView) useful(h host, b binding) bool {
	switch b.do {
	case actResend, actReplay, actEdit:
		return v.replayed && !v.runs.replaying()
	case actOpen, actCompare:
		_, ok := v.selected()
		return ok
	}
	return true
}

// click selects a call, and shows its answers when it was selected already.
func (v *compareView) click(h host, _, y int) tea.Cmd {
	if again, ok := v.lines.PickLine(y - 2); ok && again {
		cmd, _ := v.do(h, actOpen)
		return cmd
	}
	return nil
}
