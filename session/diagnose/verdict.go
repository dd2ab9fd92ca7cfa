package diagnose

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Outcome says whether a session did what it was for.
type Outcome uint8

// The outcomes.
const (
	Unseen Outcome = iota // too little was recorded to say
	Works
	Failed
)

// String returns "unseen", "works" or "failed".
func (o Outcome) String() string { return [...]string{"unseen", "works", "failed"}[o] }

// Verdict is what a session comes to.
type Verdict struct {
	Outcome Outcome
	// Cause, of one that failed, is the finding that explains it, or, when Known is
	// false, the one that states that it failed; nil when no rule was asked.
	Cause *Finding
	Known bool
	// Rule, Side and Confidence are those of a known cause.
	Rule       string
	Side       Side
	Confidence Confidence
	Why        string // of Unseen: "nothing was asked"
}

// String is the verdict in words.
func (v Verdict) String() string {
	switch {
	case v.Outcome == Works:
		return "works"
	case v.Outcome == Unseen:
		return "not enough seen: " + v.Why
	case !v.Known:
		return "failed, cause unknown"
	}
	return "failed because of " + v.Rule + " (" + v.Side.String() + ", " + v.Confidence.String() + ")"
}

// Short is the verdict in as few words as a column has room for.
func (v Verdict) Short() string {
	switch {
	case v.Outcome == Unseen:
		return "unseen"
	case v.Outcome == Works || v.Known:
		return strings.TrimSuffix(v.Outcome.String()+": "+v.brief(), ": ")
	}
	return "failed: unknown"
}

// brief is what explains it, in a few words.
func (v Verdict) brief() string {
	if v.Known && v.Cause != nil {
		return v.Cause.Rule.Brief
	}
	return v.Rule
}

// because is the verdict of a session that failed: known says whether cause
// explains it.
func because(cause *Finding, known bool) Verdict {
	v := Verdict{Outcome: Failed, Cause: cause}
	if known {
		v.Known, v.Rule, v.Side, v.Confidence = true, cause.Rule.ID, cause.Side, cause.Confidence
	}
	return v
}

// fail asks about the sessions that failed, when all else was asked.
func (c *Checker) fail() {
	for _, s := range c.sessions() {
		f := c.failure(s)
		if f == nil {
			continue
		}
		c.ends.failed[s.Index] = true
		c.c = Case{
			Event: &session.Event{Session: s, T: s.Last, N: f.Frame, Row: -1},
			Facts: c.factsOf(s), Failure: f, Ledger: c.ledger, checker: c,
		}
		c.ask(Failures, "")
	}
}

// outcomes is what a Checker remembers to say in the end how sessions went.
type outcomes struct {
	failed     map[int]bool        // sessions that failed, after Finish
	heads      map[uint32][]uint64 // of exchanges that served nothing: the frames of their heads
	challenged map[uint32]bool     // exchanges that were asked for authorization
	dropped    map[uint32]bool     // exchanges that the client ended at once
	served     map[int]uint64      // by session: its last result, as far as that was asked for
	uncoded    map[int32]bool      // rows with a JSON-RPC error whose code is 0 or missing
	peers      *peers              // as they were at an event; nil for not asked yet
	at         uint64              // that event
	cited      citations
	said       map[int32]string // by row: how its refusal begins
	over       bool             // the recording is
}

func newOutcomes() outcomes {
	return outcomes{
		failed: map[int]bool{}, heads: map[uint32][]uint64{}, challenged: map[uint32]bool{}, dropped: map[uint32]bool{},
		served: map[int]uint64{}, uncoded: map[int32]bool{}, said: map[int32]string{},
	}
}

// maxHeads bounds of how many exchanges the heads are kept.
const maxHeads = 4096

// keepHeads notes where the heads of an exchange are that served nothing:
// findings of HTTP cite them.
func (c *Checker) keepHeads(e *session.Event) {
	x := e.Exchange
	if x.ResponseHeader("WWW-Authenticate") != "" && len(c.ends.challenged) < maxHeads {
		c.ends.challenged[x.X] = true
	}
	if e.By == wire.ByClient && e.T-x.RequestT < atOnce && len(c.ends.dropped) < maxHeads {
		c.ends.dropped[x.X] = true
	}
	bad := x.Status == 0 || x.Status >= 300
	if e.Row >= 0 {
		r := c.tracker.Row(int(e.Row))
		bad = bad || r.Kind == session.RowCall && r.Verdict != session.VerdictOK
	}
	if !bad || x.Messages == 0 || len(c.ends.heads) >= maxHeads {
		return
	}
	c.ends.heads[x.X] = []uint64{uint64(x.RequestN), uint64(x.ResponseN)}
}

// Heads are the frames of the HTTP heads of an exchange that served nothing, nil
// for any other.
func (c *Case) Heads(x uint32) []uint64 { return c.checker.ends.heads[x] }

// Works is another session of the same client or the same server that served
// something, the latest before the one in hand if there is one; nil for none.
func (c *Case) Works() *session.Session {
	i := c.checker.peers().works(c.checker, c.Session)
	if i < 0 {
		return nil
	}
	return c.checker.tracker.Session(i)
}

// ServedSince says whether the client got a result after a frame, in the session
// in hand or in another one that it began later.
func (c *Case) ServedSince(n uint64) bool {
	if c.Session != nil {
		a := account{checker: c.checker, session: c.Session}
		return c.checker.lastServed(c.Session) > n || a.retried()
	}
	return c.checker.peers().last > n
}

// Served says whether the client got a result, in the session in hand or in any
// other one that it began.
func (c *Case) Served() bool {
	if c.Session == nil {
		return c.ServedSince(0)
	}
	a := account{checker: c.checker, session: c.Session}
	return c.checker.lastServed(c.Session) > 0 || a.servedIn(0)
}

// AskedSince says whether the client asked after a frame for something that is
// not MCP: so it does to get authorization.
func (c *Case) AskedSince(n uint64) bool { return len(c.checker.authorization(uint32(n))) > 0 }

// Verdict is what a session of the checker's tap comes to, given the roots of
// what was found. Before Finish it is what it would come to if nothing came any more,
// without the cause.
func (c *Checker) Verdict(s *session.Session, roots []*Finding) Verdict {
	if !c.ends.over && c.failure(s) != nil {
		return Verdict{Outcome: Failed}
	}
	if !c.ends.failed[s.Index] {
		return c.without(s, roots)
	}
	if v, ok := c.cited(roots).failures[[2]int{s.Tap, s.Index}]; ok {
		return v
	}
	return Verdict{Outcome: Failed}
}

// without is the verdict of a session that did not fail.
func (c *Checker) without(s *session.Session, roots []*Finding) Verdict {
	a := c.account(s)
	switch {
	case s.Probe:
		return Verdict{Why: "a probe for the protocol version"}
	case slices.ContainsFunc(a.asked, served):
		return Verdict{Outcome: Works}
	case a.init != nil && a.authorizing(*a.init) && !a.retried():
		return c.unauthorized(a.init.Row, roots)
	case a.init != nil && a.init.End == Refused:
		return Verdict{Why: "the client tried again"}
	case len(a.pending()) > 0 && a.left > 0:
		return Verdict{Why: "the client left at once"}
	case len(a.pending()) > 0:
		return Verdict{Why: "it still waits for " + a.pending()[0].Method}
	case len(a.asked) > 0:
		return Verdict{Why: "no response could be read"}
	case a.lastOK != nil && a.lastOK.Method != mcp.Initialize:
		return Verdict{Outcome: Works}
	}
	if f := c.cited(roots).worst[[2]int{s.Tap, s.Index}]; f != nil {
		return Verdict{Why: "nothing was asked; see " + f.Rule.ID}
	}
	return Verdict{Why: "nothing was asked"}
}

// unauthorized is the verdict of a session that waited for authorization: it
// failed when something is wrong with that.
func (c *Checker) unauthorized(refused *session.Row, roots []*Finding) Verdict {
	first := len(roots)
	cited := c.cited(roots)
	for _, n := range c.authorization(refused.Request) {
		if i, ok := cited.first[n]; ok {
			first = min(first, i)
		}
	}
	if first < len(roots) {
		return because(roots[first], true)
	}
	return Verdict{Why: "authorization was not completed"}
}

// citations is what roots say, to be found without looking at all of them.
type citations struct {
	of       []*Finding
	changes  int
	first    map[uint64]int      // by frame: the first root that is more than a note and cites it
	failures map[[2]int]Verdict  // of failed sessions, by tap and index
	worst    map[[2]int]*Finding // the worst root of a session, the first of equals
}

func (c *Checker) cited(roots []*Finding) *citations {
	k := &c.ends.cited
	same := len(k.of) == len(roots) && (len(roots) == 0 || &k.of[0] == &roots[0])
	if same && k.first != nil && k.changes == c.changes {
		return k
	}
	*k = citations{
		of: roots, changes: c.changes, first: map[uint64]int{}, failures: map[[2]int]Verdict{},
		worst: map[[2]int]*Finding{},
	}
	for i, root := range roots {
		at := [2]int{root.Tap, root.Session}
		if worse := k.worst[at]; worse == nil || root.Severity < worse.Severity {
			k.worst[at] = root
		}
		root.Each(func(f *Finding, depth int) {
			at := [2]int{f.Tap, f.Session}
			if _, known := k.failures[at]; !known && f.Rule.On&Failures != 0 {
				k.failures[at] = because(root, depth > 0)
			}
		})
		if root.Severity >= Note || root.Tap != c.tracker.Tap() {
			continue
		}
		for _, n := range root.Frames {
			if _, known := k.first[n]; !known {
				k.first[n] = i
			}
		}
	}
	return k
}

// authorization lists the frames of HTTP without MCP that came after a refusal:
// there a client asks how it can get authorization.
func (c *Checker) authorization(refused uint32) []uint64 { return c.peers().after(refused) }

func (a *account) everServed(method string) bool {
	return slices.ContainsFunc(a.asked, func(one Asked) bool { return one.Method == method && one.End == Served })
}
