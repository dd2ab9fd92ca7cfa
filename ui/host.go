package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// host is all that a view may know of the program, and ask of it.
type host interface {
	// Scene is what drawing needs to know: theme, glyphs, size, time. It is
	// made anew for every call.
	Scene() *library.Scene
	// Scope says which messages the list shows.
	Scope() library.Scope
	// Rows is the list of these messages.
	Rows() rows

	// Recordings are all there are. The slice is read only.
	Recordings() []*library.Recording

	// Select selects a message of the list by its id.
	Select(id uint32)
	// Follow begins or ends following the newest message.
	Follow(on bool)
	// Jump shows a frame of a recording among the messages; esc comes back.
	Jump(rec *library.Recording, frame uint64) tea.Cmd
	// ShowOnly shows the messages of a scope that a filter keeps, a frame among
	// them selected; esc comes back.
	ShowOnly(of library.Scope, filter string, frame uint64)
	// Open shows another view, from which esc comes back.
	Open(v view)
	// Run carries out a command of the program, by its id.
	Run(id string) tea.Cmd

	// Review arranges the findings anew, where other rules are muted.
	Review()
	// Export writes so many findings as SARIF, by recording. Exports says
	// whether there is somewhere to write to.
	Export(found map[string][]*diagnose.Finding, n int) tea.Cmd
	Exports() bool

	// Copy puts text on the clipboard and says what it is.
	Copy(text, what string) tea.Cmd
	// Say tells something for a moment, Complain until a key is pressed.
	Say(text safe.Text) tea.Cmd
	Complain(text safe.Text) tea.Cmd

	// Clicked takes note of a click on a line and says whether it is the second
	// one of a double click.
	Clicked(line uint32) (again bool)
	// Later wakes a view after a while, or after the keys had a turn.
	Later(v sleeper, d time.Duration) tea.Cmd
}

// viewMsg is a message that a view or what it asks sent to itself. The screen
// is drawn anew after it.
type viewMsg interface {
	take(h host) tea.Cmd
}

// sleeper is a view that has something to do later.
type sleeper interface {
	// wake is called when so much time has passed, before the view's refresh.
	wake(after time.Duration)
}

// wakeMsg wakes a view.
type wakeMsg struct {
	v     sleeper
	after time.Duration
}

func (msg wakeMsg) take(host) tea.Cmd {
	msg.v.wake(msg.after)
	return nil
}

// Scene implements host.
func (m *Model) Scene() *library.Scene { return m.scene() }

// Scope implements host.
func (m *Model) Scope() library.Scope { return m.list.Scope }

// Rows implements host.
func (m *Model) Rows() rows { return rows{&m.list} }

// Select implements host.
func (m *Model) Select(id uint32) { m.list.Selection = id }

// Follow implements host.
func (m *Model) Follow(on bool) {
	if on {
		m.list.Resume()
	} else {
		m.list.Pause()
	}
}

// Recordings implements host.
func (m *Model) Recordings() []*library.Recording { return m.recs }

// Review implements host.
func (m *Model) Review() { m.review(reviewAll) }

// Exports implements host.
func (m *Model) Exports() bool { return m.opts.Exporter != nil }

// Run implements host.
func (m *Model) Run(id string) tea.Cmd { return m.call(named(m.commands(), id)) }

// Copy implements host.
func (m *Model) Copy(text, what string) tea.Cmd { return clipboard(m, text, what) }

// Say implements host.
func (m *Model) Say(text safe.Text) tea.Cmd { return m.say(text) }

// Complain implements host.
func (m *Model) Complain(text safe.Text) tea.Cmd { return m.complain(text) }

// Clicked implements host.
func (m *Model) Clicked(line uint32) (again bool) {
	last, now := m.lastRow, m.opts.Now()
	m.lastRow = clicked{line, now}
	if again = last.id == line && !last.at.IsZero() && now.Sub(last.at) < doubleClick; again {
		m.lastRow = clicked{}
	}
	return again
}

// Later implements host.
func (m *Model) Later(v sleeper, d time.Duration) tea.Cmd {
	if d == 0 {
		m.dirty = true
		return func() tea.Msg { return wakeMsg{v, 0} }
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return wakeMsg{v, d} })
}

// titleLine draws the line above a pane: its name at the left, something about
// it at the right.
func titleLine(sc *library.Scene, w int, name safe.Text, focus bool, right ...term.Seg) *term.Line {
	l := term.NewLine(w, sc.Glyphs)
	st := sc.Theme.Title
	if focus {
		st = sc.Theme.Key
	}
	l.Put(sc.Theme.Frame, safe.Text(sc.Glyphs.H)).Gap(1).Put(st, name).Gap(1)
	n := 0
	for _, s := range right {
		n += term.Width(s.Text)
	}
	if n > 0 && l.Used+n+4 <= w {
		l.Fill(sc.Theme.Frame, sc.Glyphs.H, w-n-3).Gap(1)
		for _, s := range right {
			l.Put(s.Style, s.Text)
		}
		l.Gap(1)
	}
	return l.Fill(sc.Theme.Frame, sc.Glyphs.H, w)
}

// sideBySide puts two blocks beside each other with a line between them.
func sideBySide(sc *library.Scene, left, right []string) []string {
	between := func(sign string) string {
		return term.NewLine(1, sc.Glyphs).Put(sc.Theme.Frame, safe.Text(sign)).Finish()
	}
	bar := between(sc.Glyphs.V)
	out := make([]string, min(len(left), len(right)))
	for i := range out {
		out[i] = left[i] + bar + right[i]
	}
	if len(out) > 0 {
		out[0] = left[0] + between(sc.Glyphs.TDown) + right[0]
	}
	return out
}

// pageOf draws a title and what stands below it: exactly h lines.
func pageOf(w, h int, title string, body []string) []string {
	out := append([]string{title}, body...)
	if len(out) > h {
		out = out[:max(h, 0)]
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

// words draws a document as the body of a page: why there is nothing to see,
// and what to press.
func words(sc *library.Scene, w int, d *document.Doc) []string {
	out := term.Blanks(1, w)
	for i := range d.Lines {
		l := term.NewLine(w, sc.Glyphs).Gap(3)
		d.Lines[i].Draw(l, sc.Theme)
		out = append(out, l.Finish())
	}
	return out
}

// goesBack ends words about a view.
func goesBack(sc *library.Scene, d *document.Doc) {
	d.Blank()
	d.Add(term.S(sc.Theme.Key, "esc"), term.S(sc.Theme.Dim, " goes back"))
}

// drawNothing says why there are no messages.
func drawNothing(sc *library.Scene, w int, of rows) []string {
	why, hint := of.Nothing()
	out := append(term.Blanks(1, w), term.NewLine(w, sc.Glyphs).Gap(3).Put(term.Plain, why).Finish())
	if hint != "" {
		out = append(out, term.NewLine(w, sc.Glyphs).Gap(3).Put(sc.Theme.Dim, hint).Finish())
	}
	return out
}

// unread says why nothing is known of a recording; false when something is.
func unread(sc *library.Scene, d *document.Doc, r *library.Recording, answered bool) bool {
	switch {
	case !r.Opened && !r.Loaded():
		d.Text(term.Plain, "This recording is not loaded.")
		d.Add(term.S(sc.Theme.Key, "esc"), term.S(sc.Theme.Dim, " goes back; "),
			term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, " in the session tree loads it"))
	case !r.Loaded() && !r.Live && r.Loading < 1:
		d.Text(term.Plain, "Loading.")
	case !answered:
		d.Text(term.Plain, "Reading the recording.")
	default:
		return false
	}
	return true
}

// rowLine begins a line of a list, with the bar before the selected one.
func rowLine(sc *library.Scene, w int, chosen, focus bool) *term.Line {
	l := term.NewLine(w, sc.Glyphs)
	if chosen {
		l.Selected(sc.Theme, focus)
		l.Put(sc.Theme.Key, safe.Text(sc.Glyphs.Bar))
	}
	return l.Gap(1 - l.Used)
}

// join puts parts of a title beside each other, with some room between.
func join(parts ...[]term.Seg) (out []term.Seg) {
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if out != nil {
			out = append(out, term.S(term.Plain, "   "))
		}
		out = append(out, p...)
	}
	return out
}

// frameRef names a frame.
func frameRef(n uint64) safe.Text {
	if n == 0 {
		return ""
	}
	return "#" + safe.Int(int(n))
}
