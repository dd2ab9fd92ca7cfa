// Package sessions is the start screen: a row for each session, live and recorded,
// of all recordings, grouped, ordered and filtered, with a preview of the selected
// one. What it shows comes from the summaries of recordings and the trackers of
// those that were read; it reads nothing. A View belongs to the goroutine of the
// tea.Program.
package sessions

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/filter"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// View is the start screen.
type View struct {
	Line filter.Line // the filter
	// URL is where clients reach the proxy of this process, Upstream where it forwards
	// to; "" for none.
	URL, Upstream string

	h       view.Host
	filter  wanted
	sources []*source
	known   map[*library.Recording]*source
	seq     int // of the newest row
	settled bool
	counts  bool // a timer runs for going on counting
	stale   bool // lines have to be arranged

	kept   []*row // what the filter keeps
	lines  []line
	group  grouping
	folded map[string]bool // groups, by id
	at     view.Scroller

	total, failing, live, recorded int // rows
	unread                         int // recordings of which not all is known yet

	chosen  key    // what is selected: a row
	heading string // or its heading
	onRow   bool
	moved   bool // somebody chose it
	offset  int  // of the selection from the top of the screen
	layout  layout
}

// New is a start screen without recordings.
func New(h view.Host) *View {
	v := &View{h: h, known: map[*library.Recording]*source{}, folded: map[string]bool{}}
	v.filter.v = v
	v.Line = filter.NewFor(&v.filter)
	return v
}

var _ view.Crumbed = (*View)(nil)

// Area implements view.View.
func (v *View) Area() keymap.Area { return keymap.Sessions }

// Name implements view.View.
func (v *View) Name() safe.Text { return "sessions" }

var _ view.Worker = (*View)(nil)

// Progress implements view.Worker: how many recordings were read.
func (v *View) Progress() (done, all int) {
	if v.unread == 0 {
		return 0, 0
	}
	return len(v.sources) - v.unread, len(v.sources)
}

// Crumbs implements view.Crumbed.
func (v *View) Crumbs(*library.Scene) []safe.Text { return []safe.Text{v.Name()} }

// Scroller implements view.View.
func (v *View) Scroller() *view.Scroller { return &v.at }

// Told implements view.View.
func (v *View) Told(view.Host) safe.Text { return "" }

// State implements view.View.
func (v *View) State(h view.Host) []term.Seg {
	sc := h.Scene()
	var out []term.Seg
	gap := term.S(term.Plain, "  ")
	if v.live > 0 {
		out = append(out, term.S(sc.Theme.Ok, sc.Glyphs.Live), term.S(term.Plain, " "+term.Number(v.live)+" live"), gap)
	}
	if v.recorded > 0 || v.live == 0 {
		out = append(out, term.S(term.Plain, term.Number(v.recorded)+" recorded"), gap)
	}
	if v.failing > 0 {
		out = append(out, sc.Theme.Badge(sc.Theme.Err, term.Number(v.failing)+" failing"), gap)
	}
	return out[:len(out)-1]
}

// Refresh implements view.View.
func (v *View) Refresh(h view.Host) tea.Cmd {
	recs := h.Scene().All
	if len(v.sources) != len(recs) || len(recs) > 0 && v.sources[len(recs)-1].rec != recs[len(recs)-1] {
		v.follow(recs)
	}
	recount, counts, room := false, false, countAtOnce
	for _, s := range v.sources {
		before := v.seq
		others, changed := s.update(&v.seq, &room)
		v.stale = v.stale || others || changed && v.filter.node != nil
		recount, counts = recount || changed, counts || s.counts
		if v.settled && s.rec.Live && before != v.seq {
			for _, r := range s.rows {
				r.news = r.news || r.seq > before
			}
		}
	}
	v.settled = true
	hues := 0
	for _, s := range v.sources {
		s.rec.FirstHue = hues
		hues += max(1, len(s.rows))
	}
	if recount && !v.stale {
		v.recount()
	}
	v.rearrange()
	if counts && !v.counts {
		v.counts = true
		return view.After(pause, func() { v.counts = false }) // the refresh after it counts
	}
	return nil
}

func (v *View) follow(recs []*library.Recording) {
	known := make(map[*library.Recording]*source, len(recs))
	v.sources, v.stale = v.sources[:0], true
	for _, r := range recs {
		s := v.known[r]
		if s == nil {
			s = &source{rec: r}
		}
		known[r], v.sources = s, append(v.sources, s)
	}
	v.known = known
}

func (v *View) rearrange() {
	if v.stale {
		v.stale = false
		v.arrange(v.h.Scene().Now)
	}
}

// line is the selected line, nil for none.
func (v *View) line() *line {
	return view.Selected(&v.at, v.lines)
}

// row is the selected session, nil for none.
func (v *View) row() *row {
	if l := v.line(); l != nil {
		return l.row
	}
	return nil
}

// Scope is the selected session; without a recording for none.
func (v *View) Scope() library.Scope {
	if r := v.row(); r != nil {
		return r.scope()
	}
	return library.Scope{Session: library.AllSessions}
}

// Wanted are the ids of the recordings on the screen of which not all is known yet,
// from the top.
func (v *View) Wanted() (ids []string) {
	if v.unread == 0 {
		return nil
	}
	height := v.at.Height
	if height == 0 { // nothing was drawn yet
		height = 30
	}
	for _, l := range v.lines[min(v.at.Top, len(v.lines)):min(v.at.Top+height, len(v.lines))] {
		if l.row != nil && l.row.unread() && (len(ids) == 0 || ids[len(ids)-1] != l.row.rec.ID) {
			ids = append(ids, l.row.rec.ID)
		}
	}
	return ids
}

// Show selects the row of what is shown elsewhere.
func (v *View) Show(of library.Scope) {
	if of.Rec == nil {
		return
	}
	v.Refresh(v.h)
	to := -1
	for i := range v.lines {
		r := v.lines[i].row
		if r == nil || r.rec != of.Rec {
			continue
		}
		if r.sess == of.Session {
			to = i
		} else if to < 0 && of.Session < 0 {
			to = i
		}
	}
	if to < 0 {
		return
	}
	v.moved, v.at.Sel = true, to
	v.at.Move(0)
}

// Next selects a row of another recording, when the one of the selection goes.
func (v *View) Next() {
	r := v.row()
	for n := 1; r != nil && n < len(v.lines); n++ {
		for _, i := range []int{v.at.Sel + n, v.at.Sel - n} {
			if i >= 0 && i < len(v.lines) && v.lines[i].row != nil && v.lines[i].row.rec != r.rec {
				v.at.Sel, v.moved = i, true
				return
			}
		}
	}
}

// Click implements view.View.
func (v *View) Click(_ view.Host, _, y int) tea.Cmd {
	at := y - v.layout.first
	again, ok := v.at.PickLine(at)
	if !ok {
		return nil
	}
	v.moved = true
	switch l := v.line(); {
	case l.row == nil:
		v.fold(!l.group.folded)
	case again:
		return v.open()
	}
	return nil
}
