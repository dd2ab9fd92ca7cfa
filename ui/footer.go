package ui

import (
	"slices"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/layout"
	"midwire/ui/sessions"
	"midwire/ui/term"
)

// drawFoot draws the lines at the bottom and returns the column of the cursor
// in the status line; 0 for none.
func (m *Model) drawFoot(screen []string) (cursor int) {
	l := term.NewLine(m.w, &m.glyphs)
	if m.drawStatus(l) {
		cursor = l.Cursor
		screen[m.layout.Status.Y] = l.Finish()
	}
	f := m.filterHere()
	wrong := f.Wrong() && (f.Writing() || f == &m.filter && !m.filterHidden())
	if y := m.layout.Status.Y - 1; wrong && m.layout.Hints.H == 0 && y > 0 {
		screen[y] = f.DrawFaultAbove(&m.Scene().Screen)
	}
	if r := m.layout.Hints; r.H > 0 {
		h := term.NewLine(m.w, &m.glyphs)
		if wrong {
			f.DrawFault(h, &m.Scene().Screen)
		} else {
			m.drawHints(h)
		}
		screen[r.Y] = h.Finish()
	}
	return cursor
}

// drawStatus writes the status line: what is being written, else what is new,
// else what has a place of its own. It returns false when there is nothing to
// say, and another pane may stand there.
func (m *Model) drawStatus(l *term.Line) bool {
	switch {
	case m.entry != nil:
		m.entry.draw(l, m)
	case m.replay.Running() && m.toast.text == "":
		m.replay.DrawProgress(l)
	case m.toast.text != "":
		st := m.theme.Note
		if m.toast.bad {
			st = m.theme.Warn
		}
		l.Gap(1).Put(st, term.ShortenWords(m.toast.text, l.Max-2, &m.glyphs))
	case m.sourceError != "":
		m.drawSourceError(l.Gap(1), l.Max-1)
	case m.filterTroubled(), m.filter.Text() != "" && m.view != nil && m.view.Area().OfList():
		m.filter.Draw(l, m, m.toast.text)
	case m.layout.Status.H == 0:
		return false
	case m.layout.Hints.H == 0:
		m.drawHints(l)
	case m.readsBare():
		l.Gap(1).Segs(m.underCursor(l.Max - 2))
	default:
		m.drawCounts(l)
	}
	return true
}

// tellsAlways says whether the status line has something to say all the time, so
// that it needs a place of its own.
func (m *Model) tellsAlways() bool {
	return m.sourceError != "" || m.readsBare() || !m.layout.Boxed && m.comment() != "" ||
		m.filterTroubled() ||
		m.view != nil && (m.view.Told(m) != "" || m.filter.Text() != "" && m.view.Area().OfList())
}

// comment is what the user wrote about the selected message.
func (m *Model) comment() string {
	if m.list.Rec == nil || m.view != nil {
		return ""
	}
	return m.list.Rec.Comment(m.selectedRow())
}

func (m *Model) filterTroubled() bool {
	failed, _ := m.list.Search.Failed, m.list.Search.Why
	return m.filter.Text() != "" && (m.filter.Wrong() || failed > 0)
}

// readsBare says whether somebody reads JSON in a pane without an edge that could
// say where its cursor is.
func (m *Model) readsBare() bool {
	reads := m.view == nil && m.focus == paneDetail && m.layout.Detail.W > 0
	return reads && !layout.Boxed(m.w, m.h) && len(m.underCursor(m.w)) > 0
}

func (m *Model) drawSourceError(l *term.Line, end int) {
	const esc = "   esc hides this"
	l.PutMax(m.theme.Warn+term.Bold, m.glyphs.Warn+" "+safe.Line(m.sourceError), end-l.Used-len(esc)).Put(m.theme.Dim, esc)
}

// drawCounts says in the status line what is shown, or what the user wrote about it.
func (m *Model) drawCounts(l *term.Line) {
	l.Gap(1)
	r := m.list.Rec
	if m.layout.InfoPanel.H > 0 {
		l.Put(m.theme.Dim, term.Count(len(m.recs), "recording"))
		return
	}
	if m.view != nil {
		l.Put(m.theme.Dim, m.view.Told(m))
		return
	}
	if r == nil {
		return
	}
	if text := r.Comment(m.selectedRow()); text != "" {
		l.Put(m.theme.Note, "; ").Put(term.Plain, safe.Line(text))
		return
	}
	l.Put(m.theme.Dim, safe.Line(r.Where))
}

// drawHints lists the keys that do something here and now. Help and quit are
// always among them.
func (m *Model) drawHints(l *term.Line) {
	if w := m.writes(); m.entry != nil || w != nil {
		var keys [][2]safe.Text
		var note safe.Text
		if m.entry != nil {
			keys, note = m.entry.hints()
		} else {
			keys = w.Hints()
		}
		for _, h := range keys {
			if l.Used+term.Width(h[0])+term.Width(h[1])+3 <= l.Max {
				l.Hint(&m.theme, h[0], h[1])
			}
		}
		if note != "" && l.Max-l.Used >= 30 {
			l.Gap(2).PutMax(m.theme.Dim, note, l.Max-l.Used)
		}
		return
	}
	if m.dialog.kind != noDialog {
		return // it says its keys itself
	}
	away := m.returnName()
	if away != "" {
		l.Hint(&m.theme, "esc", away)
	}
	if p := m.replay.Marked; p != nil && m.view == m.home {
		l.Hint(&m.theme, "d", "compare with "+m.replay.NameOf(*p))
	}
	room := m.w - 1 - len("? help  q quit  ")
	for _, c := range m.urgent(slices.Concat(m.own(), m.root())) {
		last := c.ID == "global.help" || c.ID == "global.quit"
		word := m.hint(&c)
		if word == "" {
			continue
		}
		if show := safe.Line(c.Key.Help().Key); last || l.Used+term.Width(show)+term.Width(word)+3 <= room {
			l.Hint(&m.theme, show, word)
		}
	}
}

// failedHere says whether the selected message is a request that failed.
func (m *Model) failedHere() bool { return m.view == nil && m.whyNotProbe() == "" }

// urgent puts what can be done about a failure behind what opens it.
func (m *Model) urgent(all []keymap.Command) []keymap.Command {
	if !m.failedHere() {
		return all
	}
	rank := func(c keymap.Command) int {
		first := []string{"global.next-problem", "global.compare-good", "global.resend", "global.probe", "messages.open"}
		return -slices.Index(first, c.ID)
	}
	slices.SortStableFunc(all, func(a, b keymap.Command) int { return rank(a) - rank(b) })
	return all
}

// hint is the word of a command for the footer, "" where it can do nothing.
func (m *Model) hint(c *keymap.Command) safe.Text {
	everywhere := c.Area() == keymap.Everywhere
	switch {
	case !everywhere && c.Area() != m.area():
		return ""
	case everywhere && m.view == m.home && c.About != keymap.Nothing:
		return keymap.When(m.home.Scope().Rec != nil, c.Word()) // of the session selected there
	case everywhere && m.view != nil && c.ID != "global.help" && c.ID != "global.quit":
		return ""
	case c.Disabled() != "":
		return ""
	}
	return c.Word()
}

func (m *Model) withRecordings(hint safe.Text) func() safe.Text {
	return keymap.If(func() bool { return len(m.recs) > 0 }, hint)
}

// chosen says whether a message is selected, shows whether there is a list of them.
func (m *Model) chosen() bool {
	_, ok := m.list.Selected()
	return ok
}

func (m *Model) shows() bool { return !m.layoutOptions.InfoPanel }

// ownTap says whether the screen is about a proxy of this process that waits for its
// first client.
// configures says whether copying copies what a client's configuration needs: nothing was
// recorded yet.
func (m *Model) configures() bool { return len(m.recs) == 0 || m.ownTap() }

func (m *Model) ownTap() bool {
	r := m.list.Rec
	return m.layout.InfoPanel.H > 0 && r != nil && sessions.OwnTap(r, m.opts.Hints.HTTPURL)
}

func (m *Model) exportHint() safe.Text {
	if m.view == m.home {
		return "share"
	}
	return keymap.When(m.layout.Roomy(), "export")
}

// isInside says whether q goes back: the messages and the start screen are left with it.
func (m *Model) isInside() bool { return m.view != nil && m.view != m.home || m.layoutOptions.Full }

func (m *Model) quitHint() safe.Text {
	if m.isInside() {
		return "back"
	}
	return "quit"
}

func (m *Model) followHint() safe.Text {
	switch r := m.list.Rec; {
	case !m.shows() || r == nil || !r.Live:
		return ""
	case m.list.Follow:
		return "pause"
	}
	return "follow"
}
