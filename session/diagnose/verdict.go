package diagnose

import (
	"cmp"
	"slices"
	"strconv"

	"midwire/session"
	"midwire/session/evidence"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Outcome says whether a session did what it was for.
type Outcome uint8

// The outcomes.
const (
	Unseen    Outcome = iota // too little was recorded to say
	Served                   // every operation was served, or its refusal is no loss
	Failed                   // what it was for was refused, never answered, or ended with the transport
	Impaired                 // it went on, but some operations failed, or something is wrong
	OnPurpose                // what failed was midwire's own doing: a fault, or somebody at the gate
)

// String returns "unseen", "served", "failed", "impaired" or "on-purpose".
func (o Outcome) String() string {
	return [...]string{"unseen", "served", "failed", "impaired", "on-purpose"}[o]
}

// Verdict is what a session comes to. It is made once, by a Checker; whatever says how
// a session went reads it.
type Verdict struct {
	Outcome Outcome `json:"outcome,omitzero"`
	// Cause is the finding that explains the outcome, or, of a failure when Known is
	// false, the one that states it; nil for none.
	Cause *Finding `json:"-"`
	Known bool     `json:"known,omitzero"` // why it failed; of Unseen, that another session tells
	// Silent is of a failure where nothing but a response is missing, and the client is there or
	// gave up; Odd of a session that was served, and whose result reads like a failure.
	Silent bool `json:"silent,omitzero"`
	Odd    bool `json:"odd,omitzero"`
	// Rule, Severity and Side are those of the cause; Rule is "" of one that is not Known.
	Rule     string   `json:"rule,omitzero"`
	Severity Severity `json:"severity,omitzero"`
	Side     Side     `json:"side,omitzero"`
	// Line is the first line without its sign: who could not do what, because of what, or counts
	// and quotes. Short is the same for a column.
	Line  string `json:"line,omitzero"`
	Short string `json:"short,omitzero"`
}

// Sign is what the first line begins with: ✓ ✗ ! ? or, of what midwire did itself, ·.
func (v *Verdict) Sign() string {
	switch {
	case v.Outcome == Failed && v.Silent, v.Outcome == Unseen:
		return "?"
	case v.Odd:
		return "!"
	}
	return [...]string{"?", "✓", "✗", "!", "·"}[v.Outcome]
}

// HasFailed reports whether the session is counted as failed, IsSilent as unanswered. They are
// the only counts of sessions that there are.
func (v *Verdict) HasFailed() bool { return v.Outcome == Failed && !v.Silent }

// IsSilent reports whether the session is counted as unanswered.
func (v *Verdict) IsSilent() bool { return v.Silent && (v.Outcome == Failed || v.Outcome == Unseen) }

// Rewrite puts every text of the verdict through a function, such as one that masks.
func (v *Verdict) Rewrite(do func(string) string) { v.Line, v.Short = do(v.Line), do(v.Short) }

// String is the first line with its sign.
func (v Verdict) String() string { return v.Sign() + " " + v.Line }

// because is the verdict of a session whose failure has a cause, and Because of one that goes on.
func Because(cause *Finding) Verdict {
	v := Verdict{Outcome: Failed, Known: cause.Known()}
	if v.of(cause); !v.Known {
		v.Rule = "" // it only says that it failed
	}
	return v
}

// of takes the cause from a finding.
func (v *Verdict) of(f *Finding) {
	v.Cause, v.Rule, v.Severity, v.Side = f, f.Rule.ID, f.Severity, f.Side
	v.Line, v.Short = f.Message, cmp.Or(f.Brief, f.Rule.Brief, f.Rule.ID)
}

// says takes what was seen.
func (v *Verdict) says(s Seen) {
	v.Line, v.Short, v.Silent = s.Line, s.Short, s.Silent
}

// unseen is the verdict of a session of which too little was seen.
func unseen(line string) Verdict { return Verdict{Line: line, Short: line} }

// Brief says what failed in at most MaxBrief columns, without a word of the peers.
func (f *Failure) Brief() string {
	if f.How == ProcessDied {
		return "exit code " + strconv.Itoa(f.Code)
	}
	how, to := "an error", " to a request"
	if len(f.Asked) > 0 && mcp.Known(f.Asked[0].Method) {
		to = " to " + f.Asked[0].Method
	}
	switch {
	case len(f.Asked) == 0 || !f.Asked[0].End.Denied():
		how = "no response"
	case f.Code != 0:
		how = strconv.Itoa(f.Code)
	case f.Status != 0:
		how = "HTTP " + strconv.Itoa(f.Status)
	}
	return words.Ellipsis(how+to, MaxBrief)
}

// fail asks about the sessions that failed, when all else was asked.
func (c *Checker) fail() {
	for _, s := range c.sessions() {
		f := c.failure(s)
		if f == nil {
			continue
		}
		f.Seen = c.seen(s, f)
		c.accountFor(f, s)
		c.ends.failed[s.Index] = f
		c.c = Case{
			Event: &session.Event{Session: s, T: s.Last, N: f.Frame, Row: -1},
			Facts: c.factsOf(s), Failure: f, Ledger: c.ledger, checker: c,
		}
		c.ask(Failures, "")
	}
}

// outcomes is what a Checker remembers to say in the end how sessions went.
type outcomes struct {
	failed     map[int]*Failure    // of sessions that failed, after Finish
	heads      map[uint32][]uint64 // of exchanges that served nothing: the frames of their heads
	good       map[uint32][]uint64 // likewise of those that served something
	challenged map[uint32]bool     // exchanges that were asked for authorization
	left       map[uint32]int64    // exchanges that the client ended: how long it had waited
	served     map[int]uint64      // by session: its last result, as far as that was asked for
	peers      *peers              // as they were at an event; nil for not asked yet
	at         uint64              // that event
	cited      citations
	said       map[int32]string // by row: how its refusal begins
	tool       map[int32]string // by row: the tool that failed
	attempts   attempts
	turned     map[uint64][]int32 // by what was called: the calls that were refused
	regained   map[int32]bool     // by row: an equal call was served later
	corrected  map[int32]bool     // by row: what the client sent wrong with it was right later
	over       bool               // the recording is
}

func newOutcomes() outcomes {
	return outcomes{
		failed: map[int]*Failure{}, heads: map[uint32][]uint64{}, good: map[uint32][]uint64{},
		challenged: map[uint32]bool{}, left: map[uint32]int64{},
		served: map[int]uint64{}, said: map[int32]string{}, tool: map[int32]string{},
		attempts: attempts{}, turned: map[uint64][]int32{}, regained: map[int32]bool{}, corrected: map[int32]bool{},
	}
}

// maxHeads bounds of how many exchanges the heads are kept.
const maxHeads = 4096

// keepHeads notes where the heads of an exchange are: findings of HTTP cite them.
func (c *Checker) keepHeads(e *session.Event) {
	x := e.Exchange
	if x.ResponseHeader("WWW-Authenticate") != "" && len(c.ends.challenged) < maxHeads {
		c.ends.challenged[x.X] = true
	}
	if end := cmp.Or(e.Left, e.T); (e.By == wire.ByClient || e.Left != 0) && len(c.ends.left) < maxHeads {
		c.ends.left[x.X] = end - x.RequestT
	}
	bad := x.Status == 0 || x.Status >= 300
	if e.Row >= 0 {
		r := c.tracker.Row(int(e.Row))
		bad = bad || r.Kind == session.RowCall && r.Ending != session.Served
	}
	heads := c.ends.heads
	if !bad {
		heads = c.ends.good
	}
	if x.Messages > 0 && len(heads) < maxHeads {
		heads[x.X] = []uint64{uint64(x.RequestN), uint64(x.ResponseN)}
	}
}

// Heads are the frames of the HTTP heads of an exchange that carried a message, as far
// as they are known.
func (c *Case) Heads(x uint32) []uint64 {
	if heads := c.checker.ends.heads[x]; heads != nil {
		return heads
	}
	return c.checker.ends.good[x]
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
	if s.More {
		return unseen("the sessions after the first " + strconv.Itoa(s.Index) + " are not diagnosed")
	}
	v := Verdict{Outcome: Failed}
	failure := c.failed(s) // so far
	switch {
	case failure == nil:
		v = c.without(s, roots)
	case c.ends.over:
		if known, ok := c.cited(roots).failures[s.Index]; ok {
			v = known
		}
	}
	if v.Outcome == Failed && !v.Known && failure != nil {
		v.says(c.seen(s, failure))
	}
	return c.weigh(s, roots, v)
}

// failed is how a session failed, nil when it did not.
func (c *Checker) failed(s *session.Session) *Failure {
	if c.ends.over {
		return c.ends.failed[s.Index]
	}
	return c.failure(s)
}

// without is the verdict of a session that did not fail.
func (c *Checker) without(s *session.Session, roots []*Finding) Verdict {
	a := c.account(s)
	at := func(r *session.Row) string { return " (#" + strconv.Itoa(int(r.Request)) + ")" }
	served := Verdict{Outcome: Served}
	served.says(c.served(s))
	if over := c.leftOver(s, a, roots); c.ends.over && !s.Probe && over != nil {
		return *over
	}
	switch {
	case s.Probe:
		return a.probed()
	case c.ends.over && a.asksInput() != nil:
		return unseen("the result of " + a.asksInput().Method + " (#" +
			strconv.Itoa(int(a.lastOK.Row.Response)) + ") asks the client for input, which never came")
	case c.ends.over && len(a.asked) > 0 && a.leftChallenged(a.asked[len(a.asked)-1]):
		return unseen(name(a.asked[len(a.asked)-1].Method) + " asks for more authorization, and nothing followed")
	case slices.ContainsFunc(a.asked, func(one Asked) bool { return wasServed(one) || one.End == session.Late }):
		return served
	case a.init != nil && a.authorizing(*a.init) && !a.retried():
		return c.unauthorized(a.init.Row, roots)
	case a.init != nil && a.init.End.Denied(), a.discover.Row != nil && a.discover.End.Denied() && a.retried():
		v := unseen("the client tried again")
		v.Known = true
		return v
	case len(a.pending()) > 0 && a.left > 0:
		return unseen("the client left before " + name(a.pending()[0].Method) + at(a.pending()[0].Row) + " was answered")
	case len(a.pending()) > 0:
		return unseen("no response to " + name(a.pending()[0].Method) + at(a.pending()[0].Row) + " yet")
	case len(a.asked) > 0 && a.asked[0].End.Denied():
		return unseen(name(a.asked[0].Method) + at(a.asked[0].Row) + " was refused, and nothing else was asked")
	case len(a.asked) > 0 && a.asked[0].End.GaveUp():
		return unseen(name(a.asked[0].Method) + at(a.asked[0].Row) + " was given up before it got a response")
	case len(a.asked) > 0:
		return unseen("no response could be read")
	case a.lastOK != nil && a.lastOK.Method != mcp.Initialize && a.lastOK.Method != mcp.Discover:
		return served
	}
	if f := c.cited(roots).worst[s.Index]; f != nil && f.Severity < Note {
		v := unseen("")
		v.of(f)
		return v
	}
	if a.lastOK == nil {
		return unseen("nothing was asked")
	}
	alone := c.until - a.lastOK.Row.End
	if c.ends.over && alone >= patient && a.left <= 0 && a.lastOK.Row.End != 0 && !s.Modern {
		return unseen(name(a.lastOK.Method) + at(a.lastOK.Row) + " was served, and " + evidence.Name(s.Client, "the client") +
			" sent nothing more for " + evidence.Took(alone))
	}
	served.Line += "; nothing else was asked"
	served.Short += "; nothing else was asked"
	return served
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
		return Because(roots[first])
	}
	line := "authorization was not completed"
	if steps := c.authorization(refused.Request); len(steps) > 0 {
		line += "; its last step is #" + strconv.FormatUint(steps[len(steps)-1], 10)
	}
	return unseen(line)
}

// citations is what roots say, to be found without looking at all of them.
type citations struct {
	of       []*Finding
	changes  int
	first    map[uint64]int      // by frame: the first root that is more than a note and cites it
	failures map[int]Verdict     // of failed sessions, by index
	worst    map[int]*Finding    // the worst root of a session, the first of equals
	alike    map[uint64]*Finding // by attempt: the first root that is more than a note and cites an equal one
}

func (c *Checker) cited(roots []*Finding) *citations {
	k := &c.ends.cited
	same := len(k.of) == len(roots) && (len(roots) == 0 || &k.of[0] == &roots[0])
	if same && k.first != nil && k.changes == c.changes {
		return k
	}
	*k = citations{
		of: roots, changes: c.changes, first: map[uint64]int{}, failures: map[int]Verdict{},
		worst: map[int]*Finding{},
		alike: map[uint64]*Finding{},
	}
	for i, root := range roots {
		at := root.Session
		if worse := k.worst[at]; worse == nil || root.Severity < worse.Severity {
			k.worst[at] = root
		}
		root.Each(func(f *Finding, depth int) {
			at := f.Session
			if _, known := k.failures[at]; !known && f.Rule.On&Failures != 0 {
				k.failures[at] = Because(root)
			}
		})
		if root.Severity >= Note {
			continue
		}
		for _, n := range root.Frames {
			if _, known := k.first[n]; !known {
				k.first[n] = i
			}
			if attempt, failed := c.ends.attempts[n]; failed && k.alike[attempt] == nil &&
				!root.Harmless && !root.Rule.Manner {
				k.alike[attempt] = root
			}
		}
	}
	return k
}

// authorization lists the frames of HTTP without MCP that came after a refusal:
// there a client asks how it can get authorization.
func (c *Checker) authorization(refused uint32) []uint64 { return c.peers().after(refused) }

func (a *account) everServed(method string) bool {
	return slices.ContainsFunc(a.asked, func(one Asked) bool { return one.Method == method && one.End.Result() })
}
