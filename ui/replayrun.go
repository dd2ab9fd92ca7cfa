package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/replaying"
	"midwire/ui/term"
)

// start begins the replay that was asked about.
func (m *Model) start(tools replaying.ToolChoice) tea.Cmd {
	p := &m.replay
	m.over = overlay{}
	if tools != replaying.AskTools {
		p.said[p.request.SessionRef.Whole()] = tools
	}
	p.targets[p.request.SessionRef.Whole()] = p.request.Target
	p.request.Tools = tools
	run := &running{}
	p.request.Step = nil
	if p.step {
		run.step = make(chan struct{}, 1)
		p.request.Step = run.step
	}
	ctx, stop := context.WithCancel(m.ctx)
	run.stop = stop
	if p.plan != nil {
		run.shown.All = p.plan.Calls
	}
	p.running = run
	for m.view != nil && (m.view.Area() == keymap.Replay || m.view.Area() == keymap.Differences) {
		m.popView()
	}
	q, by := p.request, m.opts.Replayer
	return tea.Batch(m.progress(run), func() tea.Msg {
		result, err := by.Run(ctx, q, func(at replay.Progress) { run.at.Store(&at) })
		stop()
		return ranMsg{run, result, err}
	})
}

// progressPause keeps pictures of the progress to twenty a second.
const progressPause = 50 * time.Millisecond

func (m *Model) progress(run *running) tea.Cmd {
	return tea.Tick(progressPause, func(time.Time) tea.Msg { return progressMsg{run} })
}

func (m *Model) takeProgress(run *running) tea.Cmd {
	if m.replay.running != run {
		return nil
	}
	if at := run.at.Load(); at != nil && *at != run.shown {
		run.shown, m.dirty = *at, true
	}
	return m.progress(run)
}

// takeRan shows what a replay came to, unless the user is busy with something.
func (m *Model) takeRan(msg ranMsg) tea.Cmd {
	p := &m.replay
	if p.running != msg.run {
		return nil
	}
	p.running, m.dirty = nil, true
	if m.over.kind == overStop {
		m.over = overlay{}
	}
	stopped := errors.Is(msg.err, context.Canceled)
	if msg.result == nil || len(msg.result.Calls)+len(msg.result.Problems) == 0 {
		if stopped {
			return m.say("the replay was stopped")
		}
		return m.complain("it could not be replayed: " + troubleText(msg.err))
	}
	c := *msg.result
	c.FirstName = string(m.refName(p.request.SessionRef))
	p.last = replaying.NewReplayed(m, m.opts.Replayer, &c, p.request)
	busy := m.over.kind != overNone || m.entry != nil
	if !busy {
		m.showComparison()
	}
	switch {
	case stopped:
		return m.say("the replay was stopped; this is what came until then")
	case msg.err != nil:
		return m.complain("the replay ended early: " + troubleText(msg.err))
	case busy:
		return m.say("the replay is over; D shows what came of it")
	}
	return nil
}

func troubleText(err error) safe.Text {
	if err == nil {
		return "nothing came of it"
	}
	return safe.Line(err.Error())
}

// showComparison shows the last comparison over what is on the screen.
func (m *Model) showComparison() {
	m.Open(m.replay.last)
	m.touched = true
}

// drawProgress says in the status line how far a replay is.
func (m *Model) drawProgress(l *term.Line) {
	run := m.replay.running
	at := run.shown
	l.Gap(1).Put(m.th.Pend, "replaying ").Put(term.Bold, term.Number(at.Done)+"/"+term.Number(at.All)).Gap(1)
	const bar = 20
	full := 0
	if at.All > 0 {
		full = min(bar, at.Done*bar/at.All)
	}
	from := l.Used
	l.Fill(m.th.Ok, m.sg.Full, from+full).Fill(m.th.Frame, m.sg.Rest, from+bar).Gap(2)
	switch {
	case run.over:
		l.Put(m.th.Warn, "stopping")
	case run.step != nil && at.Next != "":
		l.Put(m.th.Key, "space").Put(m.th.Dim, " sends ").PutMax(term.Plain, safe.Line(at.Next), l.Max-l.Used-12).Put(m.th.Dim, "  ").Put(m.th.Key, "esc").Put(m.th.Dim, " stops")
	default:
		l.Put(m.th.Key, "esc").Put(m.th.Dim, " stops it")
	}
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
