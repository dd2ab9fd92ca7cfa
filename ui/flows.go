package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/view"
)

// Comparer compares recordings that show one traffic at several places, as on
// both sides of a gateway.
type Comparer interface {
	// Compare reads recordings, each with each, and returns what only a
	// comparison shows, by the id of the recording that it is about. It is
	// called from commands, one at a time. An error is final for these.
	Compare(ctx context.Context, recs []string) (map[string][]*diagnose.Finding, error)
}

const (
	flowPause = time.Second
	flowShare = 20 // a comparison may take this part of the time at most
)

// flows is what is known of flows: recordings of one traffic.
type flows struct {
	busy  bool
	rests bool           // the last comparison was a moment ago
	seen  map[string]int // by flow: how many frames were compared; -1: it cannot be
}

// flowOf names what a recording is compared within, "" for nothing: a flow, or
// the two recordings that somebody opened together.
func (m *Model) flowOf(r *library.Recording) string {
	if r.Flow == "" && m.opts.Pair && len(m.recs) == 2 {
		return "two"
	}
	return r.Flow
}

// compareFlows asks for what the recordings of a flow show together. A flow of
// which somebody looks at one recording is read whole, as far as it is of the
// same time. While it grows it is compared again and again, with pauses.
func (m *Model) compareFlows() tea.Cmd {
	s := &m.flows
	if m.opts.Comparer == nil || s.busy || s.rests || m.frozen {
		return nil
	}
	var done []string
	for _, r := range m.recs {
		flow := m.flowOf(r)
		if flow == "" || !r.Opened || slices.Contains(done, flow) || s.seen[flow] < 0 {
			continue
		}
		done = append(done, flow)
		group := library.Together(m.recs, func(r *library.Recording) bool { return m.flowOf(r) == flow })
		if len(group) < 2 {
			continue
		}
		if cmd := m.openAll(group); cmd != nil {
			return cmd
		}
		frames := 0
		for _, r := range group {
			frames += len(r.Frames)
		}
		if frames != s.seen[flow] && !slices.ContainsFunc(group, (*library.Recording).Loads) {
			return m.compareFlow(flow, group, frames)
		}
	}
	return nil
}

// openAll has those of a group read that no one asked for, nil for none.
func (m *Model) openAll(group []*library.Recording) tea.Cmd {
	var ids []string
	for _, r := range group {
		if !r.Opened {
			r.Opened, r.OpenedBeside = true, true
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	src := m.src
	return func() tea.Msg {
		for _, id := range ids {
			src.Open(id)
		}
		return nil
	}
}

type flowFound struct {
	flow   string
	recs   []string
	frames int
	found  map[string][]*diagnose.Finding
	took   time.Duration
	err    error
}

func (m *Model) compareFlow(flow string, group []*library.Recording, frames int) tea.Cmd {
	msg := flowFound{flow: flow, recs: library.IDs(group), frames: frames}
	m.flows.busy = true
	ctx, comparer := m.ctx, m.opts.Comparer
	return func() tea.Msg {
		begun := time.Now()
		msg.found, msg.err = comparer.Compare(ctx, msg.recs)
		msg.took = time.Since(begun)
		return view.Then(func(view.Host) tea.Cmd { return m.takeFlow(msg) })
	}
}

func (m *Model) takeFlow(msg flowFound) tea.Cmd {
	s := &m.flows
	s.busy, s.rests = false, true
	if s.seen == nil {
		s.seen = map[string]int{}
	}
	rest := after(max(flowPause, flowShare*msg.took), func() { s.rests = false })
	if s.seen[msg.flow] = msg.frames; msg.err != nil {
		s.seen[msg.flow] = -1
		return tea.Batch(rest, m.Complain(safe.Line(msg.err.Error())))
	}
	for _, id := range msg.recs {
		if r := m.rec(id); r != nil && r.Findings.Join(msg.found[id]) {
			m.arrange(r)
			m.findings.Stale = true
		}
	}
	return rest
}
