package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var requestAbandoned = &diagnose.Rule{
	ID:         "request-abandoned",
	Title:      "The client gave up requests that the server never answered",
	Brief:      "given up without a response",
	Severity:   diagnose.Note,
	Side:       diagnose.Server,
	Confidence: diagnose.Possible,
	On:         onGivingUp | diagnose.Results | diagnose.Errors | diagnose.Finish,
	Covers:     []string{"client-timeout", "ignores-stdin-eof*", "killed-without-eof*"},
	Check: func(c *diagnose.Case) {
		s := diagnose.State[abandoned](c)
		switch {
		case c.N == 0:
			s.report(c)
		case c.Kind == messageKind && c.Message.Kind != wire.MsgNotification:
			s.heard(c)
		default:
			if g, ok := gaveUp(c); ok && g.Owes == wire.ToClient {
				s.add(c, &g)
			}
		}
	},
}

// abandoned are the requests that a client gave up, and whether the server served others.
type abandoned struct {
	list   []left
	served uint64 // frame of the latest other result since the first of them was sent
	before uint64 // and before that
}

// left is a request that was given up.
type left struct {
	row    int32
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
	if g.waited < patience(g) || len(s.list) >= maxAbandoned || g.Method == mcp.TasksResult || g.Method == mcp.Initialize ||
		isMute(c) || asked && (isOpen(&q) || isStuck(c, &q)) {
		return
	}
	for _, one := range s.list {
		if one.row == g.Row {
			return
		}
	}
	one := left{row: g.Row, n: g.N, by: c.N, waited: g.waited, timed: g.timed()}
	if one.about = g.Method + " (" + frame(g.N) + ")"; g.call != nil {
		one.about = about(g.call)
	} else if p := c.Pending(g.Row); p != nil {
		one.about = about(p)
	}
	s.list = append(s.list, one)
}

// heard takes a response: a late one shows that the request was worked at.
func (s *abandoned) heard(c *diagnose.Case) {
	if c.Call == nil || c.Dir != wire.ToClient {
		return
	}
	for i := range s.list {
		if s.list[i].row == c.Row {
			s.list = append(s.list[:i], s.list[i+1:]...)
			return
		}
	}
	if c.Message.Kind == wire.MsgResult && c.Call.Method != mcp.Initialize {
		if s.before = c.N; len(s.list) > 0 {
			s.served = c.N
		}
	}
}

func (s *abandoned) report(c *diagnose.Case) {
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
	switch {
	case s.served != 0:
		f.Message += " Other requests were served meanwhile (" + frame(s.served) + "): the server was there, and this is what hangs."
		f.Frames = append(f.Frames, s.served)
	case s.before != 0:
		f.Message += " Other requests had been served before (" + frame(s.before) + ")."
	}
	if len(s.list) > 1 && s.served != 0 {
		f.Severity, f.Confidence = diagnose.Warning, diagnose.Likely
	} else if first.timed {
		return // the limit may be too short: client-timeout says so
	}
	c.ReportAs("", f)
}
