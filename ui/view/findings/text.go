package findings

import (
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/sessions"
	"midwire/ui/term"
	"midwire/ui/view"
)

// frameAt is the frame whose number stands at a column of the line, 0 for none.
func frameAt(sc *library.Scene, x *document.Line, column int) uint64 {
	at := 1
	for _, s := range x.Segs {
		from := at
		at += term.Width(s.Text)
		if column < from || column >= at {
			continue
		}
		if digits, ok := strings.CutPrefix(strings.TrimSpace(string(s.Text)), "#"); ok && s.Style == sc.Theme.Key {
			n, _ := strconv.ParseUint(digits, 10, 64)
			return n
		}
	}
	return 0
}

// State sums the findings up in the header.
func (p *View) State(h view.Host) []term.Seg {
	sc := h.Scene()
	var out []term.Seg
	put := func(seg term.Seg) {
		if len(out) > 0 {
			out = append(out, term.S(term.Plain, " "))
		}
		out = append(out, seg)
	}
	for s := diagnose.Error; s <= diagnose.Note; s++ {
		if n := p.shown[s]; n > 0 {
			noun := [...]safe.Text{"", "error", "warning", "note"}[s]
			text := term.Count(n, noun)
			if term.Narrow(sc.Width) {
				text = term.Number(n)
			}
			put(sc.Theme.Badge(severityStyle(sc, s), text))
		}
	}
	if p.shown.Sum() == 0 {
		put(term.S(sc.Theme.Dim, "no findings"))
	}
	if p.shown.Sum() > 0 {
		out = append(out, term.Spare(1, term.S(sc.Theme.Dim, "   "+p.sum()))...)
	}
	return out
}

// sum says in how many sessions findings were made, and how many messages failed
// there.
func (p *View) sum() safe.Text {
	all, found, failed := 0, 0, 0
	for _, r := range p.within() {
		for i, s := range r.Tracker.Sessions() {
			if p.reach == reachSession && i != p.Session {
				continue
			}
			all++
			if r.Findings.BySession[i].Sum() > 0 {
				found++
				failed += s.Errors
			}
		}
	}
	return term.Number(found) + " of " + term.Count(all, "session") + ", " + term.Count(failed, "failed message") + " in them"
}

// Told says what the findings are about, and how to see others.
func (p *View) Told(view.Host) safe.Text {
	t := safe.Text("findings of this recording")
	switch p.reach {
	case reachSession:
		t = "findings of this session"
	case reachAll:
		t = "findings of " + term.Count(p.read(), "recording") + ", those that were read"
	}
	if len(p.reaches()) > 1 {
		t += "; s looks at others"
	}
	return t
}

var _ view.Crumbed = (*View)(nil)

// Crumbs say what the findings are about.
func (p *View) Crumbs(sc *library.Scene) []safe.Text {
	switch r := p.Rec; {
	case p.reach == reachAll || r == nil:
		return []safe.Text{"all that was read", p.Name()}
	case p.reach == reachSession:
		return append(sessions.Whereabouts(p.Scope), p.Name())
	default:
		return []safe.Text{r.Name(), p.Name()}
	}
}

func severityStyle(sc *library.Scene, s diagnose.Severity) term.Style {
	_, st := sc.Severity(s)
	return st
}
