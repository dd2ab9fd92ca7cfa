package findings

import (
	"strings"
	"time"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// choice is a switch in the title of the list.
type choice struct {
	segs []term.Seg
	does string // id of the command, "" for none
}

// choices are what the list is grouped and sorted by, and what it shows.
func (p *View) choices(sc *library.Scene, w int) []choice {
	th := sc.Theme
	by, order := safe.Text("session"), safe.Text("worst first")
	if p.byRule {
		by = "rule"
	}
	if p.byTime {
		order = "by time"
	}
	var out []choice
	gap := choice{[]term.Seg{term.S(term.Plain, "  ")}, ""}
	if w >= 100 {
		out = append(out,
			choice{[]term.Seg{term.S(th.Dim, "group "), term.S(th.Key, by)}, "findings.group"}, gap,
			choice{[]term.Seg{term.S(th.Dim, "sort "), term.S(th.Key, order)}, "findings.order"}, gap)
	}
	for s := diagnose.Error; s <= diagnose.Note; s++ {
		key := [...]safe.Text{"", "e", "w", "n"}[s]
		name := " " + [...]safe.Text{"", "errors", "warnings", "notes"}[s]
		does := [...]string{"", "findings.errors", "findings.warnings", "findings.notes"}[s]
		if w < 60 {
			name = ""
		}
		st := term.Plain
		if p.hidden[s] {
			name, st = name+" off", th.Dim
		}
		if s > diagnose.Error {
			out = append(out, gap)
		}
		out = append(out, choice{[]term.Seg{term.S(th.Key, key), term.S(st, name)}, does})
	}
	return out
}

// choiceAt is the switch at a column of the title.
func (p *View) choiceAt(sc *library.Scene, x, w int) string {
	all, n := p.choices(sc, w), 0
	for _, c := range all {
		n += term.SegsWidth(c.segs)
	}
	at := w - n - 3
	for _, c := range all {
		from := at
		if at += term.SegsWidth(c.segs); x >= from && x < at {
			return c.does
		}
	}
	return ""
}

// drawList draws the rows of the findings.
func (p *View) drawList(sc *library.Scene, w, h int) []string {
	if h == 0 {
		return nil
	}
	pane := term.Panel{Name: p.name(sc, partList, "Findings"), Focus: p.focus == partList}
	for _, c := range p.choices(sc, w) {
		pane.State = append(pane.State, c.segs...)
	}
	iw, ih := pane.Inner(&sc.Screen, w, h)
	if len(p.Entries) == 0 {
		return pane.Draw(&sc.Screen, w, h, p.drawNoFindings(sc, iw))
	}
	p.lines.Fit(len(p.Entries), max(ih-1, 0))
	t := p.columns(sc, iw)
	body := []string{t.Header(term.NewLine(iw, sc.Glyphs).Gap(1), sc.Theme.Faint).Finish()}
	for i := p.lines.Top; i < min(p.lines.Top+p.lines.Height, len(p.Entries)); i++ {
		body = append(body, p.drawEntry(sc, t, i, iw))
	}
	if n := p.lines.Lines; n > p.lines.Height {
		pane.Foot = []term.Seg{term.S(sc.Theme.Dim, term.Number(p.lines.Sel+1)+" of "+term.Number(n))}
		if !sc.Boxed {
			pane.State = append(pane.Foot, append([]term.Seg{term.S(term.Plain, "   ")}, pane.State...)...)
		}
	}
	return pane.Draw(&sc.Screen, w, h, body)
}

// measure takes in how long the names of clients and servers are.
func (p *View) measure() {
	p.wide = [2]int{8, 8}
	for i := range p.Entries {
		e := &p.Entries[i]
		client, _ := clientOf(e)
		server, _ := serverOf(e)
		p.wide[0] = max(p.wide[0], min(term.Width(client), 18))
		p.wide[1] = max(p.wide[1], min(term.Width(server), 16))
	}
}

// columns are those of the list in w cells: the title has what the others leave.
func (p *View) columns(sc *library.Scene, w int) view.Table {
	client, server := p.wide[0], p.wide[1]+term.Width(sc.Glyphs.Arrow)+1
	if w < 60 {
		client = min(client, 12)
	}
	t := view.NewTable(w,
		view.Column{Name: "", W: 3},
		view.Column{Name: "CLIENT", W: client + 2, After: 2},
		view.Column{Name: "SERVER", W: server + 2, After: 2, From: 90},
		view.Column{Name: "FINDING", After: 1},
		view.Column{Name: "TIMES", W: 6, Right: true},
		view.Column{Name: "AT FAULT", W: 9, Before: 2, After: 1, From: 90},
		view.Column{Name: "LAST", W: 8, Before: 1, Right: true, From: 90},
	)
	used := 2
	for _, c := range t {
		if c.W > 0 {
			used += c.W + c.Before
		}
	}
	t[3].W = max(w-used, 4)
	return t
}

func (p *View) drawEntry(sc *library.Scene, t view.Table, i, w int) string {
	e, th := &p.Entries[i], sc.Theme
	l := term.NewLine(w, sc.Glyphs)
	if i == p.lines.Sel {
		l.Selected(th, p.focus == partList)
	}
	hue, mark := p.hue(sc, e, i), sc.Glyphs.Edge
	if i == p.lines.Sel && (th.SoloSel || hue == "") {
		mark = sc.Glyphs.Bar
	}
	l.Put(hue, mark)
	sign, st := sc.Severity(e.at)
	nameSt, textSt := hue+term.Bold, term.Plain
	if e.muted {
		sign, st, nameSt, textSt = sc.Glyphs.Cancel, th.Dim, th.Dim, th.Dim
	}
	switch {
	case i == p.lines.Sel && !e.muted:
		textSt = term.Bold
	case e.depth > 0:
		textSt = th.Dim
	}
	client, named := clientOf(e)
	if !named {
		nameSt = th.Dim
	}
	server, seen := serverOf(e)
	serverSt := textSt
	if !seen {
		serverSt = th.Dim
	} else if !e.muted {
		serverSt = term.Plain
	}
	title := safe.Line(e.rule.Title)
	if e.muted {
		title = "muted: " + title
	}
	row := t.Row(l).Put(st, sign).Put(nameSt, client).Put(serverSt, sc.Glyphs.Arrow+" "+server)
	row.Draw(func(l *term.Line, c *view.Column) {
		count, room := safe.Text(""), c.W-c.After
		switch {
		case e.depth > 0:
			l.Gap(2*e.depth-2).Put(th.Frame, sc.Glyphs.Child).Gap(1)
			room -= 2 * e.depth
		case e.follows > 0:
			fold := sc.Glyphs.Folded
			if e.opened {
				fold = sc.Glyphs.Open
			}
			l.Put(th.Key, fold).Gap(1)
			count = "  +" + safe.Int(e.follows)
			room -= 2 + term.Width(count)
		}
		l.Put(textSt, headline(title, room, sc.Glyphs)).Put(th.Dim, count)
	})
	row.Put(st, term.Number(e.seen)+sc.Glyphs.Times).Put(textSt, fault(e)).Put(th.Dim, p.clock(sc, e))
	return l.Finish()
}

// hue is the colour of a row: of its session, or by its place in a list over
// several recordings.
func (p *View) hue(sc *library.Scene, e *entry, i int) term.Style {
	switch {
	case e.rec == nil:
		return ""
	case p.reach == reachAll:
		return sc.Theme.Hue(i)
	}
	return e.rec.Hue(sc.Theme, e.session)
}

// clientOf names the client of a row; false when it did not say its name.
func clientOf(e *entry) (safe.Text, bool) {
	f := e.list[0]
	name := f.Rec.SessionName(f.Session)
	if e.rec == nil {
		others := map[entryKey]bool{}
		for _, one := range e.list {
			others[entryKey{rec: one.Rec, session: one.Session}] = true
		}
		if n := len(others) - 1; n > 0 {
			name += " +" + safe.Int(n)
		}
	}
	s := f.Rec.Session(f.Session)
	return name, s != nil && (s.Client.Name != "" || name != library.NoName)
}

// serverOf names the server of a row; false when it did not say its name.
func serverOf(e *entry) (safe.Text, bool) {
	f := e.list[0]
	if s := f.Rec.Session(f.Session); s != nil && s.Server.Name != "" {
		return safe.Line(s.Server.Name), true
	}
	return "not seen", false
}

func fault(e *entry) safe.Text { return safe.Line(e.list[0].Side.String()) }

// clock is when a row showed last: the time of the day, or the day.
func (p *View) clock(sc *library.Scene, e *entry) safe.Text {
	rec := e.rec
	if rec == nil {
		rec = e.list[len(e.list)-1].Rec
	}
	at := rec.Started.Add(time.Duration(e.last)).Local()
	if rec.Started.IsZero() {
		return ""
	}
	if y, m, d := at.Date(); !sc.Now.IsZero() {
		if ny, nm, nd := sc.Now.Local().Date(); y != ny || m != nm || d != nd {
			return safe.Time(at, "2006-01-02")[2:]
		}
	}
	return safe.Time(at, "15:04:05")
}

// headline cuts a title that is too long at its last comma or colon that fits,
// else between words.
func headline(t safe.Text, n int, sg *term.Glyphs) safe.Text {
	if term.Width(t) <= n {
		return t
	}
	fits := term.Cut(t, n+1, "")
	for _, sep := range []string{",", ":"} {
		if i := strings.LastIndex(string(fits), sep+" "); i > n/3 {
			return t[:i]
		}
		if strings.HasSuffix(string(fits), sep) {
			return fits[:len(fits)-1]
		}
	}
	fits = term.Cut(t, n-term.Width(sg.Ellipsis)+1, "")
	if i := strings.LastIndexByte(string(fits), ' '); i > 0 {
		return t[:i] + sg.Ellipsis
	}
	return term.Cut(t, n, sg.Ellipsis)
}
