package term

import "midwire/session/safe"

func joined(all []safe.Text, between safe.Text) int {
	n := (len(all) - 1) * Width(between)
	for _, s := range all {
		n += Width(s)
	}
	return n
}

// CrumbsWidth is how many cells all of the texts take as crumbs.
func CrumbsWidth(g *Glyphs, all []safe.Text) int { return joined(all, " "+g.Crumb+" ") }

// Crumbs says where we are, up to column end. Where there is not room for all of it the
// beginning gives way.
func (l *Line) Crumbs(th *Theme, all []safe.Text, end int) {
	crumb := " " + l.Glyphs.Crumb + " "
	room := end - l.Used
	for len(all) > 1 && joined(all, crumb) > room {
		all = all[1:]
		room = end - l.Used - Width(l.Glyphs.Ellipsis+crumb)
	}
	if room < end-l.Used {
		l.PutMax(th.Dim, l.Glyphs.Ellipsis+crumb, end-l.Used)
	}
	for i, s := range all {
		st := th.Title
		if i == len(all)-1 && i > 0 {
			st = th.Dim
		}
		l.PutMax(st, s, end-l.Used)
		if i < len(all)-1 {
			l.PutMax(th.Dim, crumb, end-l.Used)
		}
	}
}
