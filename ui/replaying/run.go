package replaying

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/term"
	"midwire/ui/view"
)

func (p *Replays) start(tools ToolChoice) tea.Cmd {
	p.h.Do(Dialog{false})
	if tools != AskTools {
		p.said[p.request.SessionRef.Whole()] = tools
	}
	p.targets[p.request.SessionRef.Whole()] = p.request.Target
	p.request.Tools = tools
	run := &running{}
	ctx, stop := context.WithCancel(p.ctx)
	run.stop = stop
	if p.plan != nil {
		run.shown.All = p.plan.Calls
	}
	p.running = run
	p.h.Do(CloseComparisons{})
	q, by := p.request, p.by
	return tea.Batch(p.progress(run), func() tea.Msg {
		result, err := by.Run(ctx, q, func(at replay.Progress) { run.at.Store(&at) })
		stop()
		return view.Then(func(view.Host) tea.Cmd { return p.takeRan(run, result, err) })
	})
}

// progressPause keeps pictures of the progress to twenty a second.
const progressPause = 50 * time.Millisecond

func (p *Replays) progress(run *running) tea.Cmd {
	return tea.Tick(progressPause, func(time.Time) tea.Msg { return ProgressMsg{run} })
}

// takeRan shows what a replay came to, unless the user is busy with something.
func (p *Replays) takeRan(run *running, result *replay.Comparison, err error) tea.Cmd {
	if p.running != run {
		return nil
	}
	p.running = nil
	var came Outcome
	if p.request.Probe {
		came.Asked = p.request.Recording
	}
	if result != nil {
		came.Recording, came.Tally = result.Second, result.Tally()
	}
	p.h.Do(came)
	if p.asks(askStop) {
		p.h.Do(Dialog{false})
	}
	stopped := errors.Is(err, context.Canceled)
	if result == nil || len(result.Calls)+len(result.Problems) == 0 {
		if stopped {
			return p.h.Say("the replay was stopped")
		}
		return p.h.Complain("it could not be replayed: " + troubleText(err))
	}
	c := *result
	c.FirstName = string(p.NameOf(p.request.SessionRef))
	p.Last = newReplayed(p, &c)
	busy := p.h.Busy() != view.Free
	if !busy {
		p.ShowLast()
	}
	switch {
	case stopped:
		return p.h.Say("the replay was stopped; this is what came until then")
	case err != nil:
		return p.h.Complain("the replay ended early: " + troubleText(err))
	case busy:
		return p.h.Say("the replay is over; alt+d shows what came of it")
	}
	return nil
}

func troubleText(err error) safe.Text {
	if err == nil {
		return "nothing came of it"
	}
	return safe.Line(err.Error())
}

// Progress takes in how far a replay is, and says whether that changed.
func (p *Replays) Progress(msg ProgressMsg) (cmd tea.Cmd, changed bool) {
	run := msg.run
	if p.running != run {
		return nil, false
	}
	if at := run.at.Load(); at != nil && *at != run.shown {
		run.shown, changed = *at, true
	}
	return p.progress(run), changed
}

// Done is how far the replay is that is under way; 0 for none.
func (p *Replays) Done() (done, all int) {
	if p.running == nil {
		return 0, 0
	}
	return p.running.shown.Done, p.running.shown.All
}

// Running says whether a replay is under way.
func (p *Replays) Running() bool { return p.running != nil }

// AskStop asks whether the replay that is under way is to stop. It returns false
// when there is none, or it stops already.
func (p *Replays) AskStop() bool {
	if p.running == nil || p.running.over {
		return false
	}
	p.open(askStop)
	return true
}

// RunKey takes a key that means something to the replay under way.
func (p *Replays) RunKey(name string) bool {
	switch {
	case p.running == nil || p.running.over:
		return false
	case name == "esc" || name == "ctrl+c":
		return p.AskStop()
	}
	return false
}

// DrawProgress says in the status line how far a replay is.
func (p *Replays) DrawProgress(l *term.Line) {
	sc := p.h.Scene()
	run := p.running
	at := run.shown
	l.Gap(1).Put(sc.Theme.Pend, "replaying ").Put(term.Bold, term.Number(at.Done)+"/"+term.Number(at.All)).Gap(1)
	const bar = 20
	full := 0
	if at.All > 0 {
		full = min(bar, at.Done*bar/at.All)
	}
	from := l.Used
	l.Fill(sc.Theme.Ok, sc.Glyphs.Full, from+full).Fill(sc.Theme.Frame, sc.Glyphs.Rest, from+bar).Gap(2)
	switch {
	case run.over:
		l.Put(sc.Theme.Warn, "stopping")
	default:
		l.Put(sc.Theme.Key, "esc").Put(sc.Theme.Dim, " stops it")
	}
}
