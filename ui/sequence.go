package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
)

// sequence is the view of who said what when: arrows between a client and a
// server. It tells of the rows that the list shows; the selection is that of
// the list.
type sequence struct {
	library.Scope
	lines   scroller
	was     scroller // as refresh left it
	at      uint32   // the selection of the list then
	score   score
	edits   int  // of the list, when the score began
	whole   bool // nothing is folded
	working bool // a command will ask for the rest of the work
	ticking bool
	top     int // line of the screen where the arrows begin
}

func newSequence() *sequence { return &sequence{} }

// sequenceKeys are those on the sequence diagram.
func sequenceKeys() []binding {
	return []binding{
		{actOpen, inSequence, []string{"enter"}, "enter", "message", "go to the message", move},
		{actBack, inSequence, []string{"esc"}, "esc", "back", "back to the messages", move},
		{actUnfold, inSequence, []string{"z"}, "z", "fold", "fold pings, progress, or not", look},
		{actFilter, inSequence, []string{"/"}, "/", "filter", "filter the messages", look},
		{actCopyReport, inSequence, []string{"y"}, "y", "Mermaid", "copy as Mermaid", act},
	}
}

func (v *sequence) area() area          { return inSequence }
func (v *sequence) name() safe.Text     { return "sequence" }
func (v *sequence) scroller() *scroller { return &v.lines }

func (v *sequence) refresh(m *Model) tea.Cmd {
	l := &m.list
	if l.Rec == nil {
		return nil
	}
	if l.frames {
		m.toggleFrames() // an arrow is of an exchange
	}
	switch {
	case v.Scope != l.Scope:
		*v = sequence{Scope: l.Scope, edits: l.edits, whole: v.whole}
	case v.edits != l.edits && !v.score.more:
		v.begin(l)
	}
	v.score.read(l, !v.whole, idsPerScan)
	v.sync(m)
	var cmds []tea.Cmd
	if v.score.more && !v.working {
		v.working, m.dirty = true, true
		cmds = append(cmds, func() tea.Msg { return goOnView{v} })
	}
	if !v.ticking && !m.frozen && v.grows(m) {
		v.ticking = true
		cmds = append(cmds, tea.Tick(viewTick, func(time.Time) tea.Msg { return tickView{v} }))
	}
	return tea.Batch(cmds...)
}

// begin reads everything again. The selection is found by the message.
func (v *sequence) begin(l *list) {
	v.score, v.edits = score{}, l.edits
	v.was.lines = 0
}

// count is how many lines there are: the beats, and what is waited for.
func (v *sequence) count() int { return len(v.score.beats) + len(v.score.tail) }

// beat is what stands on a line.
func (v *sequence) beat(i int) beat {
	switch s := &v.score; {
	case i < 0 || i >= v.count():
		return beat{row: -1}
	case i < len(s.beats):
		return s.beats[i]
	default:
		return beat{kind: beatWaits, row: s.tail[i-len(s.beats)]}
	}
}

// sync makes one selection of that of the list and that of the view. What was
// moved by a key wins.
func (v *sequence) sync(m *Model) {
	l := &m.list
	n := v.count()
	moved := v.lines.sel != v.was.sel && v.was.lines > 0
	if moved || v.lines.top < v.was.top {
		l.pause()
	}
	v.lines.lines = n
	switch {
	case moved:
		v.lines.sel = max(0, min(v.lines.sel, n-1))
		if b := v.beat(v.lines.sel); b.kind != beatGap && b.row >= 0 {
			l.sel = uint32(b.row)
		}
	case l.follow:
		v.lines.sel = n - 1
		v.lines.move(0)
	case v.was.lines == 0 || l.sel != v.at:
		id, _ := l.selected()
		if i := v.score.find(l.Rec, id); i >= 0 {
			v.lines.sel = i
		}
		v.lines.move(0)
	}
	v.lines.scroll(0)
	v.was, v.at = v.lines, l.sel
}

// grows says whether the screen shows what is waited for.
func (v *sequence) grows(m *Model) bool {
	return m.list.Rec.Live && len(v.score.tail) > 0 && v.lines.top+v.lines.height > len(v.score.beats)
}

func (v *sequence) do(m *Model, a action) (tea.Cmd, bool) {
	switch a {
	case actOpen:
		b := v.beat(v.lines.sel)
		switch {
		case b.row < 0 || b.kind == beatGap:
		case b.n == 0:
			return m.jump(m.list.Rec, uint64(m.list.Rec.Tracker.Row(int(b.row)).Request)), true
		default:
			return m.jump(m.list.Rec, uint64(b.n)), true
		}
	case actUnfold:
		v.whole = !v.whole
		v.begin(&m.list)
	case actCopyReport:
		return v.copy(m), true
	case actFilter:
		return m.filter.edit(m), true
	case actBottom:
		m.list.resume()
	case actNextProblem, actPrevProblem, actTime, actFollow:
		m.doView(a)
	default:
		return nil, false
	}
	return nil, true
}

func (v *sequence) click(m *Model, _, y int) tea.Cmd {
	i := v.lines.top + y - v.top
	if y < v.top || y >= v.top+v.lines.height || i >= v.count() {
		return nil
	}
	again := i == v.lines.sel && m.lastRow.id == uint32(i) && !m.lastRow.at.IsZero() && m.opts.Now().Sub(m.lastRow.at) < doubleClick
	v.lines.sel, m.lastRow = i, clicked{uint32(i), m.opts.Now()}
	if again {
		m.lastRow = clicked{}
		cmd, _ := v.do(m, actOpen)
		return cmd
	}
	return nil
}

func (v *sequence) useful(_ *Model, b binding) bool {
	switch b.do {
	case actBack, actFilter:
		return true
	case actUnfold:
		return v.whole || v.score.pings+v.score.progress > 0
	}
	return v.count() > 0
}
