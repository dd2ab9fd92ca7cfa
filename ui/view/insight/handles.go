package insight

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	lang "midwire/session/filter"
	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// handlesView lists the values that one side issued and the other used, shows
// the path of the selected one through the sessions, and what came of each use.
type handlesView struct {
	halves
	all     []insight.Handle
	left    int
	rows    []*insight.Handle     // of all, in order
	steps   []handleStep          // of the selected handle
	of      handleKey             // what steps are of
	want    handleKey             // what to open with, instead of what the selected message holds
	arrived bool                  // the message that was selected has been looked up
	ends    map[uint64]wire.Frame // that both ends of the value stand in
	failed  string                // why one of them cannot be read
}

type handleKey struct{ kind, value string }

func keyOf(h *insight.Handle) handleKey { return handleKey{h.Kind, h.Value} }

// handleStep is where a handle was issued, or a use of it.
type handleStep struct {
	insight.Use
	issued bool
	after  int // uses before it that are not kept
}

var _ view.Split = (*handlesView)(nil)

// NewHandles is the view of handles and their uses. It opens with the first
// handle of the message that is selected.
func NewHandles(r *reading.Reader) view.View {
	return &handlesView{halves: halves{base: base{reader: r}}}
}

// NewHandlesAt is the view of handles with the one of a mark selected.
func NewHandlesAt(r *reading.Reader, m *Mark) view.View {
	return &handlesView{halves: halves{base: base{reader: r}}, want: keyOf(&m.Handle)}
}

func (v *handlesView) Area() keymap.Area { return keymap.Handles }
func (v *handlesView) Name() safe.Text   { return "handles" }
func (v *handlesView) Question(h view.Host) reading.Question {
	return reading.Question{Scope: h.Scope()}
}

func (v *handlesView) Refresh(h view.Host) tea.Cmd {
	v.choose(h)
	cmd := v.reader.Refresh(h, v)
	if rec := h.Scope().Rec; rec != nil {
		var read tea.Cmd
		v.ends, v.failed, read = h.Payloads(rec, v.wanted(rec))
		cmd = tea.Batch(cmd, read)
	}
	return cmd
}

func (v *handlesView) Told(h view.Host) safe.Text {
	return scopeWords(h.Scope())
}

func (v *handlesView) Ask(q reading.Question, b *insight.Book) func(view.Host) {
	all, left := b.Handles(q.Session)
	return func(h view.Host) {
		v.all, v.left = all, left
		v.accept(h)
	}
}

func (v *handlesView) accept(h view.Host) {
	was, step := v.of, v.step()
	v.answered = true
	v.arrange(was)
	if !v.arrived {
		v.arrived = true
		v.arrive(h)
		return
	}
	v.choose(h)
	if v.of == was && step != nil {
		view.Select(&v.Below, v.steps, func(s *handleStep) bool { return s.N == step.N && s.Place == step.Place })
	}
}

// choose makes the steps of the handle that is selected, if it is another one:
// its first use that did not work is selected.
func (v *handlesView) choose(view.Host) {
	h := v.selected()
	if h == nil || keyOf(h) == v.of && len(v.steps) == len(h.Uses)+1 {
		return
	}
	v.of = keyOf(h)
	v.steps = append(v.steps[:0], handleStep{Use: h.From, issued: true})
	for i, u := range h.Uses {
		step := handleStep{Use: u}
		if i == insight.FirstUses {
			step.after = h.Between
		}
		v.steps = append(v.steps, step)
	}
	v.Below = view.Scroller{Lines: len(v.steps), Height: v.Below.Height}
	bad := func(s *handleStep) bool { return s.Ending.Bad() || s.LeftOut }
	if _, at, ok := h.Break(); ok {
		bad = func(s *handleStep) bool { return s.N == at.N && s.Ending.Bad() }
	}
	view.Select(&v.Below, v.steps, bad)
}

func (v *handlesView) selected() *insight.Handle {
	if one := view.Selected(&v.Lines, v.rows); one != nil {
		return *one
	}
	return nil
}

func (v *handlesView) step() *handleStep { return view.Selected(&v.Below, v.steps) }

func (v *handlesView) Commands(h view.Host) []keymap.Command {
	one := v.selected()
	chosen := keymap.Unless(one != nil, "no handle is selected")
	bad := slices.ContainsFunc(v.rows, isBad)
	uses := keymap.Hits("use", "next use", chosen, keymap.Step(v.Below.Move))
	refused := keymap.Problems("refused handle", keymap.When(bad, "next refused"),
		keymap.Unless(bad, "no use of a handle was refused"), keymap.Step(v.next))
	return []keymap.Command{
		keymap.Open("the message of the use", "to the message", chosen, func() tea.Cmd { return v.open(h) }),
		uses[0], uses[1], refused[0], refused[1],
		keymap.Pane("the handles, the uses", "", chosen, v.Turn),
		{
			ID: "view.only", Key: keymap.Bind("f", "f", "only the messages with it"), Hint: keymap.When(one != nil, "only its messages"),
			Group: keymap.Look, Why: chosen, Run: func() tea.Cmd { return v.only(h) },
		},
		keymap.Copy("copy the value", keymap.When(one != nil, "copy"), chosen, func() tea.Cmd { return v.copy(h) }),
	}
}

func isBad(h *insight.Handle) bool { return h.Bad() > 0 }

// next goes to the next handle of which a use did not work.
func (v *handlesView) next(step int) {
	for i := v.Lines.Sel + step; i != v.Lines.Sel; i += step {
		i = (i + len(v.rows)) % len(v.rows)
		if isBad(v.rows[i]) {
			v.Lines.Sel = i
			v.Lines.Move(0)
		}
		if i == v.Lines.Sel {
			return
		}
	}
}

func (v *handlesView) copy(h view.Host) tea.Cmd {
	one := v.selected()
	if strings.HasPrefix(one.Value, "redacted:") {
		return h.Complain("the recording does not hold the value")
	}
	return h.Copy(one.Value, one.Kind)
}

func (v *handlesView) only(h view.Host) tea.Cmd {
	one := v.selected()
	if strings.HasPrefix(one.Value, "redacted:") {
		return h.Complain("the recording does not hold the value")
	}
	text := "text:" + lang.Quote(one.Value)
	if one.From.Header() != "" || len(one.Uses) > 0 && one.Uses[0].Header() != "" {
		text = "header:" + lang.Quote(one.Value)
	}
	at := one.From.N
	if s := v.step(); s != nil && s.N != 0 {
		at = s.N
	}
	h.Do(view.ShowOnly{Scope: h.Scope(), Filter: text, Frame: at})
	return nil
}

func (v *handlesView) open(h view.Host) tea.Cmd {
	s := v.step()
	if s == nil || s.N == 0 {
		return h.Complain("its issuer is not in this recording")
	}
	return h.Jump(h.Scope().Rec, s.N)
}

func (v *handlesView) State(h view.Host) []term.Seg {
	sc := h.Scene()
	if !v.answered {
		return v.reader.State(sc)
	}
	refused := 0
	for i := range v.all {
		if isBad(&v.all[i]) {
			refused++
		}
	}
	out := []term.Seg{term.S(sc.Theme.Dim, term.Count(len(v.all), "handle"))}
	if refused > 0 {
		out = append(out, term.S(sc.Theme.Dim, " "+sc.Glyphs.Dot+" "), term.S(sc.Theme.Err, term.Number(refused)+" refused"))
	}
	return out
}

func (v *handlesView) Click(h view.Host, _, y int) tea.Cmd {
	if y >= v.BelowAt {
		v.Reading = true
		again, ok := v.Below.PickLine(y - v.BelowAt - headed)
		if ok && again {
			return v.open(h)
		}
		return nil
	}
	v.Reading = false
	if again, ok := v.Lines.PickLine(y - headed); ok && again {
		return v.open(h)
	}
	return nil
}
