package insight

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/term"
	"midwire/ui/view"
)

// handlesView lists the values that one side handed out and the other passed
// back, and where.
type handlesView struct {
	base
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

func (v *handlesView) Area() keymap.Area             { return keymap.Handles }
func (v *handlesView) Refresh(h view.Host) tea.Cmd   { return v.reader.refresh(h, v) }
func (v *handlesView) Name() safe.Text               { return "handles" }
func (v *handlesView) Scroller() *view.Scroller      { return &v.lines }
func (v *handlesView) question(h view.Host) question { return question{Scope: h.Scope()} }

func (v *handlesView) Told(h view.Host) safe.Text {
	if v.byUse {
		return scopeWords(h.Scope()) + ", most used first"
	}
	return scopeWords(h.Scope()) + ", in the order issued"
}

func (v *handlesView) ask(q question, b *insight.Book) any {
	all, left := b.Handles(q.Session)
	return handlesAnswer{all, left}
}

func (v *handlesView) accept(h view.Host, _ question, answer any) {
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
	s := &v.lines
	s.Lines = len(v.rows)
	if i := slices.IndexFunc(v.rows, func(r handleRow) bool { return r.key() == v.chosen }); i >= 0 && i != s.Sel {
		s.Sel = i
		s.Move(0)
	}
}

func (v *handlesView) selected() *handleRow {
	if i := v.lines.Sel; i >= 0 && i < len(v.rows) {
		return &v.rows[i]
	}
	return nil
}

// NewHandles is the view of handles and their uses.
func NewHandles(r *Reader) view.View {
	return &handlesView{base: base{reader: r}, opened: map[string]bool{}}
}

func (v *handlesView) Commands(h view.Host) []keymap.Command {
	chosen := keymap.Unless(v.selected() != nil, "no handle is selected")
	return []keymap.Command{
		{
			ID: "handles.open", Key: keymap.Bind("enter l right", "enter", "unfold, go to the message"), Hint: "uses",
			Group: keymap.Move, Why: chosen, Run: func() tea.Cmd { return v.open(h) },
		},
		{ID: "handles.left", Key: keymap.Bind("h left", "h", "fold"), Group: keymap.Move, Why: chosen, Run: keymap.Do(v.fold)},
		{ID: "handles.order", Key: keymap.Bind("o", "o", "by time, or by use"), Hint: keymap.When(len(v.all) > 1, "order"), Group: keymap.Look, Run: keymap.Do(func() {
			v.byUse = !v.byUse
			v.keep()
			v.build()
		})},
		{
			ID: "handles.copy-report", Key: keymap.Bind("y", "y", "copy the value"), Hint: "copy",
			Group: keymap.Act, Why: chosen, Run: func() tea.Cmd { return v.copy(h) },
		},
		{ID: "handles.back", Key: keymap.Bind("esc", "esc", "back to the messages"), Hint: "back", Group: keymap.Move, Run: func() tea.Cmd { return h.Run("global.back") }},
	}
}

func (v *handlesView) copy(h view.Host) tea.Cmd {
	r := v.selected()
	if strings.HasPrefix(r.h.Value, "redacted:") {
		return h.Complain("the recording does not hold the value")
	}
	return h.Copy(r.h.Value, r.h.Kind)
}

// open unfolds a handle, and goes from a use to its message.
func (v *handlesView) open(h view.Host) tea.Cmd {
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

func (v *handlesView) State(h view.Host) []term.Seg {
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

func (v *handlesView) Click(h view.Host, _, y int) tea.Cmd {
	if again, ok := v.lines.PickLine(y - (v.h - v.lines.Height)); ok && again {
		return v.open(h)
	}
	return nil
}
