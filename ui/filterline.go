package ui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
)

// filterLine is the line in which a filter is written. The list always obeys
// the last one that was valid.
type filterLine struct {
	input   textinput.Model
	editing bool
	query   *query
	err     *queryError
	advice  safe.Text // what can follow what was typed so far
	before  string    // what esc goes back to
	history []string
	at      int // position in history while browsing it
}

func newFilterLine() filterLine {
	in := textinput.New()
	in.SetVirtualCursor(false)
	in.CharLimit = 400
	return filterLine{input: in}
}

func (f *filterLine) edit(m *Model) tea.Cmd {
	if m.list.rec == nil || m.chosen.card {
		return nil
	}
	if m.lay.list.w == 0 {
		m.focusPane(paneList)
	}
	m.stay()
	f.editing, f.before, f.at = true, f.input.Value(), len(f.history)
	f.input.CursorEnd()
	return f.input.Focus()
}

// key edits the line. Enter keeps the filter, esc goes back to the one before.
func (f *filterLine) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c":
		return m.quit(true)
	case "enter":
		f.done()
		f.apply(m)
		if v := f.input.Value(); v != "" && f.err == nil {
			f.history = append(f.history, v)
		}
		return nil
	case "esc":
		f.done()
		f.input.SetValue(f.before)
		f.apply(m)
		return nil
	case "up", "ctrl+r":
		f.recall(m, -1)
		return nil
	case "down":
		f.recall(m, 1)
		return nil
	}
	return f.update(m, k)
}

func (f *filterLine) paste(m *Model, p tea.PasteMsg) tea.Cmd {
	if !f.editing {
		return nil
	}
	return f.update(m, p)
}

func (f *filterLine) update(m *Model, msg tea.Msg) tea.Cmd {
	old := f.input.Value()
	var cmd tea.Cmd
	f.input, cmd = f.input.Update(msg)
	if f.input.Value() != old {
		f.apply(m)
	}
	return cmd
}

func (f *filterLine) recall(m *Model, n int) {
	if f.at+n < 0 || f.at+n > len(f.history) {
		return
	}
	f.at += n
	text := ""
	if f.at < len(f.history) {
		text = f.history[f.at]
	}
	f.input.SetValue(text)
	f.input.CursorEnd()
	f.apply(m)
}

func (f *filterLine) done() {
	f.editing = false
	f.input.Blur()
}

// apply makes the list obey the line if it is valid.
func (f *filterLine) apply(m *Model) {
	text := f.input.Value()
	q, err := parseQuery(text)
	f.advice = ""
	if err != nil && f.editing && err.at == len(text) && err.from < err.at {
		f.advice = safe.Line(err.text) // the value is still to come
		q, err = parseQuery(text[:err.from])
	}
	if f.err = err; err != nil {
		return
	}
	f.query = q
	m.detail.find.follow(&m.detail.doc, q)
	l := &m.list
	follow := l.follow
	l.reset(l.scope, l.frames, q)
	l.follow = follow
}

func (f *filterLine) clear(m *Model) { f.write(m, "") }

// write replaces the filter as if it had been typed.
func (f *filterLine) write(m *Model, text string) {
	f.input.SetValue(text)
	f.apply(m)
	m.list.scan(idsPerScan)
	m.list.reveal()
}

// draw writes the line; it returns the column of the cursor, -1 for none.
func (f *filterLine) draw(l *line, m *Model) int {
	st := plain
	if f.err != nil {
		st = m.th.err
	}
	l.gap(1).put(m.th.key, "/").gap(1)
	text := []rune(f.input.Value())
	at := l.w + width(safe.Line(string(text[:min(f.input.Position(), len(text))])))
	if f.err != nil && f.err.at <= len(string(text)) {
		raw := f.input.Value()
		l.put(plain, safe.Line(raw[:f.err.at])).put(st+underline, safe.Line(raw[f.err.at:]))
		l.gap(2).put(m.th.err, safe.Text(m.sg.here)).gap(1).put(m.th.err, safe.Line(f.err.text))
	} else {
		l.put(st, safe.Line(f.input.Value()))
		l.gap(2).put(m.th.dim, f.advice)
	}
	if !f.editing {
		return -1
	}
	return min(at, l.max-1)
}
