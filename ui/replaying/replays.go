// Package replaying is replay on the screen: the dialog before it, the replay
// under way, and the views of a comparison and of the difference between two
// responses. A Replayer does the work.
package replaying

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// What replays ask of the program, see view.Host: to open or close the box that Replays
// draws, to close the views of comparisons that are open, and to take in what a replay
// came to: Recording is that of the replay, Asked the one whose server was asked about a
// request; its notes say what that came to. Either may be "".
type (
	Dialog           struct{ Open bool }
	CloseComparisons struct{}
	Outcome          struct {
		Recording, Asked string
		Tally            replay.Tally
	}
)

// Replays is everything about replaying and comparing: the question before, the
// run, and what came of the last one.
type Replays struct {
	Marked *library.SessionRef // to be compared with the next one
	Last   *Comparison         // what was replayed or compared last

	h   view.Host
	by  Replayer
	ctx context.Context

	dialog  dialog
	lines   view.Scroller // of the question
	editing bool          // the target

	request Request // asked about, running, or the last one
	plan    *replay.Preview
	planned int // numbers plans: an old one is not wanted any more
	target  term.Input
	cursor  int // column of its cursor
	read    readTo
	form    *form
	faulty  []byte // what was edited and is no JSON
	fault   string

	running *running
	said    map[library.SessionRef]ToolChoice // what the user said of tools, by session
	targets map[library.SessionRef]string
}

type dialog uint8

const (
	askReplay dialog = iota // whether to replay, and how
	askFault                // what becomes of edited text that is no JSON
	askForm                 // with which arguments a tool is called
	askStop                 // whether the replay is to stop
)

type running struct {
	stop  context.CancelFunc
	at    atomic.Pointer[replay.Progress] // written by the run
	shown replay.Progress
	over  bool // the user wants it to stop
}

// ProgressMsg says that it is time to look how far a replay is.
type ProgressMsg struct{ run *running }

// New returns replays by what replays and compares, until ctx ends. Where by is
// nil there are none.
func New(ctx context.Context, h view.Host, by Replayer) *Replays {
	return &Replays{
		ctx: ctx, h: h, by: by, target: term.NewInput(64 << 10),
		said: map[library.SessionRef]ToolChoice{}, targets: map[library.SessionRef]string{},
	}
}

// View returns a comparison with nothing in it.
func (p *Replays) View() view.View { return newComparison(p, &replay.Comparison{}) }

// ShowLast shows the last comparison over what is on the screen.
func (p *Replays) ShowLast() { p.h.Open(p.Last) }

func (p *Replays) open(d dialog) {
	p.dialog, p.lines, p.editing = d, view.Scroller{Page: true}, false
	p.h.Do(Dialog{true})
}

func (p *Replays) size() (w, h int) {
	sc := p.h.Scene()
	return sc.Width, sc.Height
}

func (p *Replays) asks(d dialog) bool { return p.dialog == d && p.h.Busy() == view.InReplay }

// Ask opens the question, and works out what to say in it.
func (p *Replays) Ask(q Request) tea.Cmd {
	q.Target = p.targets[q.SessionRef.Whole()]
	p.request, p.plan, p.faulty, p.fault, p.read = q, nil, nil, "", readTo{}
	p.target.SetValue(q.Target)
	p.open(askReplay)
	return p.planIt()
}

func (p *Replays) planIt() tea.Cmd {
	p.planned++
	n, q, by, ctx := p.planned, p.request, p.by, p.ctx
	return func() tea.Msg {
		plan, err := by.Plan(ctx, q)
		return view.Then(func(view.Host) tea.Cmd { return p.takePlan(n, plan, err) })
	}
}

func (p *Replays) takePlan(n int, plan replay.Preview, err error) tea.Cmd {
	if n != p.planned || !p.asks(askReplay) && !p.asks(askFault) {
		return nil
	}
	if err != nil {
		plan.Missing, plan.Target = err.Error(), p.request.Target
	}
	p.plan = &plan
	if p.request.Target == "" {
		p.target.SetValue(plan.Target)
	}
	if p.known() {
		return p.start(p.said[p.request.SessionRef.Whole()])
	}
	return nil
}

// Compare marks a session, or compares it with the marked one.
func (p *Replays) Compare(ref library.SessionRef) tea.Cmd {
	name := func() safe.Text { return p.NameOf(ref) }
	switch {
	case p.Marked == nil:
		p.Marked = &ref
		return p.h.Say(name() + " is marked; d on another session compares the two")
	case *p.Marked == ref:
		p.Marked = nil
		return p.h.Say(name() + " is not marked any more")
	}
	a, by, ctx := *p.Marked, p.by, p.ctx
	p.Marked = nil
	return tea.Batch(p.h.Say("comparing"), func() tea.Msg {
		c, err := by.Compare(ctx, a, ref)
		return view.Then(func(view.Host) tea.Cmd { return p.takeCompared(a, ref, c, err) })
	})
}

// CompareGood compares a session with the last good one.
func (p *Replays) CompareGood(ref library.SessionRef) tea.Cmd {
	by, ctx := p.by, p.ctx
	return tea.Batch(p.h.Say("looking for a session that works"), func() tea.Msg {
		c, err := by.Compare(ctx, library.SessionRef{}, ref)
		return view.Then(func(view.Host) tea.Cmd {
			var good library.SessionRef
			if c != nil {
				good = library.SessionRef{Recording: c.First, Session: c.FirstSession}
			}
			return p.takeCompared(good, ref, c, err)
		})
	})
}

func (p *Replays) takeCompared(a, b library.SessionRef, result *replay.Comparison, err error) tea.Cmd {
	p.h.Say("")
	if err != nil || result == nil {
		return p.h.Complain("not compared: " + troubleText(err))
	}
	c := *result
	first := c.FirstName
	if c.FirstName, c.SecondName = p.refNames(a, b); p.rec(a.Recording) == nil {
		c.FirstName = first // of one that is not on the screen
	}
	p.Last = newComparison(p, &c)
	p.ShowLast()
	return nil
}

// rec is a recording by its id, nil for none.
func (p *Replays) rec(id string) *library.Recording {
	all := p.h.Scene().All
	if i := slices.IndexFunc(all, func(r *library.Recording) bool { return r.ID == id }); i >= 0 {
		return all[i]
	}
	return nil
}

// refNames names two sessions so that they can be told apart.
func (p *Replays) refNames(a, b library.SessionRef) (string, string) {
	x, y := p.NameOf(a), p.NameOf(b)
	if x == y && p.rec(a.Recording) != nil && p.rec(b.Recording) != nil {
		const clock = " 15:04:05"
		x += safe.Line(p.rec(a.Recording).Started.Local().Format(clock))
		y += safe.Line(p.rec(b.Recording).Started.Local().Format(clock))
	}
	return string(x), string(y)
}

// NameOf names a session for people.
func (p *Replays) NameOf(ref library.SessionRef) safe.Text {
	r := p.rec(ref.Recording)
	if r == nil {
		return safe.Line(ref.Recording)
	}
	name := r.Name()
	if s := r.Session(ref.Session); s != nil && len(r.Tracker.Sessions()) > 1 {
		if called := r.CalledSession(s); called != "" {
			return name + " " + safe.Line(called)
		}
		if s.ID != "" {
			return name + " " + term.ShortID(s.ID, p.h.Scene().Glyphs)
		}
		return name + " " + library.PeerText(s.Client)
	}
	return name
}

// WhyNotNow says why nothing can be replayed now.
func (p *Replays) WhyNotNow() safe.Text {
	return keymap.Unless(p.running == nil, "a replay is running; esc stops it")()
}

// again replays once more, as it was asked about.
func (p *Replays) again(q Request) tea.Cmd {
	p.request = q
	return p.start(q.Tools)
}

// Edit opens the parameters of a call in the user's editor.
func (p *Replays) Edit(q Request) tea.Cmd {
	p.request = q
	n, by, ctx := p.planned+1, p.by, p.ctx
	p.planned = n
	return func() tea.Msg {
		plan, err := by.Plan(ctx, q)
		text, ok := wire.Indent(plan.Params, "")
		if !ok {
			text = []byte(cmp.Or(string(plan.Params), "{}"))
		}
		return view.Then(func(view.Host) tea.Cmd {
			if err != nil {
				return p.Edited(nil, err)
			}
			return p.runEditor(by.Edit(append(text, '\n')))
		})
	}
}

func (p *Replays) runEditor(e Editor) tea.Cmd {
	return tea.Exec(e, func(err error) tea.Msg {
		return view.Then(func(view.Host) tea.Cmd { return p.Edited(e, err) })
	})
}

// Edited takes the text of an editor that has ended.
func (p *Replays) Edited(e Editor, err error) tea.Cmd {
	if err != nil {
		return p.h.Complain("it cannot be edited: " + troubleText(err))
	}
	text := bytes.TrimSpace(e.Text())
	if fault := jsonFault(text); fault != "" {
		p.faulty, p.fault = e.Text(), fault
		p.open(askFault)
		return nil
	}
	q := p.request
	q.Params = bytes.Clone(text)
	return p.Ask(q)
}
