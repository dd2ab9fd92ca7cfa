package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/defect"
	"midwire/session/safe"
	"midwire/ui/library"
)

const (
	framesPerUpdate = 2000  // applied before the keys get a turn
	idsPerScan      = 20000 // looked at by the filter before the keys get a turn
)

type (
	batchMsg struct {
		Batch
		end error // delivery has ended
	}
	goOnMsg struct{} // apply more of the queue
	scanMsg struct{} // scan more of the list
)

func (m *Model) next() tea.Cmd {
	ctx, src := m.ctx, m.src
	return func() tea.Msg {
		var b Batch
		var err error
		if d := defect.Guard("the reading of recordings", 0, func() { b, err = src.Next(ctx) }); d != nil {
			err = d
		}
		return batchMsg{b, err}
	}
}

func (m *Model) takeBatch(b batchMsg) tea.Cmd {
	m.queue = b.Frames
	for _, r := range b.Recordings {
		m.noteRecording(r)
	}
	for id, s := range b.Summaries {
		if r := m.rec(id); r != nil {
			r.Summary = s
			m.dirty = true
		}
	}
	for id, share := range b.Loading {
		if r := m.rec(id); r != nil {
			r.Loading = share
			m.dirty = true
		}
	}
	if b.Err != nil {
		m.sourceError = b.Err.Error()
		m.dirty = true
	}
	m.ended = b.end != nil
	if m.ended && !errors.Is(b.end, context.Canceled) {
		m.sourceError = "no more news: " + b.end.Error()
	}
	if d, ok := errors.AsType[*defect.Defect](b.end); ok {
		m.guard.Note(d)
	}
	return m.applyQueue()
}

func (m *Model) noteRecording(r Recording) {
	if m.noteQueue.deleted[r.ID] {
		return
	}
	m.dirty = true
	old := m.rec(r.ID)
	if old == nil {
		m.byID[r.ID] = library.New(r, m.rules)
		m.byID[r.ID].Mask = m.opts.Mask
		m.byID[r.ID].CalledName = m.replayName(r.Label)
		m.recs = append(m.recs, m.byID[r.ID])
		m.noteQueue.read(r.ID)
		return
	}
	old.AtEnd = old.AtEnd || old.Live && !r.Live
	old.Recording = r
	old.Opened = old.Opened || r.Live
}

// applyQueue applies some of the frames that are waiting, and asks for news
// only when none are left: their bytes are ours until then.
func (m *Model) applyQueue() tea.Cmd {
	if m.newsHeld = m.frozen; m.newsHeld {
		return nil
	}
	n := min(len(m.queue), framesPerUpdate)
	now := m.queue[:n]
	m.queue = m.queue[n:]
	for i := range now {
		m.guard.Do("the screen at a frame", func() { m.applyFrame(&now[i]) })
	}
	if len(m.queue) == 0 {
		m.review(reviewMuch)
	}
	if n > 0 || m.dirty {
		m.dirty = true
		m.chooseFirst()
	}
	switch {
	case len(m.queue) > 0:
		return func() tea.Msg { return goOnMsg{} }
	case m.ended:
		return nil
	}
	m.queue = nil
	return m.next()
}

func (m *Model) applyFrame(f *Tagged) {
	r := m.rec(f.Rec)
	if r == nil {
		return
	}
	r.Opened = true
	step := r.Take(f)
	if r.Live {
		m.rate.Add(step.Added)
	}
	if r == m.list.Rec {
		m.strip.Of(r)
		m.strip.Changed(step.Changed)
		m.list.Recheck(step.Changed)
		m.list.Changed(step.Changed)
	}
}

// chooseFirst shows something as long as the user has chosen nothing: the
// first recording that has messages, or else a live one. When there are only
// recordings of the past, or a library to choose from, the start screen does.
func (m *Model) chooseFirst() {
	if m.userChose || m.opts.Library && len(m.recs) > 1 || m.list.Rec != nil && m.list.Rec.Loaded() {
		return
	}
	var best *library.Recording
	for _, r := range m.recs {
		if r.Loaded() {
			best = r
			break
		}
		if r.Live && best == nil {
			best = r
		}
	}
	if best != nil {
		if best != m.list.Rec {
			m.follow(best)
			m.focusPane(paneList)
		}
	}
}

func (m *Model) follow(r *library.Recording) {
	if m.view == m.home {
		m.toMessages()
	}
	m.show(library.Scope{Rec: r, Session: library.AllSessions})
}

// show makes the list show another scope. A finished recording is read from
// its beginning, a live one from its end.
func (m *Model) show(sc library.Scope) {
	if sc == m.list.Scope {
		return
	}
	m.list.Reset(sc, m.filter.Query())
	m.list.Open()
	m.list.Follow = sc.Rec != nil && sc.Rec.Live && !m.opts.NoFollow
	m.dirty = true
}

// scanList looks at what is new in the scope.
func (m *Model) scanList() tea.Cmd {
	if m.scanning || m.list.Rec == nil {
		return nil
	}
	m.strip.Of(m.list.Rec)
	all := m.list.Scan(idsPerScan)
	if m.strip.LookAhead(idsPerScan) && all {
		return nil
	}
	m.scanning, m.dirty = true, true
	return func() tea.Msg { return scanMsg{} }
}

// startTick keeps the clocks of pending calls running while some are on the
// screen; without any the interface sleeps.
func (m *Model) startTick() tea.Cmd {
	if m.ticking || m.frozen || m.layout.List.W == 0 || !m.list.Waits() {
		return nil
	}
	m.ticking = true
	return after(250*time.Millisecond, func() { m.ticking, m.dirty = false, true })
}

// tellRate keeps the rate of messages moving as long as there are some.
func (m *Model) tellRate() tea.Cmd {
	if !m.rate.Moves() || m.rating || m.frozen {
		return nil
	}
	m.rating = true
	return after(time.Second, func() {
		m.rating, m.dirty = false, true
		m.rate.Tick()
	})
}

// slowDown limits the pictures to four a second while nobody looks.
func (m *Model) slowDown() tea.Cmd {
	if !m.blurred || !m.dirty || m.slow {
		return nil
	}
	m.slow, m.drawNow = true, true
	return after(250*time.Millisecond, func() { m.slow = false })
}

type toast struct {
	text safe.Text
	bad  bool // stays until a key is pressed
	good bool // does so too, and nothing is wrong
	n    int
}

// Say implements view.Host.
func (m *Model) Say(text safe.Text) tea.Cmd {
	m.toast = toast{text: text, n: m.toast.n + 1}
	n := m.toast.n
	m.dirty = true
	return after(2500*time.Millisecond, func() {
		if n == m.toast.n && !m.toast.bad {
			m.toast.text, m.dirty = "", true
		}
	})
}

// Complain implements view.Host.
func (m *Model) Complain(text safe.Text) tea.Cmd {
	m.toast = toast{text: text, bad: true, n: m.toast.n + 1}
	m.dirty = true
	return nil
}

// How eagerly findings are reviewed.
type haste uint8

const (
	reviewMuch  haste = iota // recordings with much news
	reviewStale              // with any
	reviewAll                // all recordings
)

// later is news of the checkers that waits: whether there is some, and whether
// a timer runs for it.
type pendingReview struct{ due, timed bool }

// reviewSoon comes back to the news that can wait.
func (m *Model) reviewSoon() tea.Cmd {
	if !m.pendingReview.due || m.pendingReview.timed {
		return nil
	}
	m.pendingReview.timed = true
	return after(time.Second, func() {
		m.pendingReview.timed = false
		m.review(reviewStale)
	})
}

// review brings the findings of recordings up to date.
func (m *Model) review(how haste) {
	changed := false
	m.pendingReview.due = false
	for _, r := range m.recs {
		if how != reviewAll {
			r.FinishFindings()
			if !r.Findings.Stale() {
				continue
			}
		}
		if how == reviewMuch && r.Findings.Waits() {
			m.pendingReview.due = true
			continue
		}
		changed = true
		m.arrange(r)
	}
	if changed {
		m.dirty = true
		m.findings.Stale = true
	}
}

// arrange arranges the findings of a recording, and the list where a filter
// asks for them.
func (m *Model) arrange(r *library.Recording) {
	rows := r.ArrangeFindings()
	if l := &m.list; r == l.Rec && l.Query != nil && l.Query.AsksFindings {
		l.Changed(rows)
	}
}

// timer is the message of a wait that is over: what to do then. The screen is drawn again
// where it says so.
type timer func()

func after(d time.Duration, do func()) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return timer(do) })
}
