package replaying

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/view"
)

// Comparison is the screen of what came of a replay, or of comparing two
// recordings: the calls, and the difference of the selected one.
type Comparison struct {
	lines    view.Scroller
	runs     *Replays
	result   *replay.Comparison
	replayed bool    // result is of a replay, not of two recordings
	request  Request // that replay
	only     bool    // what is the same is left out
	vis      []int   // calls that are shown, behind them problems, and headings: see heading
	at       int     // the line that was selected last
	several  bool    // calls are of several sessions
	was      time.Duration
	took     time.Duration      // all calls together
	inOrder  bool               // calls are in the order in which they were made, not by weight
	of       *difference        // of the selected call, nil for none
	whole    bool               // the difference has the screen
	box      struct{ x, y int } // where it begins
	top      int                // line where the box of the calls begins
}

// newComparison shows the first call that differs.
func newComparison(runs *Replays, c *replay.Comparison) *Comparison {
	v := &Comparison{runs: runs, result: c}
	v.sift()
	v.lines.Sel = -1
	if !v.toDifference(1) {
		v.lines.Sel = 0
	}
	return v
}

// newReplayed shows what came of a replay: the call that was sent alone, or the
// first that differs.
func newReplayed(runs *Replays, c *replay.Comparison) *Comparison {
	v, of := newComparison(runs, c), runs.request
	v.replayed, v.request = true, of
	if of.Frame != 0 {
		v.toCall(slices.IndexFunc(c.Calls, func(c replay.Outcome) bool { return c.Frame == of.Frame }))
	}
	return v
}

// What view.View asks for.
func (v *Comparison) Area() keymap.Area { return keymap.Replay }
func (v *Comparison) Name() safe.Text   { return "comparison" }
func (v *Comparison) Scroller() *view.Scroller {
	if v.whole && v.of != nil {
		return &v.of.rows
	}
	return &v.lines
}

var (
	_ view.Split  = (*Comparison)(nil)
	_ view.Backer = (*Comparison)(nil)
)

// ScrollerAt implements view.Split.
func (v *Comparison) ScrollerAt(x, y int) *view.Scroller {
	if v.of != nil && x >= v.box.x && y >= v.box.y {
		return &v.of.rows
	}
	return v.Scroller()
}

// Back leads from the difference on the whole screen to the calls.
func (v *Comparison) Back() bool {
	was := v.whole
	v.whole = false
	return was
}

// weight is where a call stands in the order by weight: what is broken first.
func weight(c *replay.Outcome) int {
	if c.Verdict == replay.Same && c.Differs() {
		return 5
	}
	return [replay.Verdicts]int{7, 3, 1, 4, 0, 2, 5, 6}[c.Verdict]
}

// Refresh implements view.View.
func (v *Comparison) Refresh(view.Host) tea.Cmd {
	v.skip()
	call, ok := v.selected()
	switch {
	case !ok:
		v.of = nil
	case v.of == nil || v.of.call != call:
		v.of = &difference{call: call, loading: true, at: -1, rows: view.Scroller{Page: true}}
		return v.of.load(v.result, v.runs.by)
	}
	return nil
}

// sift chooses what the list of compared calls shows. Problems stand behind the calls: their numbers
// go on from those of the calls.
func (v *Comparison) sift() {
	v.vis = v.vis[:0]
	for i := range v.result.Calls {
		if c := &v.result.Calls[i]; !v.only || c.Differs() {
			v.vis = append(v.vis, i)
		}
	}
	v.sum()
	if !v.inOrder {
		of := func(call int) int { return weight(&v.result.Calls[call]) }
		slices.SortStableFunc(v.vis, func(a, b int) int { return of(a) - of(b) })
		v.vis = v.headed(v.vis)
	}
	for i := range v.result.Problems {
		if !v.result.Found { // it says them above all
			v.vis = append(v.vis, len(v.result.Calls)+i)
		}
	}
	v.lines.Fit(len(v.vis), v.lines.Height)
}

// headed puts a heading before the calls of each verdict: -1 less the first of them.
func (v *Comparison) headed(calls []int) (out []int) {
	for i, call := range calls {
		if i == 0 || v.result.Calls[call].Verdict != v.result.Calls[calls[i-1]].Verdict {
			out = append(out, -1-call)
		}
		out = append(out, call)
	}
	return out
}

// isCall says whether what is listed at a place is a call.
func (v *Comparison) isCall(i int) bool {
	return i >= 0 && i < len(v.vis) && v.vis[i] >= 0 && v.vis[i] < len(v.result.Calls)
}

// selected is the selected call; false for none, a heading or a problem.
func (v *Comparison) selected() (call int, ok bool) {
	if !v.isCall(v.lines.Sel) {
		return 0, false
	}
	return v.vis[v.lines.Sel], true
}

// skip goes on from a heading, the way that one came.
func (v *Comparison) skip() {
	if i := v.lines.Sel; i >= 0 && i < len(v.vis) && v.vis[i] < 0 {
		if i > 0 && i < v.at {
			v.lines.Move(-1)
		} else {
			v.lines.Move(1)
		}
	}
	v.at = v.lines.Sel
}

func (v *Comparison) to(i int) { v.lines.Move(i - v.lines.Sel) }

// toDifference goes to the next or previous call that differs.
func (v *Comparison) toDifference(n int) bool {
	for i := v.lines.Sel + n; i >= 0 && i < len(v.vis); i += n {
		if v.vis[i] >= len(v.result.Calls) || v.isCall(i) && v.result.Calls[v.vis[i]].Differs() {
			v.to(i)
			return true
		}
	}
	return false
}

// toCall selects a call, when it is shown.
func (v *Comparison) toCall(call int) {
	if i := slices.Index(v.vis, call); i >= 0 {
		v.to(i)
	}
}

// Commands implements view.View.
func (v *Comparison) Commands(h view.Host) []keymap.Command {
	call := func() safe.Text {
		_, ok := v.selected()
		return keymap.Unless(ok, "no call is selected")()
	}
	next := func(n int) tea.Cmd {
		if !v.toDifference(n) {
			return h.Complain("no further difference")
		}
		return nil
	}
	change := func(n int) tea.Cmd {
		if v.of != nil && v.of.step(n) {
			return nil
		}
		return next(n)
	}
	calls := keymap.Problems("call that differs", "call", nil, next)
	changes := keymap.Hits("change", "change", nil, change)
	all := []keymap.Command{
		keymap.Open("the difference on the whole screen, or the calls", v.openHint(), call, keymap.Do(func() { v.whole = !v.whole })),
		calls[0], calls[1], changes[0], changes[1],
		keymap.Order("by weight, or in order", "", func() { v.toggle(&v.inOrder) }),
		{
			ID: "view.only", Key: keymap.Bind("f", "f", "only what differs, or all"), Hint: "only these", Group: keymap.Look,
			Run: keymap.Do(func() { v.toggle(&v.only) }),
		},
		{ID: "replay.resend", Key: keymap.Bind("r", "r", "replay again"), Hint: "again", Group: keymap.Act, Why: v.whyNotAgain, Run: v.again},
		{ID: "replay.edit", Key: keymap.Bind("e", "e", "edit the request, send it"), Hint: "edit", Group: keymap.Act, Why: v.whyNotEdit, Run: v.edit},
		{ID: "replay.replay", Key: keymap.Bind("R", "R", "replay again, ask how"), Hint: "ask", Group: keymap.Act, Why: v.whyNotAgain, Run: v.askAgain},
		keymap.Copy("copy as Markdown", "copy", nil, func() tea.Cmd {
			if v.whole && v.of != nil {
				return h.Copy(markdownOf(v.result, v.of.call), "difference")
			}
			return h.Copy(markdownOfAll(v.result), "comparison")
		}),
	}
	if len(v.result.Tries) > 0 { // there are no calls
		all = slices.DeleteFunc(all, func(c keymap.Command) bool {
			return !slices.Contains([]string{"replay.resend", "replay.replay", "view.copy"}, c.ID)
		})
	}
	return all
}

// toggle turns a choice of what is listed, and in which order.
func (v *Comparison) toggle(of *bool) {
	at, ok := v.selected()
	*of = !*of
	if v.sift(); ok {
		v.toCall(at)
	}
}

func (v *Comparison) openHint() safe.Text {
	if v.whole {
		return "calls"
	}
	return "whole screen"
}

// Click selects a call; where it was selected already, or in the difference, it turns to
// the difference on the whole screen and back.
func (v *Comparison) Click(_ view.Host, x, y int) tea.Cmd {
	if x >= v.box.x && y >= v.box.y {
		v.whole = v.of != nil && !v.whole
		return nil
	}
	if again, ok := v.lines.PickLine(y - v.top - 2); ok && again {
		_, v.whole = v.selected()
	}
	return nil
}

// whyNotAgain says why what is compared cannot be replayed once more.
func (v *Comparison) whyNotAgain() safe.Text {
	if !v.replayed {
		return "two recordings were compared: esc, then R replays one"
	}
	return v.runs.WhyNotNow()
}

// whyNotEdit says why the selected call cannot be edited and sent again.
func (v *Comparison) whyNotEdit() safe.Text {
	if i, ok := v.selected(); !v.replayed || !ok || v.result.Calls[i].Frame == 0 {
		return "only a call of a replayed session can be edited and sent again"
	}
	return v.whyNotAgain()
}

// edit opens the request of the selected call in the user's editor.
func (v *Comparison) edit() tea.Cmd {
	i, _ := v.selected()
	c := &v.result.Calls[i]
	q := Request{SessionRef: library.SessionRef{Recording: v.request.Recording, Session: c.Session - 1}, Frame: c.Frame}
	if q.Frame == v.request.Frame {
		q.Batch, q.Params = v.request.Batch, v.request.Params
	}
	return v.runs.Edit(q)
}

// again replays once more, and askAgain asks how to.
func (v *Comparison) again() tea.Cmd { return v.runs.again(v.request) }

func (v *Comparison) askAgain() tea.Cmd {
	q := v.request
	q.Target, q.Dir, q.Tools = "", "", AskTools
	return v.runs.Ask(q)
}
