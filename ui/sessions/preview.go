package sessions

import (
	"strings"

	"midwire/session"
	"midwire/session/library/summary"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// previewHeight is how many lines of so many are below the list.
func previewHeight(height int) int {
	switch {
	case height >= 44:
		return 10
	case height >= 32:
		return 9
	case height >= 20:
		return 7
	}
	return 0
}

// preview draws the selected session in exactly height lines: its life cycle,
// when something happened in it, and its last rows. All of it is at hand.
func (v *View) preview(sc *library.Scene, w, height int) []string {
	if height == 0 {
		return nil
	}
	p := term.Panel{}
	iw, ih := p.Inner(&sc.Screen, w, height)
	var body []string
	switch l := v.line(); {
	case l == nil:
	case l.row == nil:
		p.Name = []term.Seg{term.S(sc.Theme.Title, l.group.name)}
		body = groupDoc(sc, l.group, iw, len(v.together())).All(&sc.Screen, iw, 1)
	case l.row.sum == nil:
		p.Name = []term.Seg{term.S(sc.Theme.Title, l.row.rec.Name())}
		d := document.Doc{Width: iw - 2}
		if l.row.rec.Live {
			WriteWaiting(&d, sc, l.row.rec, v.URL, v.Upstream)
		} else {
			detail.WriteRecording(&d, sc, l.row.rec)
		}
		body = d.Draw(&sc.Screen, iw, 1, 0, ih)
	default:
		p.Name, p.State = l.row.title(sc), l.row.grouped(sc)
		body = l.row.draw(sc, iw, ih)
	}
	return p.Draw(&sc.Screen, w, height, body)
}

// groupDoc sums a group up.
func groupDoc(sc *library.Scene, g *group, w, together int) *document.Doc {
	d := document.Doc{Width: w - 2}
	text := []term.Seg{term.S(term.Plain, term.Count(len(g.rows), "session"))}
	if g.failed > 0 {
		text = append(text, term.S(sc.Theme.Err, "   "+sc.Glyphs.Err+" "+term.Number(g.failed)+" failing"))
	}
	d.Add(text...)
	what := safe.Text(" folds the group")
	switch {
	case together > 1:
		what = " shows all " + safe.Int(together) + " in one list, in order of time;  h folds"
	case g.folded:
		what = " unfolds the group"
	}
	d.Add(term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, what))
	return &d
}

// title is who talks to whom.
func (r *row) title(sc *library.Scene) []term.Seg {
	th := sc.Theme
	name, version := r.client()
	out := []term.Seg{term.S(r.hue(th)+term.Bold, name)}
	add := func(st term.Style, t safe.Text) {
		if t != "" {
			out = append(out, term.S(st, t))
		}
	}
	if version != "" {
		add(th.Dim, " "+version)
	}
	server, version, _ := r.server()
	add(th.Dim, " "+sc.Glyphs.Arrow+" ")
	add(th.Title, server)
	if version != "" {
		add(th.Dim, " "+version)
	}
	return out
}

// grouped says why these messages are one session.
func (r *row) grouped(sc *library.Scene) []term.Seg {
	why := strings.TrimSuffix(r.sum.Why, " header")
	out := []term.Seg{term.S(term.Plain, safe.Line(why))}
	if sc.Boxed {
		out = append([]term.Seg{term.S(sc.Theme.Dim, "grouped by ")}, out...)
	}
	if r.sum.ID != "" {
		out = append(out, term.S(sc.Theme.Dim, " "+ShortID(r.sum.ID, sc.Glyphs)))
	}
	return out
}

func (r *row) draw(sc *library.Scene, w, height int) []string {
	if r.uncounted() {
		l := term.NewLine(w, sc.Glyphs).Gap(1)
		dots(l, sc, w/2)
		return []string{l.Finish(), term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, "It is being read.").Finish()}
	}
	life := term.NewLine(w, sc.Glyphs)
	detail.DrawLifecycle(life, sc, r.sum.Result.LifeCycle(r.sum.Session().Steps, r.live()))
	out := []string{life.Finish(), r.timeline(sc, w)}
	rows := r.sum.Rows[max(0, len(r.sum.Rows)-max(height-2, 0)):]
	all := make([]library.Brief, len(rows))
	for i := range rows {
		m := &rows[i]
		all[i] = library.Brief{
			Frame: uint64(m.Frame), T: max(0, m.T-r.sum.Started), Hue: r.hue(sc.Theme),
			Method: m.Method, Target: m.Target, Result: m.Result,
			Row: session.Row{Kind: m.Kind, Dir: m.Dir, Ending: m.Ending, T: m.T, End: m.T + m.Latency},
		}
	}
	t := sc.Briefs("SESSION").Fit(w, len(all), func(i int) *library.Brief { return &all[i] })
	for i := range all {
		out = append(out, t.Row(&all[i], false, false))
	}
	if len(rows) == 0 {
		out = append(out, term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, "enter shows its messages").Finish())
	}
	return out
}

// timeline draws when something happened, from the first message to the last.
func (r *row) timeline(sc *library.Scene, w int) string {
	th := sc.Theme
	l := term.NewLine(w, sc.Glyphs).Gap(1)
	l.Put(th.Dim, safe.Time(r.started().Local(), "15:04:05")).Gap(1)
	end := safe.Time(r.last().Local(), "15:04:05")
	tail := safe.Text("took " + term.Duration(r.sum.Last-r.sum.Started))
	if r.live() {
		tail = "last " + detail.Ago(sc.Now.Sub(r.last()))
	}
	room := w - l.Used - term.Width(end) - term.Width(tail) - 6
	if each := room / summary.Slots; each > 0 {
		all := slots(r.sum)
		wide := make([]term.Slot, 0, each*len(all))
		for _, s := range all {
			for range each {
				wide = append(wide, s)
			}
		}
		l.Segs(term.Spark(&sc.Screen, r.hue(th), wide, true))
	} else if room > 0 {
		l.Segs(term.Spark(&sc.Screen, r.hue(th), term.Fold(slots(r.sum), room), true))
	}
	return l.Gap(1).Put(th.Dim, end).Gap(w-l.Used-term.Width(tail)-1).Put(th.Dim, tail).Finish()
}
