package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/replaying"
	"midwire/ui/view"
)

// targetEntry is the line of a replay's target.
type targetEntry struct{ *replaying.Replays }

func (e targetEntry) key(_ *Model, k tea.KeyPressMsg) tea.Cmd { return e.Key(k) }
func (e targetEntry) update(_ *Model, msg tea.Msg) tea.Cmd    { return e.Update(msg) }

// Size implements replaying.Host.
func (m *Model) Size() (w, h int) { return m.w, m.h }

// ShowComparison implements replaying.Host.
func (m *Model) ShowComparison(v view.View) {
	m.Open(v)
	m.touched = true
}

// LeaveComparisons implements replaying.Host.
func (m *Model) LeaveComparisons() {
	for m.view != nil && (m.view.Area() == keymap.Replay || m.view.Area() == keymap.Differences) {
		m.popView()
	}
}

// Dialog implements replaying.Host.
func (m *Model) Dialog(open bool) {
	m.over = overlay{}
	if open {
		m.over.kind = overReplay
	}
}

// InDialog implements replaying.Host.
func (m *Model) InDialog() bool { return m.over.kind == overReplay }

// Busy implements replaying.Host.
func (m *Model) Busy() bool { return m.over.kind != overNone || m.entry != nil }

// Interrupt implements replaying.Host.
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

// sessionHere is the session that is shown.
func (m *Model) sessionHere() library.SessionRef {
	ref := library.SessionRef{Recording: m.list.Rec.ID, Session: m.list.Session}
	if ref.Session < 0 || len(m.list.Rec.Tracker.Sessions()) < 2 {
		ref.Session = -1
	}
	return ref
}

// selectedCall is the selected message, to be sent again.
func (m *Model) selectedCall() replaying.Request {
	row := m.list.Rec.Tracker.Row(m.selectedRow())
	ref := library.SessionRef{Recording: m.list.Rec.ID, Session: int(row.Session)}
	return replaying.Request{SessionRef: ref, Frame: row.Request, Batch: row.Batch}
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
