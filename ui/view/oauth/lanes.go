package oauth

import (
	"cmp"
	"slices"
	"strings"

	auth "midwire/session/oauth"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// lane is a party of the flow: a line from top to bottom.
type lane struct {
	party      auth.Party
	x          int // column
	role, name safe.Text
	st         term.Style
	seen       bool // it took part in what is recorded
}

// lanes are those of all parties, none where there is not room.
type lanes struct {
	all  []lane
	room int // column behind the words, where there are no lanes
}

func (a *lanes) shown() bool { return len(a.all) > 0 }

// left is the first column behind the words.
func (a *lanes) left() int {
	if a.shown() {
		return a.all[0].x
	}
	return a.room
}

func (a *lanes) of(p auth.Party) *lane {
	i := slices.IndexFunc(a.all, func(l lane) bool { return l.party == p })
	return &a.all[max(i, 0)]
}

type arrowParts struct{ line, back, ahead, left, right, unseen safe.Text }

func arrowGlyphs(sc *library.Scene) arrowParts {
	if sc.ASCII {
		return arrowParts{"-", "-", ".", "<", ">", ":"}
	}
	return arrowParts{"─", "╌", "┄", "◀", "▶", "┊"}
}

// place gives the parties their columns. What a wide screen has more goes to the
// values, and to the room between the parties.
func (d *drawing) place() {
	if d.w < lanesW {
		d.lanes.room = d.w
		if !term.Narrow(d.w) {
			d.lanes.room = d.w - 11
		}
		return
	}
	extra := min(d.w-118, 90)
	value, gaps := 25+extra/3, [3]int{28 + extra/3, 16 + extra/6, 13 + extra/6}
	if extra < 0 {
		less := min(extra+12, 0)
		value, gaps = 25+max(extra, -12), [3]int{28 + less/2, 16 + less/4, 13 + less/4}
	}
	hues := []term.Style{d.client(d.f)}
	for _, n := range []int{3, 2, 6, 1, 4} {
		if h := d.sc.Theme.Hue(n); h == "" || !slices.Contains(hues, h) {
			hues = append(hues, h)
		}
	}
	client := safe.Line(d.f.Client)
	server, issuer := hostOf(d.f.URL), hostOf(d.f.AuthServer)
	d.lanes.all = []lane{
		{party: auth.Client, role: "client", name: client, seen: true},
		{party: auth.MCPServer, role: "MCP server", name: safe.Line(server), seen: true},
		{party: auth.AuthServer, role: "auth. server", name: safe.Line(cmp.Or(issuer, "not known"))},
		{party: auth.Browser, role: "browser", name: "inferred"},
	}
	if issuer != "" && issuer == server {
		d.lanes.all[2].name = "the same"
	}
	x := titleAt + titleW + value
	for i := range d.lanes.all {
		l := &d.lanes.all[i]
		l.x, l.st = x, hues[i]
		if i < len(gaps) {
			x += gaps[i]
		}
	}
	for _, s := range d.f.Steps {
		for _, e := range s.Exchanges {
			d.lanes.of(e.To).seen = true
			if e.From == auth.Browser && s.Kind == auth.Authorize {
				l := d.lanes.of(auth.Browser)
				l.seen, l.name = true, "seen"
			}
		}
	}
}

func hostOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// columns are the two lines above the steps: who takes part.
func (d *drawing) columns() []string {
	out := make([]string, 2)
	for r := range out {
		l := term.NewLine(d.w, d.sc.Glyphs)
		if r == 1 {
			l.Gap(titleAt).Put(d.sc.Theme.Faint, "STEP").Gap(titleAt + titleW - l.Used)
			l.Put(d.sc.Theme.Faint, "VALUE FOR THE NEXT")
		}
		for i, one := range d.lanes.all {
			// A name ends at half of the way to the next lane.
			end := d.w - 1
			if i+1 < len(d.lanes.all) {
				end = (one.x + d.lanes.all[i+1].x) / 2
			}
			name, st := one.role, one.st+term.Bold
			if r == 1 {
				name, st = one.name, d.sc.Theme.Dim
			}
			if i == len(d.lanes.all)-2 {
				end = d.lanes.all[i+1].x - 5
			}
			half := (min(term.Width(name), end-l.Used-1) + 1) / 2
			at := max(l.Used+1+max(0, 1-i), min(one.x-half, end-2*half))
			l.Gap(at-l.Used).PutMax(st, name, end-l.Used)
		}
		out[r] = l.Finish()
	}
	return out
}

func (d *drawing) side(l *term.Line, one *lane) {
	if one.seen {
		l.Put(one.st, d.sc.Glyphs.V)
	} else {
		l.Put(d.sc.Theme.Faint, arrowGlyphs(d.sc).unseen)
	}
}

// sides draws the lines of the parties from where a line is, up to a column.
func (d *drawing) sidesTo(l *term.Line, to int) *term.Line {
	for i := range d.lanes.all {
		if one := &d.lanes.all[i]; one.x >= l.Used && one.x < to {
			l.Gap(one.x - l.Used)
			d.side(l, one)
		}
	}
	return l.Gap(min(to, l.Max) - l.Used)
}

func (d *drawing) sides(l *term.Line) *term.Line { return d.sidesTo(l, d.w) }

// arrow draws one from a party to another, with words on it.
func (d *drawing) arrow(l *term.Line, from, to *lane, st term.Style, dash safe.Text, words []term.Seg) {
	lo, hi := min(from.x, to.x), max(from.x, to.x)
	d.sidesTo(l, lo+1)
	a := arrowGlyphs(d.sc)
	room := hi - lo - 1
	most := max(room-6, 0)
	for len(words) > 2 && term.SegsWidth(words) > most {
		words = words[:len(words)-1]
	}
	if term.SegsWidth(words) > most && len(words) > 1 && most-term.Width(words[0].Text) < leastValue {
		words = words[:1] // the beginning of a word says nothing
	}
	n := min(term.SegsWidth(words), most)
	put := func(end int) {
		if n == 0 {
			return
		}
		l.Gap(1)
		for _, s := range words {
			l.PutMax(s.Style, s.Text, end-l.Used)
		}
		l.Gap(1)
	}
	if from.x < to.x {
		l.Fill(st, dash, lo+3)
		put(lo + 4 + n)
		l.Fill(st, dash, hi-1).Put(st, a.right)
	} else {
		l.Put(st, a.left).Fill(st, dash, hi-4-n)
		put(hi - 3)
		l.Fill(st, dash, hi)
	}
	d.sides(l)
}

func (d *drawing) arrows(l *term.Line, i, r int) {
	s, a := &d.f.Steps[i], arrowGlyphs(d.sc)
	all := d.shown(i)
	if len(all) == 0 && r == 0 {
		d.expected(l, s)
		return
	}
	for k := range all {
		x := &all[k]
		n := exchangeRows(x)
		if d.level[i] == 0 {
			n = 1
		}
		if r >= n {
			r -= n
			continue
		}
		from, to := d.lanes.of(x.From), d.lanes.of(x.To)
		if r == 1 {
			st := statusStyle(d.sc, s, x)
			d.arrow(l, to, from, st, a.back, responseWords(d.sc, s, x))
			return
		}
		words := []term.Seg{
			term.S(d.sc.Theme.Key, view.FrameRef(x.Request)), term.S(term.Plain, " "+requestName(x.What)),
		}
		if d.level[i] == 0 && x.Status != 0 {
			words = append(words, term.S(statusStyle(d.sc, s, x), " "+safe.Int(x.Status)))
		}
		if more := len(s.Exchanges) - len(all) + s.More/2; k == 0 && more > 0 {
			words = append(words, term.S(d.sc.Theme.Dim, " and "+term.Number(more)+" before"))
		}
		d.arrow(l, from, to, from.st, a.line, words)
		return
	}
	d.sides(l)
}

// expected draws where a step would come that is not in the recording.
func (d *drawing) expected(l *term.Line, s *auth.Step) {
	from, to, words := auth.Client, s.To, [auth.Kinds]safe.Text{
		"", "GET resource metadata", "GET OAuth metadata", "POST /register", "login", "code", "POST /token",
		"with the token",
	}[s.Kind]
	if s.Kind == auth.Authorize || s.Kind == auth.Redirect {
		from = s.From
	}
	if words == "" || s.State == auth.Skipped {
		d.sides(l)
		return
	}
	st := d.sc.Theme.Faint
	d.arrow(l, d.lanes.of(from), d.lanes.of(to), st, arrowGlyphs(d.sc).ahead, []term.Seg{term.S(st, words)})
}
