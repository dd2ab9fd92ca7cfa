package sessions

import (
	"cmp"
	"slices"
	"time"

	"midwire/session/safe"
)

type grouping uint8

const (
	byDay grouping = iota
	byClient
	byServer
	groupings // how many there are
)

func (g grouping) String() string { return [...]string{"day", "client", "server"}[g] }

type group struct {
	id     string
	name   safe.Text
	rank   int64
	live   bool // what is being recorded
	rows   []*row
	failed int // rows that fail
	folded bool
}

// line is a heading, or a row.
type line struct {
	group *group
	row   *row // nil for the heading
}

// newerFirst compares two rows.
func newerFirst(a, b *row) int {
	if a.rec.Live && b.rec.Live { // none moves while others come
		return cmp.Compare(a.seq, b.seq)
	}
	return cmp.Or(b.came().Compare(a.came()), cmp.Compare(a.rec.ID, b.rec.ID), cmp.Compare(a.sess, b.sess))
}

// came is when a session began, or what of another host's clock is later than its copy: when
// that came.
func (r *row) came() time.Time {
	at := r.started()
	if r.rec.Host != "" && at.After(r.rec.Changed) {
		return r.rec.Changed
	}
	return at
}

func (g grouping) groupOf(r *row, now time.Time) group {
	switch g {
	case byClient:
		name, _ := r.client()
		if r.sum != nil {
			name = safe.Line(cmp.Or(r.sum.Client.Name, r.sum.Client.Title, "no name"))
		}
		return group{id: "client " + string(name), name: name}
	case byServer:
		name, _, _ := r.server()
		if name == "" {
			name = r.rec.Name()
		}
		return group{id: "server " + string(name), name: name}
	}
	return dayOf(r, now)
}

// dayOf puts what is being recorded first, then day by day backwards.
func dayOf(r *row, now time.Time) group {
	if r.rec.Live {
		return group{id: "live", name: "LIVE", rank: -1 << 62, live: true}
	}
	at, now := r.came().Local(), now.Local()
	y, m, d := at.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix()
	y, m, d = now.Date()
	ago := (time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() - day) / (24 * 60 * 60)
	out := group{id: at.Format(time.DateOnly), rank: -day}
	switch ago {
	case 0:
		out.name = "TODAY"
	case 1:
		out.name = "YESTERDAY"
	default:
		out.name = safe.Time(at, "Mon 2006-01-02")
	}
	if r.rec.Started.IsZero() {
		out = group{id: "undated", name: "WITHOUT A TIME", rank: 1 << 62}
	}
	return out
}

// arrange puts the rows that the filter keeps into lines. The selection stays on its
// session, and where it stands on the screen.
func (v *View) arrange(now time.Time) {
	v.keep()
	keeps := v.filter.keeps(now)
	kept := v.kept[:0]
	v.recount()
	for _, s := range v.sources {
		for _, r := range s.rows {
			if keeps(r) {
				kept = append(kept, r)
			}
		}
	}
	v.kept = kept
	slices.SortFunc(kept, newerFirst)
	var groups []*group
	byID := map[string]*group{}
	legs := v.legs()
	for _, r := range kept {
		one := v.group.groupOf(r, now)
		if p := legs[r]; p != nil && v.group == byDay {
			one = v.group.groupOf(p, now)
		}
		g := byID[one.id]
		if g == nil {
			one.folded = v.folded[one.id]
			g = &one
			byID[one.id], groups = g, append(groups, g)
		}
		g.rows = append(g.rows, r)
		if r.failing() {
			g.failed++
		}
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(a.rank, b.rank) })
	v.lines = v.lines[:0]
	for _, g := range groups {
		g.rows = nested(g.rows, legs)
		v.lines = append(v.lines, line{group: g})
		for _, r := range g.rows {
			if !g.folded {
				v.lines = append(v.lines, line{g, r})
			}
		}
	}
	v.find()
}

func (v *View) recount() {
	v.total, v.unread, v.failing, v.recorded, v.live = 0, 0, 0, 0, 0
	for _, s := range v.sources {
		n := len(s.rows)
		if v.total += n; s.rec.Live {
			v.live += n
		} else {
			v.recorded += n
		}
		if slices.ContainsFunc(s.rows, (*row).unread) {
			v.unread++
		}
		for _, r := range s.rows {
			if r.failing() {
				v.failing++
			}
		}
	}
}

// keep notes where the selection is, for find.
func (v *View) keep() {
	v.offset = v.at.Sel - v.at.Top
	if v.at.Sel >= len(v.lines) || v.at.Sel < 0 {
		return
	}
	l := &v.lines[v.at.Sel]
	if v.heading = l.group.id; l.row != nil {
		v.chosen = l.row.key()
	}
	v.onRow = l.row != nil
	v.moved = v.moved || v.at.Sel != v.first()
}

// first is the line of the first row.
func (v *View) first() int {
	if len(v.lines) > 1 && v.lines[0].row == nil {
		return 1
	}
	return 0
}

// find selects again what was selected. Before somebody moved, that is the
// first row.
func (v *View) find() {
	to, near := -1, -1
	for i := range v.lines {
		switch l := &v.lines[i]; {
		case !v.moved:
		case !v.onRow && l.row == nil && l.group.id == v.heading:
			to = i
		case v.onRow && l.row != nil && l.row.key() == v.chosen:
			to = i
		case v.onRow && l.row != nil && l.row.rec.ID == v.chosen.rec && near < 0:
			near = i
		case v.onRow && l.row == nil && l.group.id == v.heading && l.group.folded && near < 0:
			near = i
		}
	}
	switch {
	case to >= 0:
	case near >= 0:
		to = near
	case v.moved:
		to = min(v.at.Sel, len(v.lines)-1)
	default:
		to = v.first()
	}
	v.at.Sel, v.at.Lines = max(to, 0), len(v.lines)
	v.at.Top = max(0, v.at.Sel-v.offset)
	if !v.moved {
		v.at.Top = 0
	}
	if v.at.Height > 0 {
		v.at.Scroll(0)
	}
}
