package ui

import (
	"bytes"
	"cmp"
	"context"
	"sync/atomic"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/replaying"
	"midwire/ui/sessions"
)

// replays is everything about replaying and comparing: the question before, the
// run, and what came of the last one.
type replays struct {
	request replaying.Request // asked about, running, or the last one
	plan    *replay.Preview
	planned int // numbers plans: an old one is not wanted any more
	target  textinput.Model
	read    readTo
	step    bool
	faulty  []byte // what was edited and is no JSON
	fault   string

	running *running
	said    map[library.SessionRef]replaying.ToolChoice // what the user said of tools, by session
	targets map[library.SessionRef]string
	marked  *library.SessionRef   // to be compared with the next one
	last    *replaying.Comparison // what was replayed or compared last
}

// running is a replay under way.
type running struct {
	stop  context.CancelFunc
	step  chan struct{}
	at    atomic.Pointer[replay.Progress] // written by the run
	shown replay.Progress
	over  bool // the user wants it to stop
}

type (
	planMsg struct {
		n    int
		plan replay.Preview
		err  error
	}
	ranMsg struct {
		run    *running
		result *replay.Comparison
		err    error
	}
	progressMsg struct{ run *running }
	comparedMsg struct {
		a, b   library.SessionRef
		result *replay.Comparison
		err    error
	}
	editedMsg struct {
		editor replaying.Editor
		err    error
	}
)

func newReplays() replays {
	in := textinput.New()
	in.SetVirtualCursor(false)
	in.CharLimit = 64 << 10
	in.Prompt = ""
	return replays{target: in, said: map[library.SessionRef]replaying.ToolChoice{}, targets: map[library.SessionRef]string{}}
}

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
	return m.WhyNotAgain()
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

// ask opens the question, and works out what to say in it.
func (m *Model) ask(q replaying.Request) tea.Cmd {
	p := &m.replay
	q.Target = p.targets[q.SessionRef.Whole()]
	p.request, p.plan, p.faulty, p.fault, p.read = q, nil, nil, "", readTo{}
	p.target.SetValue(q.Target)
	m.over = overlay{kind: overReplay}
	return m.planIt()
}

func (m *Model) planIt() tea.Cmd {
	p := &m.replay
	p.planned++
	n, q, by, ctx := p.planned, p.request, m.opts.Replayer, m.ctx
	return func() tea.Msg {
		plan, err := by.Plan(ctx, q)
		return planMsg{n, plan, err}
	}
}

func (m *Model) takePlan(msg planMsg) tea.Cmd {
	p := &m.replay
	if msg.n != p.planned || m.over.kind != overReplay && m.over.kind != overFault {
		return nil
	}
	m.dirty = true
	if msg.err != nil {
		msg.plan.Missing = msg.err.Error()
		msg.plan.Target = p.request.Target
	}
	p.plan = &msg.plan
	if p.request.Target == "" {
		p.target.SetValue(msg.plan.Target)
	}
	if p.known() {
		return m.start(p.said[p.request.SessionRef.Whole()])
	}
	return nil
}

// compare marks the session that is shown, or compares it with the marked one.
func (m *Model) compare() tea.Cmd {
	p := &m.replay
	ref := m.sessionHere()
	name := func() safe.Text { return m.refName(ref) }
	switch {
	case p.marked == nil:
		p.marked = &ref
		return m.say(name() + " is marked; d on another session compares the two")
	case *p.marked == ref:
		p.marked = nil
		return m.say(name() + " is not marked any more")
	}
	a, by, ctx := *p.marked, m.opts.Replayer, m.ctx
	p.marked = nil
	return tea.Batch(m.say("comparing"), func() tea.Msg {
		c, err := by.Compare(ctx, a, ref)
		return comparedMsg{a, ref, c, err}
	})
}

func (m *Model) takeCompared(msg comparedMsg) tea.Cmd {
	m.dirty = true
	m.toast.text = ""
	if msg.err != nil || msg.result == nil {
		return m.complain("they cannot be compared: " + troubleText(msg.err))
	}
	c := *msg.result
	c.FirstName, c.SecondName = m.refNames(msg.a, msg.b)
	m.replay.last = replaying.NewComparison(m, m.opts.Replayer, &c)
	m.showComparison()
	return nil
}

// refNames names two sessions so that they can be told apart.
func (m *Model) refNames(a, b library.SessionRef) (string, string) {
	x, y := m.refName(a), m.refName(b)
	if x == y && m.rec(a.Recording) != nil && m.rec(b.Recording) != nil {
		const clock = " 15:04:05"
		x += safe.Line(m.rec(a.Recording).Started.Local().Format(clock))
		y += safe.Line(m.rec(b.Recording).Started.Local().Format(clock))
	}
	return string(x), string(y)
}

// refName names a session for people.
func (m *Model) refName(ref library.SessionRef) safe.Text {
	r := m.rec(ref.Recording)
	if r == nil {
		return safe.Line(ref.Recording)
	}
	name := r.Name()
	if s := r.Session(ref.Session); s != nil && len(r.Tracker.Sessions()) > 1 {
		if called := r.CalledSession(s); called != "" {
			return name + " " + safe.Line(called)
		}
		if s.ID != "" {
			return name + " " + sessions.ShortID(s.ID, &m.sg)
		}
		return name + " " + library.PeerText(s.Client)
	}
	return name
}

// WhyNotAgain says why nothing can be replayed once more.
func (m *Model) WhyNotAgain() safe.Text {
	return keymap.Unless(m.replay.running == nil, "a replay is running; esc stops it")()
}

// Again replays once more, as it was asked about.
func (m *Model) Again(q replaying.Request) tea.Cmd {
	m.replay.request = q
	return m.start(q.Tools)
}

// AskAgain asks how to replay once more.
func (m *Model) AskAgain(q replaying.Request) tea.Cmd { return m.ask(q) }

// EditCall opens the parameters of a call in the user's editor.
func (m *Model) EditCall(q replaying.Request) tea.Cmd {
	p := &m.replay
	p.request = q
	n, by, ctx := p.planned+1, m.opts.Replayer, m.ctx
	p.planned = n
	return func() tea.Msg {
		plan, err := by.Plan(ctx, q)
		if err != nil {
			return editedMsg{nil, err}
		}
		text, ok := wire.Indent(plan.Params, "")
		if !ok {
			text = []byte(cmp.Or(string(plan.Params), "{}"))
		}
		return editedMsg{by.Edit(append(text, '\n')), nil}
	}
}

// takeEdited starts the editor that was prepared, and later takes its text.
func (m *Model) takeEdited(msg editedMsg) tea.Cmd {
	p := &m.replay
	m.dirty = true
	if msg.err != nil {
		return m.complain("it cannot be edited: " + troubleText(msg.err))
	}
	if msg.editor.Text() == nil {
		return tea.Exec(msg.editor, func(err error) tea.Msg { return editedMsg{msg.editor, err} })
	}
	text := bytes.TrimSpace(msg.editor.Text())
	if fault := jsonFault(text); fault != "" {
		p.faulty, p.fault = msg.editor.Text(), fault
		m.over = overlay{kind: overFault}
		return nil
	}
	q := p.request
	q.Params = bytes.Clone(text)
	return m.ask(q)
}
