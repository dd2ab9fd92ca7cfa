package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/filter"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/palette"
	"midwire/ui/query"
	"midwire/ui/replaying"
	"midwire/ui/sessions"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/search"
	"midwire/ui/welcome"
)

// What view.Host asks for.
func (m *Model) Scope() library.Scope  { return m.list.Scope }
func (m *Model) Rows() *messages.List  { return &m.list }
func (m *Model) Run(id string) tea.Cmd { return m.call(keymap.Named(m.root(), id)) }

// Payloads implements view.Host.
func (m *Model) Payloads(rec *library.Recording, ns []uint64) (map[uint64]wire.Frame, string, tea.Cmd) {
	m.cache.Show(rec.ID, ns)
	cmd := m.cache.Load(m.src, rec.ID, ns, nil)
	got, _ := m.cache.Have(rec.ID, ns)
	return got, m.cache.Failure(rec.ID, ns), cmd
}

// Busy implements view.Host.
func (m *Model) Busy() view.Busy {
	switch {
	case m.dialog.kind == replayDialog:
		return view.InReplay
	case m.dialog.kind != noDialog || m.entry != nil:
		return view.Elsewhere
	}
	return view.Free
}

// Do implements view.Host.
func (m *Model) Do(what any) tea.Cmd {
	switch ask := what.(type) {
	case view.ShowOnly:
		m.showOnly(ask)
	case view.ShowScope:
		return m.showScope(ask.Scope)
	case view.Choose:
		return m.choose(ask.Scope, ask.Read)
	case view.Goto:
		return m.goTo(ask.Frame)
	case view.Narrow:
		m.narrow(ask.Session)
	case view.FilterBy:
		return m.filterBy(ask.Text)
	case view.KeepOnly:
		m.keepOnly(ask.Text)
	case filter.Show:
		m.showMatches(ask.Query)
	case view.Search:
		m.search(ask.Text)
	case view.Export:
		return m.exportFindings(ask.Found, ask.N)
	case view.AskName:
		return m.askName(ask.Rec, ask.Of, ask.What)
	case view.AskDelete:
		return m.askDelete(ask.Rec)
	case view.CallTool:
		return m.callTool(ask)
	case view.Break:
		return m.gate.Break(m, ask.Line)
	case view.SetMouse:
		m.noMouse = ask.On // toggling turns it round
		return m.toggleMouse()
	case view.SetTheme:
		return m.setTheme(ask.Name)
	default:
		return m.doIn(what)
	}
	return nil
}

// doIn does what a box or the first screen asks for.
func (m *Model) doIn(what any) tea.Cmd {
	switch ask := what.(type) {
	case view.Menu:
		m.openMenu(ask.Menu)
	case palette.Done:
		m.dialog = dialog{}
		if ask.Chosen != nil {
			return m.execute(*ask.Chosen)
		}
	case replaying.Dialog:
		m.dialog = dialog{}
		if ask.Open {
			m.dialog.kind = replayDialog
		}
	case replaying.Outcome:
		m.noteOutcome(ask)
	case replaying.CloseComparisons:
		for m.view != nil && m.view.Area() == keymap.Replay {
			m.popView()
		}
	case search.Ask:
		return m.askSearch(ask.Text)
	case sessions.WriteFilter:
		m.entry = filterEntry{&m.home.Line}
		return m.home.Line.Edit(m)
	case welcome.Start:
		return m.play(ask.Name)
	case welcome.Serve:
		return m.serve(ask.URL)
	}
	return nil
}

// clickedAgain takes note of a click on a row and says whether it is the second one of a
// double click.
func (m *Model) clickedAgain(row uint32) bool {
	last, now := m.lastRow, m.opts.Now()
	m.lastRow = clicked{row, now}
	again := last.id == row && !last.at.IsZero() && now.Sub(last.at) < doubleClick
	if again {
		m.lastRow = clicked{}
	}
	return again
}

func (m *Model) filterHere() *filter.Line {
	if m.view == m.home {
		return &m.home.Line
	}
	return &m.filter
}

// filterEntry is the line of a filter among the text entries.
type filterEntry struct{ *filter.Line }

func (f filterEntry) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
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

func (m *Model) editFilter() tea.Cmd {
	if m.list.Rec == nil || m.layoutOptions.InfoPanel {
		return nil
	}
	if m.layout.List.W == 0 && m.focus != paneDetail {
		m.focusPane(paneList)
	}
	m.forgetReturn()
	m.entry = filterEntry{&m.filter}
	return m.filter.Edit(m)
}

// keepOnly replaces the filter as if it had been typed.
func (m *Model) keepOnly(text string) {
	m.filter.Write(m, text)
	m.list.Scan(idsPerScan)
	m.list.Reveal()
}

func (m *Model) showMatches(q *query.Query) {
	m.detail.Look(q.Wanted())
	l := &m.list
	follow := l.Follow
	l.Reset(l.Scope, q)
	l.Follow = follow
}

// filterHidden says whether something else stands in the status line.
func (m *Model) filterHidden() bool {
	return m.toast.text != "" || m.view != nil && !m.view.Area().OfList() || m.entry != nil || m.replay.Running()
}

type targetEntry struct{ *replaying.Replays }

func (e targetEntry) key(_ *Model, k tea.KeyPressMsg) tea.Cmd { return e.Key(k) }
func (e targetEntry) update(_ *Model, msg tea.Msg) tea.Cmd    { return e.Update(msg) }

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

// whyNotProbe says why the server cannot be asked about the selected message.
func (m *Model) whyNotProbe() safe.Text {
	if why := m.whyNotResend(); why != "" {
		return why
	}
	failed := m.list.Rec.Tracker.Row(m.selectedRow()).Ending.Failed()
	return keymap.Unless(failed, "choose a request that failed to ask about")()
}

// sessionHere is the session that is shown.
func (m *Model) sessionHere() library.SessionRef { return m.list.Rec.Ref(m.list.Session) }

// selectedCall is the selected message, to be sent again, or for its server to be asked about.
func (m *Model) selectedCall(probe bool) replaying.Request {
	return m.requestOf(m.selectedRow(), probe)
}

func (m *Model) requestOf(at int, probe bool) replaying.Request {
	row := m.list.Rec.Tracker.Row(at)
	ref := library.SessionRef{Recording: m.list.Rec.ID, Session: int(row.Session)}
	return replaying.Request{SessionRef: ref, Frame: row.Request, Batch: row.Batch, Probe: probe}
}

// callTool calls a tool as the request was made that listed it, whose session it has.
func (m *Model) callTool(ask view.CallTool) tea.Cmd {
	row := m.list.Rec.RowAt(ask.Listed)
	switch why := m.whyNotReplay(); {
	case row < 0:
		return m.Complain("the request that listed it is not in this recording")
	case why != "":
		return m.Complain(why)
	}
	q := m.requestOf(row, false)
	q.Tool = ask.Name
	return m.replay.Compose(q, ask.Schema)
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

func (m *Model) noteOutcome(came replaying.Outcome) {
	if came.Asked != "" {
		m.noteQueue.read(came.Asked)
	}
	if r, t := m.rec(came.Recording), came.Tally; r != nil {
		r.Outcome = &library.Outcome{Broken: t.Broken, Fixed: t.Fixed, Changed: t.Changed, Same: t.Same}
	}
}

// narrow shows one session, or all; the selection stays on its message where it
// is among them.
func (m *Model) narrow(session int) {
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

// gateCommands arm the gate and release what it holds, from everywhere.
func (m *Model) gateCommands() []keymap.Command {
	return []keymap.Command{
		{
			ID: "global.gate", Key: keymap.Bind("I", "I", "hold messages at the gate"), Title: "hold messages at the gate", Words: "intercept arm break edit drop fault breakpoint pause", Group: keymap.Act, On: keymap.OnSiblings,
			Why: m.whyNotGate, Run: func() tea.Cmd { return m.gate.Turn(m, m.filter.Text()) },
		},
		{
			ID: "global.release-all", Key: keymap.Bind("ctrl+g", "^g", "release all that is held"), Title: "release everything that the gate holds", Words: "continue resume intercept", Says: keymap.If(func() bool { return m.gate.Holds() }, "release all"),
			Group: keymap.Act, On: keymap.OnAll, Run: func() tea.Cmd { return m.gate.ReleaseAll(m) },
		},
		{
			ID: "global.restart", Key: keymap.Bind("ctrl+r", "", ""), Title: "restart the server behind its client", Words: "reload again respawn hot",
			Says:  keymap.If(func() bool { return m.gate.WhyNotRestart() == "" }, "restart server"),
			Group: keymap.Act, On: keymap.OnSiblings, Why: m.gate.WhyNotRestart, Run: m.gate.Restart,
		},
	}
}

func (m *Model) whyNotGate() safe.Text { return m.gate.WhyNot(m.list.Rec) }

// editText opens a text in the user's editor, which replay has.
func (m *Model) editText(text []byte) replaying.Editor { return m.opts.Replayer.Edit(text) }

// writerEntry is the text of a view among the text entries.
type writerEntry struct{ view.Writer }

func (e writerEntry) key(m *Model, k tea.KeyPressMsg) tea.Cmd { return e.Write(m, k) }
func (e writerEntry) update(m *Model, msg tea.Msg) tea.Cmd    { return e.Write(m, msg) }

// writes is the text that the view is writing, nil for none.
func (m *Model) writes() view.Writer {
	if v, ok := m.view.(view.Writer); ok && v.Writes() {
		return v
	}
	return nil
}
