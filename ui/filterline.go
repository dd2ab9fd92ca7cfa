package ui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/query"
	"midwire/ui/term"
)

// filterLine is the line in which a filter is written. The list always obeys
// the last one that was valid.
type filterLine struct {
	input  textinput.Model
	query  *query.Query
	err    *query.Error
	advice safe.Text // what can follow what was typed so far
	before string    // what esc goes back to
	kept   filterKept
	drop   dropDown
	naming bool // the line holds the name for the filter in named
	named  string
}

func newFilterLine() filterLine {
	in := textinput.New()
	in.SetVirtualCursor(false)
	in.CharLimit = 400
	return filterLine{input: in}
}

func (f *filterLine) edit(m *Model) tea.Cmd {
	if m.list.Rec == nil || m.chosen.card {
		return nil
	}
	if m.lay.list.W == 0 {
		m.focusPane(paneList)
	}
	m.stay()
	m.entry, f.before = f, f.input.Value()
	f.input.CursorEnd()
	f.drop.open(m)
	return f.input.Focus()
}

// key edits the line. Enter keeps the filter, esc goes back to the one before.
func (f *filterLine) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	if f.naming {
		return f.nameKey(m, k)
	}
	switch k.String() {
	case "ctrl+c":
		return m.quit(true)
	case "enter":
		return f.enter(m)
	case "esc":
		m.endEntry()
		f.input.SetValue(f.before)
		f.apply(m)
		return nil
	case "tab":
		f.complete(m)
		return nil
	case "up", "down":
		f.choose(m, k.String() == "up")
		return nil
	case "ctrl+r":
		f.drop.list(m)
		return nil
	case "ctrl+s":
		return f.askName(m)
	case "ctrl+x":
		return f.forget(m)
	}
	return f.update(m, k)
}

// enter takes what was chosen from the drop-down; else it keeps the filter.
func (f *filterLine) enter(m *Model) tea.Cmd {
	if f.drop.at >= 0 && f.drop.at < len(f.drop.items) {
		if it := f.drop.items[f.drop.at]; !f.take(m, it) {
			return nil // a key: its value is still to come
		}
	}
	m.endEntry()
	f.apply(m)
	if v := f.input.Value(); v != "" && f.err == nil {
		return m.useFilter(v)
	}
	return nil
}

func (f *filterLine) update(m *Model, msg tea.Msg) tea.Cmd {
	old, at := f.input.Value(), f.input.Position()
	var cmd tea.Cmd
	f.input, cmd = f.input.Update(msg)
	switch {
	case f.naming:
		return cmd
	case f.input.Value() != old:
		f.apply(m)
		f.drop.update(m)
	case f.input.Position() != at:
		f.drop.update(m)
	}
	return cmd
}

func (f *filterLine) end(*Model) {
	if f.naming {
		f.unname()
	}
	f.drop.close()
	f.input.Blur()
}

// apply makes the list obey the line if it is valid, or as far as it is while
// its end is still to be typed.
func (f *filterLine) apply(m *Model) {
	q, err := query.Read(f.input.Value(), f.kept.named)
	f.advice = ""
	if err != nil && err.More && m.entry == f {
		f.advice = safe.Line(err.Text)
		err = nil
	}
	if f.err = err; err != nil {
		return
	}
	if q != nil && f.query != nil && f.query.Text == q.Text && m.list.Query == f.query {
		return // its search goes on
	}
	f.query = q
	m.detail.LookForFilter(q.Wanted())
	l := &m.list
	follow := l.Follow
	l.Reset(l.Scope, l.RawFrames, q)
	l.Follow = follow
}

// write replaces the filter as if it had been typed.
func (f *filterLine) write(m *Model, text string) {
	f.input.SetValue(text)
	f.input.CursorEnd()
	f.apply(m)
	m.list.Scan(idsPerScan)
	m.list.Reveal()
}

// draw writes the line; it returns the column of the cursor, -1 for none.
func (f *filterLine) draw(l *term.Line, m *Model) int {
	sign := safe.Text("/")
	st := m.th.Key
	switch {
	case f.naming:
		sign = "save as @"
	case f.err != nil:
		st = m.th.Err
	case f.query != nil:
		st = m.th.Ok + term.Bold
	}
	l.Gap(1).Put(st, sign)
	if !f.naming {
		l.Gap(1)
	}
	raw := f.input.Value()
	text := []rune(raw)
	at := l.Used + term.Width(safe.Line(string(text[:min(f.input.Position(), len(text))])))
	if f.err == nil || f.naming {
		l.Put(term.Plain, safe.Line(raw)).Gap(2).PutMax(m.th.Dim, f.aside(m), l.Max-l.Used-26)
	} else {
		from, to := min(f.err.At, len(raw)), min(max(f.err.To, f.err.At), len(raw))
		l.Put(term.Plain, safe.Line(raw[:from])).Put(m.th.Err+term.Underline, safe.Line(raw[from:to])).Put(term.Plain, safe.Line(raw[to:]))
	}
	m.matches(l)
	if m.entry != f {
		return -1
	}
	return min(at, l.Max-1)
}

// aside is what stands behind the filter: what can follow, or what went wrong
// with the messages.
func (f *filterLine) aside(m *Model) safe.Text {
	switch s := &m.list.Search; {
	case m.entry == f && m.toast.text != "":
		return m.toast.text
	case f.naming:
		return "a name for " + safe.Line(f.named)
	case f.advice != "":
		return f.advice
	case s.Failed > 0:
		return m.sg.Warn + " jq: " + safe.Line(s.Why) + " (" + term.Count(s.Failed, "message") + ")"
	}
	return ""
}

// drawFault puts the reason below the place where the filter is wrong, in the
// last line of the screen. It says whether it did.
func (f *filterLine) drawFault(l *term.Line, m *Model) bool {
	if f.err == nil || f.naming || m.entry != f && m.filterHidden() {
		return false
	}
	raw := f.input.Value()
	at := 3 + term.Width(safe.Line(raw[:min(f.err.At, len(raw))]))
	why := safe.Line(f.err.Text)
	if f.err.Fix != "" && m.entry == f {
		why += "   tab mends it"
	}
	n := term.Width(why)
	switch here := m.sg.Here; {
	case at+2+n < l.Max || at < l.Max/2:
		l.Gap(min(at, l.Max-1)).Put(m.th.Err, here).Gap(1).Put(m.th.Err, why)
	default:
		l.Gap(max(1, at-n-1)).PutMax(m.th.Err, why, max(0, at-l.Used-1)).Gap(1).Put(m.th.Err, here)
	}
	return true
}

func (f *filterLine) hints() (keys [][2]safe.Text, note safe.Text) {
	if f.naming {
		return [][2]safe.Text{{"enter", "save"}, {"esc", "back"}}, ""
	}
	keys = [][2]safe.Text{{"enter", "keep"}, {"esc", "undo"}}
	switch f.drop.mode {
	case dropKept:
		keys = append(keys, [2]safe.Text{"up down", "choose"}, [2]safe.Text{"^x", "forget"})
	case dropWords:
		keys = append(keys, [2]safe.Text{"tab", "complete"}, [2]safe.Text{"down", "choose"})
	}
	if f.drop.mode != dropKept {
		if f.input.Value() != "" && f.err == nil {
			keys = append(keys, [2]safe.Text{"^s", "save"})
		}
		if len(f.kept.used)+len(f.kept.saved) > 0 {
			keys = append(keys, [2]safe.Text{"^r", "earlier"})
		}
	}
	if f.input.Value() == "" {
		note = "is:error  lat>500ms  !method:ping  a or b"
	}
	return keys, note
}

// drawFaultAbove puts the reason above the line of the filter, where there is
// no line below.
func (f *filterLine) drawFaultAbove(screen []string, m *Model) {
	shown := f.err != nil && !f.naming && (m.entry == f || !m.filterHidden())
	if y := m.lay.status.Y - 1; shown && m.lay.hints.H == 0 && y > 0 {
		screen[y] = term.NewLine(m.w, &m.sg).Gap(1).Put(m.th.Err, m.sg.Err+" "+safe.Line(f.err.Text)).Finish()
	}
}

// filterHidden says whether something else stands in the status line.
func (m *Model) filterHidden() bool {
	return m.toast.text != "" || m.view != nil && !m.view.Area().OfList() || m.entry != nil && m.entry != &m.filter || m.replay.Running()
}
