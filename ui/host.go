package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/library/summary"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/filter"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/query"
	"midwire/ui/replaying"
	"midwire/ui/term"
	"midwire/ui/view"
)

// What view.Host asks for.
func (m *Model) Scope() library.Scope { return m.list.Scope }
func (m *Model) Rows() messages.Rows  { return m.list.Rows() }
func (m *Model) Select(id uint32)     { m.list.Selection = id }

// Follow implements view.Host.
func (m *Model) Follow(on bool) {
	if on {
		m.list.Resume()
	} else {
		m.list.Pause()
	}
}

// Recordings implements view.Host.
func (m *Model) Recordings() []*library.Recording { return m.recs }

// Payloads implements view.Host.
func (m *Model) Payloads(rec *library.Recording, ns []uint64) (map[uint64]wire.Frame, string, tea.Cmd) {
	m.cache.Show(rec.ID, ns)
	cmd := m.cache.Load(m.src, rec.ID, ns, nil)
	got, _ := m.cache.Have(rec.ID, ns)
	return got, m.cache.Failure(rec.ID, ns), cmd
}

// What view.Host asks for.
func (m *Model) Review()               { m.review(reviewAll) }
func (m *Model) Exports() bool         { return m.opts.Exporter != nil }
func (m *Model) Run(id string) tea.Cmd { return m.call(keymap.Named(m.root(), id)) }

// Clicked implements view.Host.
func (m *Model) Clicked(line uint32) (again bool) {
	last, now := m.lastRow, m.opts.Now()
	m.lastRow = clicked{line, now}
	if again = last.id == line && !last.at.IsZero() && now.Sub(last.at) < doubleClick; again {
		m.lastRow = clicked{}
	}
	return again
}

// Later implements view.Host.
func (m *Model) Later(v view.Sleeper, d time.Duration) tea.Cmd {
	if d == 0 {
		m.dirty = true
		return func() tea.Msg { return view.WakeMsg{V: v, After: 0} }
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return view.WakeMsg{V: v, After: d} })
}

// What sessions.Host asks for.
func (m *Model) Tap() (url, upstream string)        { return m.opts.Hints.HTTPURL, m.opts.Hints.Upstream }
func (m *Model) MarkedSession() *library.SessionRef { return m.replay.Marked }

// WriteFilter implements sessions.Host.
func (m *Model) WriteFilter() tea.Cmd {
	m.entry = filterEntry{&m.home.Line}
	return m.home.Line.Edit(m)
}

// filterHere is the line of the filter of what is on the screen.
func (m *Model) filterHere() *filter.Line {
	if m.view == m.home {
		return &m.home.Line
	}
	return &m.filter
}

// filterEntry is the line of a filter among the text entries.
type filterEntry struct{ *filter.Line }

func (f filterEntry) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	if k.String() == "ctrl+c" {
		return m.quit(true)
	}
	cmd := f.Key(m, k)
	if !f.Writing() {
		m.entry = nil
	}
	return cmd
}

func (f filterEntry) update(m *Model, msg tea.Msg) tea.Cmd         { return f.Update(m, msg) }
func (f filterEntry) end(*Model)                                   { f.End() }
func (f filterEntry) draw(l *term.Line, m *Model)                  { f.Draw(l, m, m.toast.text) }
func (f filterEntry) hints() (keys [][2]safe.Text, note safe.Text) { return f.Hints() }

// editFilter begins to write a filter of the messages.
func (m *Model) editFilter() tea.Cmd {
	if m.list.Rec == nil || m.layoutOptions.InfoPanel {
		return nil
	}
	if m.layout.List.W == 0 {
		m.focusPane(paneList)
	}
	m.forgetReturn()
	m.entry = filterEntry{&m.filter}
	return m.filter.Edit(m)
}

// KeepOnly replaces the filter as if it had been typed.
func (m *Model) KeepOnly(text string) {
	m.filter.Write(m, text)
	m.list.Scan(idsPerScan)
	m.list.Reveal()
}

// ShowMatches implements filter.Host.
func (m *Model) ShowMatches(q *query.Query) {
	m.detail.LookForFilter(q.Wanted())
	l := &m.list
	follow := l.Follow
	l.Reset(l.Scope, l.RawFrames, q)
	l.Follow = follow
}

// filterHidden says whether something else stands in the status line.
func (m *Model) filterHidden() bool {
	return m.toast.text != "" || m.view != nil && !m.view.Area().OfList() || m.entry != nil || m.replay.Running()
}

// targetEntry is the line of a replay's target.
type targetEntry struct{ *replaying.Replays }

func (e targetEntry) key(_ *Model, k tea.KeyPressMsg) tea.Cmd { return e.Key(k) }
func (e targetEntry) update(_ *Model, msg tea.Msg) tea.Cmd    { return e.Update(msg) }

// Size implements replaying.Host.
func (m *Model) Size() (w, h int) { return m.w, m.h }

// Show implements replaying.Host.
func (m *Model) Show(v view.View) {
	m.Open(v)
	m.userChose = true
}

// CloseComparisons implements replaying.Host.
func (m *Model) CloseComparisons() {
	for m.view != nil && (m.view.Area() == keymap.Replay || m.view.Area() == keymap.Differences) {
		m.popView()
	}
}

// Dialog implements replaying.Host.
func (m *Model) Dialog(open bool) {
	m.dialog = dialog{}
	if open {
		m.dialog.kind = replayDialog
	}
}

// What replaying.Host asks for.
func (m *Model) InDialog() bool     { return m.dialog.kind == replayDialog }
func (m *Model) Busy() bool         { return m.dialog.kind != noDialog || m.entry != nil }
func (m *Model) Interrupt() tea.Cmd { return m.quit(true) }

// whyNotCompare says why there is nothing to compare or to replay with.
func (m *Model) whyNotCompare() safe.Text {
	switch {
	case m.opts.Replayer == nil:
		return "replay is not available here"
	case m.list.Rec == nil:
		return "choose a session to replay"
	case m.list.Rec.Broken():
		return "it cannot be replayed: " + m.list.Rec.TroubleText()
	case m.list.Session == library.NoSession:
		return "these messages belong to no session: choose one to replay"
	case m.sessionHere() == library.SessionRef{}:
		return "each recording is replayed by itself: choose a message of one"
	}
	return ""
}

// whyNotReplay says why nothing can be replayed now.
func (m *Model) whyNotReplay() safe.Text {
	if why := m.whyNotCompare(); why != "" {
		return why
	}
	return m.replay.WhyNotNow()
}

// whyNotResend says why the selected message cannot be sent again.
func (m *Model) whyNotResend() safe.Text {
	i := m.selectedRow()
	if why := m.whyNotReplay(); why != "" {
		return why
	} else if i < 0 {
		return "choose a call to send again"
	}
	row := m.list.Rec.Tracker.Row(i)
	again := row.Kind == session.RowCall && row.Dir == wire.ToServer && row.Session >= 0
	return keymap.Unless(again, "only a request of the client can be sent again")()
}

// sessionHere is the session that is shown; of several recordings in one that of
// the selected message.
func (m *Model) sessionHere() library.SessionRef {
	r, i := m.list.Rec, m.list.Session
	if row := m.selectedRow(); r.Merges() && i < 0 && row >= 0 {
		i = int(r.Tracker.Row(row).Session)
	}
	return r.Ref(i)
}

// selectedCall is the selected message, to be sent again.
func (m *Model) selectedCall() replaying.Request {
	row := m.list.Rec.Tracker.Row(m.selectedRow())
	of, i := m.list.Rec.SessionOrigin(int(row.Session))
	_, n := m.list.Rec.Origin(uint64(row.Request))
	ref := library.SessionRef{Recording: of.ID, Session: i}
	return replaying.Request{SessionRef: ref, Frame: uint32(n), Batch: row.Batch}
}

// replayName names the recording of a replay by what it is a replay of: its
// label has the id, "replay of ID: TARGET". It is "" for any other recording.
func (m *Model) replayName(label string) string {
	rest, ok := strings.CutPrefix(label, "replay of ")
	id, _, ok2 := strings.Cut(rest, ": ")
	if of := m.rec(id); ok && ok2 && of != nil {
		return "replay of " + string(of.Name())
	}
	return ""
}

// noteOutcome tells the recording of a replay what came of it.
func (m *Model) noteOutcome() {
	if m.replay.Last == nil {
		return
	}
	id, t, ok := m.replay.Last.Came()
	if r := m.rec(id); ok && r != nil {
		r.Outcome = &summary.Outcome{Broken: t.Broken, Fixed: t.Fixed, Changed: t.Changed, Same: t.Same}
	}
}

// Menu implements messages.Host.
func (m *Model) Menu(c *messages.Chooser) { m.dialog = dialog{kind: chooseDialog, choose: c} }
func (m *Model) FilterText() string       { return m.filter.Text() }

// Narrow shows one session, or all; the selection stays on its message where it
// is among them.
func (m *Model) Narrow(session int) {
	l := &m.list
	if l.Rec == nil || session == l.Session {
		return
	}
	m.remember()
	l.Narrow(session, idsPerScan, func() {
		m.rearrange()
		l.Resize(m.layout.Rows())
	})
}
