package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"midwire/session"
	"midwire/session/evidence"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// weigh looks at what a session comes to besides the failure that was judged: what
// midwire did itself, operations that failed in a session that went on, and findings.
func (c *Checker) weigh(s *session.Session, roots []*Finding, v Verdict) Verdict {
	lost := c.losses(s)
	worst := c.worst(s, roots)
	if v.Outcome == Failed || v.Outcome == Served {
		ours := lost.ours != nil
		if v.Outcome == Failed && v.Cause != nil {
			ours = c.tracker.ByGate(v.Cause.Frames)
		}
		d := c.doing(s)
		stood := d != nil && d.Who == wire.GateReload && worst != nil // a restart answered for a server that failed
		if d != nil && !stood && (ours || v.Outcome == Served && d.What == wire.GateKill) {
			return Verdict{Outcome: OnPurpose, Short: "on purpose: " + d.brief(), Line: "on purpose: " + d.why()}
		}
	}
	if v.Silent && lost.failed > 0 && !c.servedAfter(s, lost.frames[0]) { // the failure came first
		if r := c.tracker.Row(c.tracker.RowAt(lost.frames[0])); r.Ending.IsError() {
			v.says(c.lost(s, &lost))
			v.Silent = false
		}
	}
	switch {
	case v.Outcome != Unseen || worst == nil || v.Known && c.account(s).retried():
	case c.ends.over && !v.Known && c.explainsNothing(s, worst):
		v = Because(worst)
	case v.Cause == nil:
		v.of(worst)
	}
	if v.Outcome != Served {
		return v
	}
	explains := func(f *Finding) bool { return f != nil && (!lost.tools || !c.account(s).outlived(f)) }
	switch {
	case lost.failed == 0 && lost.none && lost.open != nil &&
		(worst == nil || worst.Severity == Warning && !worst.cites([]uint64{uint64(lost.open.Row.Request)})):
		v.Outcome = Unseen
		v.says(c.silence(s, c.book.Of(s.Index), *lost.open))
		v.Silent = true
		return v
	case worst == nil && lost.failed == 0:
		if lost.denied != nil {
			v.says(c.denied(c.book.Of(s.Index), lost.denied.Method))
			v.Outcome, v.Silent = Impaired, false
			return v
		}
		c.read(s, &v)
		return v
	case explains(worst) && worst.Known() && (lost.failed == 0 || worst.Severity == Error || worst.cites(lost.frames)):
		v.of(worst)
	default:
		if like := c.alike(lost.frames, roots); explains(like) && like.Known() {
			v.of(like)
			break
		}
		if v.Cause = worst; lost.failed == 0 {
			v.of(worst)
			v.Rule = ""
			break
		}
		v.says(c.lost(s, &lost))
		v.Silent = false
	}
	v.Outcome = Impaired
	return v
}

// read says what a session reads like of which nothing was lost.
func (c *Checker) read(s *session.Session, v *Verdict) {
	a := c.book.Of(s.Index)
	if a == nil {
		return
	}
	if t := a.Tally(mcp.Ping); t != nil && t.Refused == t.Asked && a.LastServed != nil && a.LastServed.N < t.First {
		v.says(c.denied(a, mcp.Ping)) // who gets no response to a ping closes the session
		v.Outcome = Impaired
		return
	}
	v.Odd = len(a.Odd()) > 0
}

// servedAfter reports whether anything was served that the client asked for after a frame.
func (c *Checker) servedAfter(s *session.Session, n uint64) bool {
	a := c.account(s)
	return a.lastOK != nil && a.lastOK.End == session.Served && uint64(a.lastOK.Row.Request) > n || a.retried()
}

// explainsNothing says whether a finding is why a session came to nothing: an error before
// anything was asked, or the end of the stream of what still waits.
func (c *Checker) explainsNothing(s *session.Session, f *Finding) bool {
	a := c.account(s)
	if len(a.asked) == 0 {
		// refused says that the client left at the response to initialize
		refused := a.init != nil && f.Side == Server && c.factsOf(s).Initialized == 0 &&
			f.cites([]uint64{uint64(a.init.Row.Response)})
		nothing := a.lastOK == nil || a.lastOK.Method == mcp.Discover
		return (nothing || refused) && f.Severity == Error && f.Known()
	}
	return f.Rule.On&(StreamEnds|Settled) != 0 && slices.ContainsFunc(a.pending(), func(one Asked) bool {
		return f.cites([]uint64{uint64(one.Row.Request)})
	})
}

// alike is what explains an equal attempt of what failed, in whatever session; nil for
// nothing.
func (c *Checker) alike(frames []uint64, roots []*Finding) *Finding {
	k := c.cited(roots)
	for _, n := range frames {
		if attempt, failed := c.ends.attempts[n]; failed && k.alike[attempt] != nil {
			return k.alike[attempt]
		}
	}
	return nil
}

// worst is the first of the worst errors and warnings of a session that are no doing
// of midwire's; nil for none.
func (c *Checker) worst(s *session.Session, roots []*Finding) (worst *Finding) {
	for _, f := range roots {
		if f.Session != s.Index || f.Severity > Warning || f.Harmless || f.Rule.Manner || f.Side == Midwire ||
			worst != nil && worst.Severity <= f.Severity || c.tracker.ByGate(f.Frames) {
			continue
		}
		worst = f
	}
	return worst
}

func (f *Finding) cites(frames []uint64) bool {
	in := func(n uint64) bool { return slices.Contains(frames, n) }
	return slices.ContainsFunc(f.Frames, in) || slices.ContainsFunc(f.Shows, in)
}

// losses are the operations of a session that failed, and that nothing made good.
type losses struct {
	failed, of int
	calls      bool     // all of them are calls of tools, which are counted
	tools      bool     // all of them are results of tools
	none       bool     // no call of a tool was served in time
	frames     []uint64 // of their requests and responses
	ours       *session.Row
	denied     *Asked  // the first that asked for what the server has not, and nothing of the kind was served
	open       *Asked  // the first that waited long, or waits, and got no response; nil for none
	whole      []Asked // the first ones of a method, where each failed, and nothing was served since
}

func (c *Checker) losses(s *session.Session) (l losses) {
	a := c.account(s)
	type tally struct{ failed, late, of int }
	var calls, all tally
	for _, i := range s.Rows() {
		r := c.tracker.Row(int(i))
		method := c.tracker.Name(r.Name)
		if r.Kind != session.RowCall || r.Dir != wire.ToServer || aside[method] || method == mcp.Initialize {
			continue
		}
		one := Asked{int(i), r, method, r.Ending}
		if a.isRound(r) {
			all.of--
			calls.of--
		}
		if all.of++; l.open == nil && c.unheard(int(i)) {
			l.open = new(one)
		}
		if method == mcp.ToolsCall {
			if calls.of++; r.Ending == session.Late || c.unheard(int(i)) {
				calls.late++
			}
		}
		if r.Ending == session.Served {
			l.whole = nil
		}
		switch {
		case !r.Ending.Bad() || a.excused(one):
			if l.denied == nil && one.End.Denied() && mcp.Target(method) != "" && !a.everServed(method) {
				l.denied = new(one)
			}
			continue
		case c.tracker.ByGate([]uint64{uint64(r.Request)}):
			l.ours = r
			continue
		}
		l.tools = (l.tools || all.failed == 0) && r.Ending == session.ToolError
		if len(l.whole) == 0 || l.whole[0].Method == method && len(l.whole) < maxAlike {
			l.whole = append(l.whole, one)
		}
		if all.failed++; method == mcp.ToolsCall {
			calls.failed++
		}
		if len(l.frames) < MaxShows {
			l.frames = append(l.frames, uint64(r.Request), uint64(r.Response))
		}
	}
	l.failed, l.of = all.failed, all.of
	l.none = calls.of > 0 && calls.failed+calls.late == calls.of || l.open != nil && c.mute(s, l.open)
	if l.calls = calls.failed == all.failed; l.calls {
		l.of = calls.of
	}
	return l
}

// mute reports whether a tool was called more than once, and none of its calls got a response.
func (c *Checker) mute(s *session.Session, one *Asked) bool {
	a := c.book.Of(s.Index)
	if a == nil || one.Method != mcp.ToolsCall {
		return false
	}
	for _, o := range a.Bad {
		in := func(m operation.Member) bool { return m.Row == one.Index }
		if o.Came == operation.Silent && slices.ContainsFunc(o.Members, in) {
			return o.Count > 1 && !a.ServedAfter(o.Target, 0)
		}
	}
	return false
}

// unheard says whether a request got no response although its sender waited for it.
func (c *Checker) unheard(row int) bool {
	r := c.tracker.Row(row)
	switch {
	case r.Response != 0 || !c.ends.over:
		return false
	case r.Ending.Open():
		return c.until-r.T >= atOnce
	case r.Ending.Lost():
		return true
	}
	d, ok := c.ledger.Of(row)
	return ok && r.Ending == session.Withdrawn && d.Wait(c.until) >= patient
}

// owed is what was due in a session and never came.
func (c *Checker) owed(s *session.Session) (all []evidence.Owed) {
	if !c.ends.over {
		return nil
	}
	for _, d := range c.ledger.Missing(s.Index, c.until) {
		if d.Kind != ledger.Response && len(all) < 3 {
			what := d.About()
			all = append(all, evidence.Owed{What: what.What, After: what.After, N: d.N})
		}
	}
	return all
}

// excused says whether a request that was not served harmed nothing: it was optional,
// the client did not wait for it, or did the same in another way.
func (a *account) excused(one Asked) bool {
	switch {
	case a.checker.ends.corrected[int32(one.Index)]:
		return true
	case one.Row.Status == 403 && one.Row.Code == 0 && mcp.Target(one.Method) != "" && a.lastOK != nil &&
		a.lastOK.Row.Request > one.Row.Request && len(a.checker.authorization(one.Row.Request)) == 0:
		return a.retried() || a.checker.ends.regained[int32(one.Index)] // it went on, and asked for no more
	case one.End.Denied() && a.optional(one), one.End.Lost() && (a.quit(one) || a.midway(one)):
		return true
	case one.Row.Status < 400:
		return false
	}
	// HTTP refused it: a login, a new session or another attempt came of that.
	if mcp.Target(one.Method) != "" && !a.retried() && (a.checker.ends.over || !a.authorizing(one)) {
		return a.checker.ends.regained[int32(one.Index)]
	}
	return a.retried() || a.authorizing(one) || a.lastOK != nil && a.lastOK.Row.Request > one.Row.Request &&
		a.everServed(one.Method)
}

func (l *losses) brief() string {
	noun := "request"
	if l.calls {
		noun = "call"
	}
	switch {
	case l.failed < l.of:
		return fmt.Sprintf("%d of %s failed", l.failed, words.Count(l.of, noun))
	case l.of == 1:
		return "its only " + noun + " failed"
	}
	return fmt.Sprintf("all %s failed", words.Count(l.of, noun))
}

// deed is what midwire did to a session on purpose.
type deed struct{ session.Deed }

// deeds are what the gate does that can make an operation fail, the gravest first.
var deeds = []string{
	wire.GateKill, wire.GateCut, wire.GateDrop, wire.GateGone, wire.GateAnswer, wire.GateEdit, wire.GateDuplicate,
	wire.GateDelay, wire.GateHold,
}

// doing is the gravest that the gate did to the messages of a session, the first of
// equals; nil for nothing.
func (c *Checker) doing(s *session.Session) *deed {
	best, rank := (*deed)(nil), len(deeds)
	for _, i := range s.Rows() {
		for _, d := range c.tracker.Deeds(c.tracker.Row(int(i))) {
			if at := slices.Index(deeds, d.What); at >= 0 && at < rank {
				best, rank = &deed{d}, at
			}
		}
	}
	return best
}

func (d *deed) brief() string { return words.Ellipsis(cmp.Or(d.Who, "by hand at the gate"), MaxBrief) }

func (d *deed) why() string {
	what := map[string]string{
		wire.GateKill: "ended the server", wire.GateCut: "cut a connection", wire.GateDrop: "dropped a message",
		wire.GateGone: "held a message to the end of its connection", wire.GateAnswer: "answered in the server's place",
		wire.GateEdit: "changed a message", wire.GateDuplicate: "sent a message twice", wire.GateDelay: "delayed a message",
		wire.GateHold: "held a message",
	}[d.What]
	return cmp.Or(d.Who, "somebody at the gate") + " " + what + " (#" + strconv.FormatUint(d.Frame, 10) + ")"
}
