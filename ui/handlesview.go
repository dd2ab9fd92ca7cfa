package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/term"
	"midwire/ui/view"
)

// handlesView lists the values that one side handed out and the other passed
// back, and where.
type handlesView struct {
	insightView
	all    []insight.Handle
	left   int
	byUse  bool
	opened map[string]bool // by kind and value
	rows   []handleRow
	chosen handleKey
}

// handleRow is one line: a handle, where it came from, or a use of it.
type handleRow struct {
	h    *insight.Handle
	part int // partHandle, partFrom, partMore, or the number of a use
}

const (
	partHandle = -1 - iota
	partFrom
	partMore
)

// handleKey identifies a line.
type handleKey struct {
	kind, value string
	part        int
}

func (r handleRow) key() handleKey { return handleKey{r.h.Kind, r.h.Value, r.part} }

func openKey(h *insight.Handle) string { return h.Kind + "\x00" + h.Value }

type handlesAnswer struct {
	all  []insight.Handle
	left int
}

func (v *handlesView) area() area               { return inHandles }
func (v *handlesView) refresh(h host) tea.Cmd   { return v.reader.refresh(h, v) }
func (v *handlesView) name() safe.Text          { return "handles" }
func (v *handlesView) scroller() *view.Scroller { return &v.insightView.Scroller }
func (v *handlesView) question(h host) question { return question{Scope: h.Scope()} }

func (v *handlesView) told(h host) safe.Text {
	if v.byUse {
		return scopeWords(h.Scope()) + ", most used first"
	}
	return scopeWords(h.Scope()) + ", as they were handed out"
}

func (v *handlesView) ask(q question, b *insight.Book) any {
	all, left := b.Handles(q.Session)
	return handlesAnswer{all, left}
}

func (v *handlesView) accept(h host, _ question, answer any) {
	a := answer.(handlesAnswer)
	v.keep()
	v.all, v.left, v.answered = a.all, a.left, true
	v.build()
}

// keep remembers which line is selected.
func (v *handlesView) keep() {
	if r := v.selected(); r != nil {
		v.chosen = r.key()
	}
}

// build makes the lines anew: what went to another session first.
func (v *handlesView) build() {
	order := make([]*insight.Handle, len(v.all))
	for i := range v.all {
		order[i] = &v.all[i]
	}
	slices.SortStableFunc(order, func(a, b *insight.Handle) int {
		if c := cmp.Compare(min(b.Crossed, 1), min(a.Crossed, 1)); c != 0 || !v.byUse {
			return c
		}
		return cmp.Compare(b.Times, a.Times)
	})
	v.rows = v.rows[:0]
	for _, h := range order {
		v.rows = append(v.rows, handleRow{h, partHandle})
		if !v.opened[openKey(h)] {
			continue
		}
		v.rows = append(v.rows, handleRow{h, partFrom})
		for i := range h.Uses {
			v.rows = append(v.rows, handleRow{h, i})
		}
		if h.Times > len(h.Uses) || h.Times == 0 {
			v.rows = append(v.rows, handleRow{h, partMore})
		}
	}
	s := &v.insightView.Scroller
	s.Lines = len(v.rows)
	if i := slices.IndexFunc(v.rows, func(r handleRow) bool { return r.key() == v.chosen }); i >= 0 && i != s.Sel {
		s.Sel = i
		s.Move(0)
	}
}

func (v *handlesView) selected() *handleRow {
	if i := v.Sel; i >= 0 && i < len(v.rows) {
		return &v.rows[i]
	}
	return nil
}

func newHandles(base insightView) screenView {
	return &handlesView{insightView: base, opened: map[string]bool{}}
}

func (v *handlesView) commands(h host) []command {
	chosen := unless(v.selected() != nil, "no handle is selected")
	return []command{
		{id: "handles.open", key: bind("enter l right", "enter", "unfold, go to the message"), hint: "uses", group: move, why: chosen, run: func() tea.Cmd { return v.open(h) }},
		{id: "handles.left", key: bind("h left", "h", "fold"), group: move, why: chosen, run: do(v.fold)},
		{id: "handles.order", key: bind("o", "o", "by time, or by use"), hint: when(len(v.all) > 1, "order"), group: look, run: do(func() {
			v.byUse = !v.byUse
			v.keep()
			v.build()
		})},
		{id: "handles.copy-report", key: bind("y", "y", "copy the value"), hint: "copy", group: act, why: chosen, run: func() tea.Cmd { return v.copy(h) }},
		{id: "handles.back", key: bind("esc", "esc", "back to the messages"), hint: "back", group: move, run: func() tea.Cmd { return h.Run("global.back") }},
	}
}

func (v *handlesView) copy(h host) tea.Cmd {
	r := v.selected()
	if strings.HasPrefix(r.h.Value, "redacted:") {
		return h.Complain("the recording does not hold the value")
	}
	return h.Copy(r.h.Value, r.h.Kind)
}

// open unfolds a handle, and goes from a use to its message.
func (v *handlesView) open(h host) tea.Cmd {
	r := v.selected()
	if r == nil {
		return nil
	}
	n := uint64(0)
	switch r.part {
	case partHandle:
		v.opened[openKey(r.h)] = !v.opened[openKey(r.h)]
		v.keep()
		v.build()
		return nil
	case partFrom:
		n = r.h.From.N
	case partMore:
		n = r.h.Latest
	default:
		n = r.h.Uses[r.part].N
	}
	if n == 0 {
		return h.Complain("nothing of it was recorded")
	}
	return h.Jump(h.Scope().Rec, n)
}

// fold folds the handle that the selected line belongs to.
func (v *handlesView) fold() {
	r := v.selected()
	if r == nil {
		return
	}
	v.opened[openKey(r.h)] = false
	v.chosen = handleRow{r.h, partHandle}.key()
	v.build()
}

func (v *handlesView) state(h host) []term.Seg {
	sc := h.Scene()
	if !v.answered {
		return v.reader.state(sc)
	}
	crossed, never := 0, 0
	for i := range v.all {
		if v.all[i].Crossed > 0 {
			crossed++
		}
		if v.all[i].Times == 0 {
			never++
		}
	}
	dot := " " + sc.Glyphs.Dot + " "
	out := []term.Seg{term.S(sc.Theme.Dim, term.Count(len(v.all), "handle"))}
	if never > 0 {
		out = append(out, term.S(sc.Theme.Dim, dot+term.Number(never)+" never used"))
	}
	if crossed > 0 {
		out = append(out, term.S(sc.Theme.Dim, dot), term.S(sc.Theme.Warn, term.Number(crossed)+" in another session"))
	}
	return out
}

func (v *handlesView) click(h host, _, y int) tea.Cmd {
	if again, ok := v.PickLine(y - (v.h - v.Height)); ok && again {
		return v.open(h)
	}
	return nil
}
