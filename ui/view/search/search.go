// Package search is the view of where a text stands, in all recordings: they are looked
// through one after the other, the newest first, while the view is on the screen.
package search

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Source looks through a recording. It is called from commands.
type Source interface {
	// Search returns the first hits of a text, in any case, at most so many.
	Search(ctx context.Context, rec, text string, most int) ([]Hit, error)
}

// Hit is a frame in which the text stands.
type Hit struct {
	N      uint64
	T      int64 // nanoseconds since the recording started
	Dir    wire.Dir
	Name   string // the method of the message, else what kind of frame it is
	Before string // the text around, on one line
	Text   string
	After  string

	rec string
}

// Ask has the user write what to look for; see view.Host.
type Ask struct{ Text string }

const (
	mostOfOne = 100  // hits of a recording
	most      = 2000 // of all
	slice     = 80 * time.Millisecond
)

// View lists hits.
type View struct {
	ctx   context.Context
	src   Source
	text  string
	lines view.Scroller
	hits  []Hit

	queue       []string // recordings that were not looked through yet
	all, failed int
	away        bool // a command looks
	stop        context.CancelFunc
	goal        *Hit // that is opened once its recording was read
}

// New looks for a text in recordings, the newest first, until ctx ends.
func New(ctx context.Context, src Source, text string, recs []*library.Recording) *View {
	v := &View{src: src, text: text}
	v.ctx, v.stop = context.WithCancel(ctx)
	for _, r := range slices.Backward(recs) {
		v.queue = append(v.queue, r.ID)
	}
	v.all = len(v.queue)
	return v
}

// What view.View asks for.
func (v *View) Area() keymap.Area        { return keymap.Search }
func (v *View) Name() safe.Text          { return "search" }
func (v *View) Scroller() *view.Scroller { return &v.lines }

var _ view.Crumbed = (*View)(nil)

// Crumbs say what is looked for.
func (v *View) Crumbs(*library.Scene) []safe.Text {
	return []safe.Text{"search", "“" + safe.Line(v.text) + "”"}
}

// Refresh implements view.View: it looks on, and opens what was chosen once that was read.
func (v *View) Refresh(h view.Host) tea.Cmd {
	if g := v.goal; g != nil {
		if r := recording(h, g.rec); r == nil || r.Broken() {
			v.goal = nil
		} else if r.Frame(g.N) != nil {
			v.goal = nil
			return func() tea.Msg { return view.Then(func(h view.Host) tea.Cmd { return h.Jump(r, g.N) }) }
		}
	}
	if v.away || !v.goesOn() {
		return nil
	}
	v.away = true
	queue, room := v.queue, most-len(v.hits)
	return func() tea.Msg {
		began, n, failed := time.Now(), 0, 0
		var hits []Hit
		for n < len(queue) && len(hits) < room && time.Since(began) < slice && v.ctx.Err() == nil {
			got, err := v.src.Search(v.ctx, queue[n], v.text, min(mostOfOne, room-len(hits)))
			for i := range got {
				got[i].rec = queue[n]
			}
			hits = append(hits, got...)
			if n++; err != nil {
				failed++
			}
		}
		return view.Then(func(view.Host) tea.Cmd { return v.take(hits, n, failed) })
	}
}

func (v *View) take(hits []Hit, n, failed int) tea.Cmd {
	v.away = false
	if v.ctx.Err() == nil {
		v.queue, v.failed = v.queue[n:], v.failed+failed
	}
	v.hits = append(v.hits, hits...)
	return nil
}

// goesOn says whether there is more to look through.
func (v *View) goesOn() bool { return len(v.queue) > 0 && len(v.hits) < most && v.ctx.Err() == nil }

// Progress implements view.Worker.
func (v *View) Progress() (done, all int) {
	if !v.goesOn() {
		return 0, 0
	}
	return v.all - len(v.queue), v.all
}

// Back implements view.Backer: esc first ends the search.
func (v *View) Back() bool {
	was := v.goesOn()
	v.stop()
	v.goal = nil
	return was
}

// Commands implements view.View.
func (v *View) Commands(h view.Host) []keymap.Command {
	chosen := keymap.Unless(len(v.hits) > 0, "nothing was found")
	return []keymap.Command{
		keymap.Open("the message, in its recording", "to the message", chosen, func() tea.Cmd { return v.open(h) }),
		{
			ID: "view.filter", Key: keymap.Bind("/", "/", "look for something else"), Title: "look for something else", Hint: "other text",
			Group: keymap.Look, Run: func() tea.Cmd { return h.Do(Ask{v.text}) },
		},
	}
}

// open goes to the selected message, after its recording was read.
func (v *View) open(h view.Host) tea.Cmd {
	hit := view.Selected(&v.lines, v.hits)
	if hit == nil {
		return nil
	}
	r := recording(h, hit.rec)
	switch {
	case r == nil:
		return h.Complain("the recording is gone")
	case r.Frame(hit.N) != nil:
		return h.Jump(r, hit.N)
	}
	v.goal = hit
	return h.Do(view.Choose{Scope: library.Scope{Rec: r, Session: library.AllSessions}, Read: true})
}

func recording(h view.Host, id string) *library.Recording {
	all := h.Scene().All
	if i := slices.IndexFunc(all, func(r *library.Recording) bool { return r.ID == id }); i >= 0 {
		return all[i]
	}
	return nil
}

// Click implements view.View.
func (v *View) Click(h view.Host, _, y int) tea.Cmd {
	_, top := (&term.Panel{}).Origin(&h.Scene().Screen)
	if again, ok := v.lines.PickLine(y - top - 1); ok && again {
		return v.open(h)
	}
	return nil
}

// State implements view.View.
func (v *View) State(h view.Host) []term.Seg {
	th := h.Scene().Theme
	out := []term.Seg{term.S(th.Title, term.Count(len(v.hits), "hit"))}
	if len(v.hits) >= most {
		out = append(out, term.S(th.Warn, ", the first"))
	}
	return out
}

// Told implements view.View.
func (v *View) Told(view.Host) safe.Text {
	switch n := v.all - len(v.queue); {
	case v.goal != nil:
		return "reading the recording"
	case v.goesOn():
		return "looked through " + term.Number(n) + " of " + term.Count(v.all, "recording") + "; esc stops"
	case n < v.all:
		return "stopped after " + term.Number(n) + " of " + term.Count(v.all, "recording")
	case v.failed > 0:
		return term.Count(v.all, "recording") + " looked through; " + term.Number(v.failed) + " cannot be read"
	}
	return term.Count(v.all, "recording") + " looked through"
}
