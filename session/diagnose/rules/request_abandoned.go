package rules

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var requestAbandoned = rule("request-abandoned", onGivingUp|diagnose.Finish, func(c *diagnose.Case) {
	s := diagnose.State[abandoned](c)
	if c.N == 0 {
		s.report(c)
	} else if g, ok := gaveUp(c); ok && g.Owes == wire.ToClient {
		s.add(c, &g)
	}
})

// abandoned are the requests that a client gave up.
type abandoned struct{ list []left }

// left is a request that was given up.
type left struct {
	row    int32
	t      int64
	n, by  uint64 // frames of the request, and of what gave it up
	about  string
	waited int64
	timed  bool
}

const maxAbandoned = 64

// patience is how long somebody waits at least who gives up because nothing comes, in
// nanoseconds: users cancel what takes some seconds.
func patience(g *givenUp) int64 {
	if g.call != nil && !g.timed() {
		return 10e9
	}
	return 5e9
}

func (s *abandoned) add(c *diagnose.Case, g *givenUp) {
	q, asked := question(c, g.Row)
	if g.waited < patience(g) || len(s.list) >= maxAbandoned ||
		g.Method == mcp.TasksResult || g.Method == mcp.Initialize ||
		isMute(c) || asked && isOpen(&q) {
		return
	}
	for _, one := range s.list {
		if one.row == g.Row {
			return
		}
	}
	one := left{row: g.Row, t: g.T, n: g.N, by: c.N, waited: g.waited, timed: g.timed()}
	if one.about = g.Method + " (" + frame(g.N) + ")"; g.call != nil {
		one.about = about(g.call)
	} else if p := c.Pending(g.Row); p != nil {
		one.about = about(p)
	}
	s.list = append(s.list, one)
}

// behind says whether all that hung came behind another request on their connection, and
// what was served did not.
func (s *abandoned) behind(c *diagnose.Case) bool {
	first, served, t := map[uint32]uint32{}, 0, c.Tracker()
	for _, i := range c.Session.Rows() {
		r := t.Row(int(i))
		if r.Conn == 0 || r.Request == 0 || r.Dir != wire.ToServer {
			continue
		}
		first[r.Conn] = cmp.Or(first[r.Conn], r.Request)
		switch is := first[r.Conn] == r.Request; {
		case is == (r.Kind == session.RowCall && r.Response == 0):
			return false
		case is:
			served++
		}
	}
	return served > 1 && len(s.list) > 1
}

func (s *abandoned) report(c *diagnose.Case) {
	s.list = slices.DeleteFunc(s.list, func(one left) bool { // a late response shows that it was worked at
		return c.Tracker().Row(int(one.row)).Response != 0
	})
	if len(s.list) == 0 || c.Blind() {
		return
	}
	first := &s.list[0]
	f := diagnose.Finding{Frames: []uint64{first.by, first.n}}
	f.Message = c.Client() + " waited " + seconds(first.waited) + " for the response to " + first.about + " and gave it up (" + frame(first.by) + "). No response came until the session ended."
	if n := len(s.list); n > 1 {
		f.Message += " The same happened to " + words.CountOf(n-1, "more request", "more requests") + ", such as " + s.list[1].about + "."
		for _, one := range s.list[1:] {
			f.Frames = append(f.Frames, one.by, one.n)
		}
	}
	meanwhile := c.Facts.LastOK > first.t
	switch in := c.Facts.Init; {
	case in != nil && in.OK && c.Facts.Initialized == 0 && c.Facts.Results == 0 && overStdio(c):
		f.Message += " The client had not sent notifications/initialized after the response to initialize (" + frame(in.ResponseN) + "), and servers may wait for it."
		f.Side = diagnose.Client
		f.Frames = append(f.Frames, in.ResponseN)
		advise(&f, "initialized missing")
	case s.behind(c):
		f.Message += " Each of them was not the first request on its connection. All that were served were."
		advise(&f, "one request a connection")
	case meanwhile:
		f.Message += " Other requests were served meanwhile: the server was there, and this is what hangs."
	case c.Facts.Results > 0:
		f.Message += " Other requests had been served before."
	}
	if len(s.list) > 1 && meanwhile {
		f.Severity = diagnose.Warning
	} else if first.timed {
		return // the limit may be too short: client-timeout says so
	}
	if overStdio(c) {
		hear(c).meanwhile(&f, first.n)
	}
	c.ReportAs("", f)
}
