package sequence

import (
	"slices"
	"strconv"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// lane is a client or a server: a line from top to bottom.
type lane struct {
	x             int // column
	session       int // of a client
	name, version safe.Text
	st            term.Style
	started       int64 // until then it is dotted
}

type lanes struct {
	num, time int // cells
	left      int // first column behind them
	clients   []lane
	servers   []lane
	shared    bool        // one lane stands for all clients
	many      bool        // every client has its own
	hidden    int         // clients without a lane
	server    map[int]int // position in servers, by session
	notes, w  int         // column
}

const (
	closest   = 9  // columns between two clients
	widest    = 13 // likewise
	wordsRoom = 20 // columns between the last client and the servers
	serverGap = 15 // columns between two servers
	laneWidth = 96 // of a diagram with a lane for each client
	arrowRoom = 40 // columns that notes leave between client and server
)

func lanesOf(sc *library.Scene, scope library.Scope, seen []int, w int) lanes {
	rec := sc.Rec
	a := lanes{num: 4, w: w, server: map[int]int{}}
	if n := len(rec.Frames); n > 0 {
		a.num = max(a.num, len(strconv.Itoa(int(rec.Frames[n-1].N))))
	}
	if !term.Narrow(w) {
		if a.time = 9; sc.Time == term.ClockTime {
			a.time = 14
		}
	}
	a.left = 3 + a.num + a.time
	var shown []int
	for i := range rec.Tracker.Sessions() {
		if of := scope.Current(); of == nil || i == of.Index {
			shown = append(shown, i)
		}
	}
	if len(shown) > 1 && w >= laneWidth {
		a.placeMany(sc, shown, seen)
		return a
	}
	a.placeOne(sc, shown)
	return a
}

// placeOne places one lane for all clients, with words beside the server.
func (a *lanes) placeOne(sc *library.Scene, shown []int) {
	rec, w := sc.Rec, a.w
	c := lane{x: a.left + 1, name: "client", st: sc.Theme.Frame, session: everyone}
	s := lane{name: "server", st: sc.Theme.Frame}
	if a.shared = len(shown) > 1; a.shared {
		c.name = "clients"
	}
	for _, i := range shown[:min(len(shown), 64)] {
		x := rec.Session(i)
		if !a.shared {
			c.session, c.st = i, rec.Hue(sc.Theme, i)
			if x.Client.Name+x.Client.Title != "" {
				c.name = library.PeerText(x.Client)
			}
		}
		if x.Server.Name+x.Server.Title != "" {
			s.name = library.PeerText(x.Server)
		}
	}
	notes := w * 22 / 100
	if rec.Findings.Total.Sum() == 0 {
		notes = 18
	}
	if w-notes-c.x < arrowRoom {
		notes = 4
	}
	s.x = c.x + min(w-notes-c.x-2, 64)
	a.clients, a.servers, a.notes = []lane{c}, []lane{s}, s.x+2
}

// placeMany places a lane for each client, in the order of their arrival, and
// one for each server. Where there is not room for all, clients that are seen
// have one.
func (a *lanes) placeMany(sc *library.Scene, shown, seen []int) {
	rec, last := sc.Rec, a.w-7
	a.many, a.notes = true, a.w
	for _, i := range shown {
		p := rec.Session(i).Server
		s := lane{name: safe.Line(p.Name), version: safe.Line(p.Version), st: sc.Theme.Title}
		k := slices.IndexFunc(a.servers, func(o lane) bool { return o.name == s.name && o.version == s.version })
		if k < 0 && p.Name != "" {
			k, a.servers = len(a.servers), append(a.servers, s)
		}
		a.server[i] = max(k, 0)
	}
	switch n := len(a.servers); {
	case n == 0:
		a.servers = []lane{{name: "server", st: sc.Theme.Title}}
	case n > 1 && last-a.left-wordsRoom-serverGap*(n-1) < closest*min(len(shown), 8):
		a.servers, a.server = []lane{{name: "servers", version: safe.Int(n), st: sc.Theme.Title}}, map[int]int{}
	}
	for k := range a.servers {
		a.servers[k].x = last - serverGap*(len(a.servers)-1-k)
	}
	room := a.servers[0].x - a.left - wordsRoom
	if most := max(room/closest, 1); len(shown) > most {
		all := len(shown)
		some := slices.DeleteFunc(slices.Clone(shown), func(i int) bool { return !slices.Contains(seen, i) })
		for _, i := range shown {
			if len(some) < most && !slices.Contains(some, i) {
				some = append(some, i)
			}
		}
		shown = some[:min(len(some), most)]
		slices.Sort(shown)
		a.hidden = all - len(shown)
	}
	gap := max(closest, min(room/len(shown), widest))
	for n, i := range shown {
		s := rec.Session(i)
		a.clients = append(a.clients, lane{
			x: a.left + gap/2 + n*gap, session: i, name: rec.SessionName(i), version: safe.Line(s.Client.Version),
			st: rec.Hue(sc.Theme, i), started: s.Started,
		})
	}
}

// of is the lane of a session, nil when it has none.
func (a *lanes) of(session int) *lane {
	if len(a.clients) == 1 && !a.many {
		return &a.clients[0]
	}
	for i := range a.clients {
		if a.clients[i].session == session {
			return &a.clients[i]
		}
	}
	return nil
}

func (a *lanes) to(session int) *lane { return &a.servers[a.server[session]] }

func (a *lanes) heads(h int) int {
	if a.many && h >= 14 {
		return 3
	}
	return 1
}

// head names the lanes: in lines of names, versions, and where the lanes begin.
func (s *renderer) head(lines int) []string {
	faint := s.sc.Theme.Faint
	if !s.at.many {
		return []string{s.shortHead()}
	}
	var out []string
	for i := range lines {
		l := term.NewLine(s.at.w, s.sc.Glyphs)
		if i == min(1, lines-1) {
			l.Gap(2).Right(faint, "#", s.at.num).Right(faint, s.timeName(), s.at.time)
			if s.at.hidden > 0 {
				l.Gap(1)
			}
		}
		all := s.all()
		for k, x := range all {
			to := s.at.w
			if k+1 < len(all) {
				to = (x.x + all[k+1].x) / 2
			}
			switch i {
			case 0:
				s.centred(l, x.st+term.Bold, x.name, x.x, l.Used+min(l.Used, 1), to)
			case 1:
				s.centred(l, s.sc.Theme.Dim, x.version, x.x, l.Used+1, to)
			default:
				l.Gap(x.x-l.Used).Put(x.st, s.sc.Glyphs.TDown)
			}
			if last := s.at.clients[len(s.at.clients)-1].x; i == 0 && x.x == last && s.at.hidden > 0 {
				l.Gap(2).Put(s.sc.Theme.Dim, "+"+safe.Int(s.at.hidden))
			}
		}
		out = append(out, l.Finish())
	}
	return out
}

// shortHead names one client and one server in a line.
func (s *renderer) shortHead() string {
	l, th := term.NewLine(s.at.w, s.sc.Glyphs), s.sc.Theme
	client, server := s.at.clients[0], s.at.servers[0]
	l.Gap(2).Right(th.Faint, "#", s.at.num).Right(th.Faint, s.timeName(), s.at.time)
	half := (server.x - client.x) / 2
	st := client.st
	if s.at.shared {
		st = term.Plain
	}
	s.centred(l, st+term.Bold, client.name, client.x, l.Used+1, client.x+half-1)
	s.centred(l, th.Title, server.name, server.x, max(l.Used+1, client.x+half), s.at.w)
	return l.Finish()
}

func (s *renderer) timeName() safe.Text {
	if s.at.time == 0 {
		return ""
	}
	return "TIME"
}

// centred writes text around a column, between two others.
func (s *renderer) centred(l *term.Line, st term.Style, t safe.Text, column, from, to int) {
	n := min(term.Width(t), to-from)
	at := max(from, min(column-n/2, to-n))
	l.Gap(at-l.Used).PutMax(st, t, n)
}

func (s *renderer) all() []lane { return append(slices.Clone(s.at.clients), s.at.servers...) }

// rails draws lanes from where the line is up to a column, at a moment: dotted
// before their client connects, and where nothing is said, before all time.
func (s *renderer) rails(l *term.Line, to int, t int64) {
	put := func(a *lane) {
		if a.x < l.Used || a.x >= to {
			return
		}
		glyph := s.sc.Glyphs.V
		if t < a.started || t < 0 {
			glyph = s.sg.dotted
		}
		l.Gap(a.x-l.Used).Put(a.st, glyph)
	}
	for i := range s.at.clients {
		put(&s.at.clients[i])
	}
	for i := range s.at.servers {
		put(&s.at.servers[i])
	}
}
