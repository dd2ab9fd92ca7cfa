package sessions

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// previewHeight is how many lines of so many are below a list of so many rows: what it does not
// need.
func previewHeight(height, rows int) int {
	switch {
	case height >= 32:
		return min(max(height-rows-4, 13), 20)
	case height >= 20:
		return 11
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
		body = groupDoc(sc, l.group, iw).All(&sc.Screen, iw, 1)
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
		p.Name, p.State = l.row.title(sc), l.row.state(sc)
		body = l.row.draw(sc, iw, ih)
	}
	return p.Draw(&sc.Screen, w, height, body)
}

func groupDoc(sc *library.Scene, g *group, w int) *document.Doc {
	d := document.Doc{Width: w - 2}
	text := []term.Seg{term.S(term.Plain, term.Count(len(g.rows), "session"))}
	if g.failed > 0 {
		text = append(text, term.S(sc.Theme.Err, "   "+sc.Glyphs.Err+" "+term.Number(g.failed)+" failing"))
	}
	d.Add(text...)
	what := safe.Text(" folds the group")
	if g.folded {
		what = " unfolds the group"
	}
	d.Add(term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, what))
	return &d
}

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

// state is how the two talked, and how long.
func (r *row) state(sc *library.Scene) []term.Seg {
	th, took := sc.Theme, term.Duration(r.sum.Last-r.sum.Started)
	out := term.Spare(1, term.S(th.Dim, r.how()+"   "))
	if v := &r.sum.Result; r.accounted() && !v.NamesCause() {
		out = append([]term.Seg{term.S(th.Dim, diagnose.NotKnown+"   ")}, out...)
	}
	if r.live() {
		return append(out, term.S(th.Ok, sc.Glyphs.Live), term.S(th.Dim, " last "+detail.Ago(sc.Now.Sub(r.last()))))
	}
	out = append(out, term.Spare(2, term.S(th.Dim, sc.Glyphs.Ended+" ended "+safe.Time(r.last().Local(), "15:04:05")+", "))...)
	return append(out, term.S(th.Dim, "took "), term.S(th.Title, took))
}

func (r *row) draw(sc *library.Scene, w, height int) []string {
	if r.unread() {
		l := term.NewLine(w, sc.Glyphs).Gap(1)
		dots(l, sc, w/2)
		return []string{l.Finish(), term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, "It is being read.").Finish()}
	}
	life := term.NewLine(w, sc.Glyphs)
	steps := detail.LifeCycle(&r.sum.Result, r.sum.Session().Steps, r.live())
	detail.DrawLifecycle(life, sc, steps)
	out := append(r.verdict(sc, w, height), life.Finish())
	if height >= 11 {
		out = append(out, r.timeline(sc, w))
	}
	return append(out, r.messages(sc, w, height-len(out))...)
}

// accounted says whether there is something to say of what went wrong.
func (r *row) accounted() bool {
	v := &r.sum.Result
	return v.Outcome == diagnose.Failed || v.Outcome == diagnose.Impaired || v.Odd
}

// verdict says what the session comes to and who must act, where something is wrong. What to do has
// room before what happened besides.
func (r *row) verdict(sc *library.Scene, w, height int) []string {
	v, lines := &r.sum.Result, r.sum.Card
	if r.rec.Loaded() || r.rec.Live {
		lines = r.rec.CardOf(r.sess)
	}
	if !r.accounted() {
		return nil
	}
	d := document.Doc{Width: w - 2}
	a := detail.Account{Verdict: *v, Session: r.sum.Session(), Lines: lines}
	rows := max(height-5, height*3/4)
	if v.NamesCause() {
		rows = max(rows, min(a.Short().Rows(sc, d.Width)+1, height-1))
	}
	a.Write(&d, sc, rows)
	return d.All(&sc.Screen, w, 1)
}

// messages are the rows that failed and the last call like them that worked, or else the
// last rows.
func (r *row) messages(sc *library.Scene, w, height int) (out []string) {
	if len(r.sum.Rows) == 0 {
		return []string{term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, "enter shows its messages").Finish()}
	}
	var failed, rest []library.Brief
	for i := range r.sum.Rows {
		m := &r.sum.Rows[i]
		b := library.Brief{
			Frame: uint64(m.Frame), T: max(0, m.T-r.sum.Started), Hue: r.hue(sc.Theme),
			Method: m.Method, Target: m.Target, Result: m.Result,
			Row: session.Row{Kind: m.Kind, Dir: m.Dir, Ending: m.Ending, T: m.T, End: m.T + m.Latency},
		}
		if m.Ending.Bad() {
			failed = append(failed, b)
		} else {
			rest = append(rest, b)
		}
	}
	part := func(name safe.Text, all []library.Brief, room int) {
		headed := len(failed) > 0 && sc.Boxed
		if len(all) == 0 || room < 1 || headed && room < 2 {
			return
		}
		if headed {
			l := term.NewLine(w, sc.Glyphs).Put(sc.Theme.Frame, sc.Glyphs.H).Gap(1).Put(sc.Theme.Dim, name).Gap(1)
			out = append(out, l.Fill(sc.Theme.Frame, sc.Glyphs.H, w).Finish())
			room--
		}
		t := sc.Briefs("SESSION").Fit(w, len(all), func(i int) *library.Brief { return &all[i] })
		for i := range all[:min(len(all), max(room, 0))] {
			out = append(out, t.Row(&all[i], false, false))
		}
	}
	if len(failed) == 0 {
		part("", rest[max(0, len(rest)-height):], height)
		return out
	}
	part("Failing rows", failed, max(height-min(len(rest), 1)*2, min(height, 2)))
	part("Served before them", rest, height-len(out))
	return out
}

// timeline draws when something happened, from the first message to the last.
func (r *row) timeline(sc *library.Scene, w int) string {
	th := sc.Theme
	l := term.NewLine(w, sc.Glyphs).Gap(1)
	l.Put(th.Dim, safe.Time(r.started().Local(), "15:04:05")).Gap(1)
	end := safe.Time(r.last().Local(), "15:04:05")
	room := w - l.Used - term.Width(end) - 3
	if each := room / summary.Slots; each > 0 {
		all := slots(r.sum)
		wide := make([]term.Slot, 0, each*len(all))
		for _, s := range all {
			for range each {
				wide = append(wide, s)
			}
		}
		l.Segs(term.Spark(&sc.Screen, r.hue(th), wide))
	} else if room > 0 {
		l.Segs(term.Spark(&sc.Screen, r.hue(th), term.Fold(slots(r.sum), room)))
	}
	return l.Gap(w-l.Used-term.Width(end)-1).Put(th.Dim, end).Finish()
}

// WriteWaiting says how to get the first message into a live recording. url is where
// clients reach the proxy of this process, which forwards to upstream.
func WriteWaiting(d *document.Doc, sc *library.Scene, r *library.Recording, url, upstream string) {
	th := sc.Theme
	if r.Tap != "http" {
		d.Text(term.Bold, "The server runs. No message so far.")
		d.Blank()
		d.Field(th, "command", term.S(term.Plain, safe.Line(r.Where)))
		d.Blank()
		d.Text(th.Dim, "Messages appear here as soon as the client speaks.")
		return
	}
	listen, target, _ := strings.Cut(r.Where, " → ")
	if listen == "" { // a proxy of clients that keep their URLs
		d.Text(term.Bold, "The client has sent nothing to a server yet.")
		d.Blank()
		d.Text(th.Dim, "Messages appear here as soon as it does.")
		return
	}
	d.Text(term.Bold, "No client has connected yet.")
	d.Blank()
	if OwnTap(r, url) {
		d.Field(th, "clients", term.S(term.Bold, safe.Line(url)))
		target = upstream
	} else {
		d.Field(th, "clients", term.S(th.Dim, "connect to "), term.S(term.Plain, safe.Line(listen)))
	}
	if target != "" {
		d.Field(th, "forwards", term.S(th.Dim, "to "), term.S(term.Plain, safe.Line(target)))
	}
	d.Blank()
	d.Text(th.Dim, "Nothing happens? The client must use this URL, not the server's, and be restarted.")
}

// OwnTap says whether a live recording comes from the proxy that clients reach at
// url.
func OwnTap(r *library.Recording, url string) bool {
	listen, _, _ := strings.Cut(r.Where, " → ")
	return r.Live && r.Tap == "http" && listen != "" && strings.Contains(url, listen)
}

// Whereabouts names a recording, and the session in it that is shown.
func Whereabouts(at library.Scope) []safe.Text {
	r := at.Rec
	out := []safe.Text{r.Name()}
	if s := r.Session(at.Session); s != nil && len(r.Tracker.Sessions()) > 1 {
		out = append(out, r.SessionName(s.Index))
	}
	return out
}
