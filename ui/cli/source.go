package cli

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/session/library"
	"midwire/session/library/summary"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/ui"
	"midwire/ui/view/search"
)

// source is what the screen follows: recordings with their frames, and the
// summaries of those that have ended, which come in the background.
type source struct {
	*record.Watch
	asked map[string]state // for which summaries were asked; Next's
	wake  chan struct{}    // something is due
	ended chan struct{}    // closed when summarise has returned

	mu   sync.Mutex // guards all below
	due  []wire.Recording
	look []string // ids of what is on the screen
	made map[string]*summary.Recording
}

type state struct {
	size    int64
	changed time.Time
}

// newSource follows recordings; those of the library get summaries, until ctx
// ends. Wait waits for that.
func newSource(ctx context.Context, w *record.Watch, library bool) *source {
	s := &source{Watch: w, ended: make(chan struct{})}
	if !library { // files that were named lie anywhere, and all of them are read
		close(s.ended)
		return s
	}
	s.asked, s.made, s.wake = map[string]state{}, map[string]*summary.Recording{}, make(chan struct{}, 1)
	go s.summarise(ctx)
	return s
}

// Wait returns when nothing goes on in the background, after ctx has ended.
func (s *source) Wait() { <-s.ended }

// First implements ui.Summariser.
func (s *source) First(ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look = ids
}

func (s *source) wanted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.look
}

// Search implements search.Source.
func (s *source) Search(ctx context.Context, rec, text string, most int) (hits []search.Hit, err error) {
	const beside = 120 // bytes
	re := regexp.MustCompile("(?i)" + regexp.QuoteMeta(text))
	err = library.Find(ctx, s.Path(rec), re, func(f library.Match) bool {
		if f.At == nil {
			return true
		}
		hit := search.Hit{N: f.N, T: f.T, Dir: f.Dir, Name: f.Kind.String()}
		if i := f.Step.First; i >= 0 {
			hit.Name = f.Tracker.Name(f.Tracker.Row(i).Name)
		} else if len(f.Step.Changed) > 0 {
			hit.Name = f.Tracker.Name(f.Tracker.Row(f.Step.Changed[0]).Name)
		}
		part := func(from, to int) string {
			return strings.ToValidUTF8(string(f.Text[max(0, from):min(to, len(f.Text))]), "")
		}
		hit.Before, hit.Text = part(f.At[0]-beside, f.At[0]), part(f.At[0], f.At[1])
		hit.After = part(f.At[1], f.At[1]+2*beside)
		hits = append(hits, hit)
		return len(hits) < most
	})
	return hits, err
}

// Next is that of ui.Source.
func (s *source) Next(ctx context.Context) (ui.Batch, error) {
	b, err := s.Watch.Next(ctx)
	s.ask(b.Recordings)
	s.mu.Lock()
	defer s.mu.Unlock()
	made := s.made
	s.made = map[string]*summary.Recording{}
	return ui.Batch{
		Recordings: b.Recordings, Frames: b.Frames, Loading: b.Loading, Err: b.Err, Summaries: made,
	}, err
}

// ask asks for the summaries of recordings that have ended since the last time,
// or are another content now.
func (s *source) ask(recs []wire.Recording) {
	if s.asked == nil {
		return
	}
	var due []wire.Recording
	for _, r := range recs {
		now := state{r.Size, r.Changed}
		if !r.Live && s.asked[r.ID] != now {
			s.asked[r.ID] = now
			due = append(due, r)
		}
	}
	if len(due) == 0 {
		return
	}
	s.mu.Lock()
	s.due = append(s.due, due...)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// summarise makes what is due, until ctx ends.
func (s *source) summarise(ctx context.Context) {
	defer close(s.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		s.mu.Lock()
		due := s.due
		s.due = nil
		s.mu.Unlock()
		slices.SortStableFunc(due, func(a, b wire.Recording) int { return b.Started.Compare(a.Started) })
		entries := make([]record.Entry, len(due))
		for i, r := range due {
			entries[i] = record.Entry{ID: r.ID, Path: s.Path(r.ID)}
		}
		if slices.ContainsFunc(due, func(r wire.Recording) bool { return r.Flow != "" }) {
			if all, err := record.List(filepath.Dir(s.Path("x"))); err == nil {
				library.CompareFlows(ctx, all)
			}
		}
		summary.All(ctx, entries, s.wanted, func(id string, made *summary.Recording) {
			s.mu.Lock()
			s.made[id] = made
			s.mu.Unlock()
			s.Nudge()
		})
	}
}
