package diagnose

import (
	"slices"
	"strconv"

	"midwire/session"
	"midwire/session/evidence"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/words"
)

// What a client asked for and went away from, or did not go on with.

// isRound says whether a call goes on with one before, whose result asked for input.
func (a *account) isRound(r *session.Row) bool {
	return r.Modern && r.Parent >= 0 && a.tracker.Row(int(r.Parent)).Name == r.Name
}

// continues forgets the round before of a call that goes on with this one.
func (a *account) continues(r *session.Row) {
	if last := len(a.asked) - 1; last >= 0 && a.isRound(r) && a.asked[last].Index == int(r.Parent) {
		a.asked = a.asked[:last]
		delete(a.alike, a.tracker.Name(r.Name))
	}
}

// asksInput is the last that was asked, when its result asks the client for input that never
// came; nil for not so.
func (a *account) asksInput() *Asked {
	n := len(a.asked)
	if n == 0 || a.lastOK == nil || a.lastOK.Index < a.asked[n-1].Index {
		return nil
	}
	d, ok := a.checker.ledger.Other(ledger.Input, a.lastOK.Index)
	if !ok || d.End.Result() || d.Name != "" {
		return nil
	}
	return a.lastOK
}

// leftChallenged says whether a call needs more authorization, and the client got none.
func (a *account) leftChallenged(one Asked) bool {
	return one.Row.Status == 403 && one.Row.Code == 0 && one.End.Denied() && a.optional(one) && !a.retried() &&
		len(a.checker.authorization(one.Row.Request)) == 0
}

// atOnce is within what time a client that goes away did not wait for anything, patient
// how long one waited that gave up a request, in nanoseconds.
const atOnce, patient = 1e9, 3e9

// overcome makes notes of the findings about what was refused for a while and served then, and of
// what a client sent wrong and corrected.
func (c *Checker) overcome() {
	for _, f := range c.list {
		if f.Severity >= Note || f.Session < 0 {
			continue
		}
		a := c.account(c.tracker.Session(f.Session))
		if f.Rule.On&Refusals != 0 && a.overcame(f) || f.Known() && f.Side == Client && a.corrected(f) {
			f.Severity, f.Harmless = Note, true
		}
	}
}

// corrected reports whether a finding is about calls of tools that failed, after each of which a
// call of the same tool was served in the session: those calls harmed nothing.
func (a *account) corrected(f *Finding) bool {
	of := a.checker.book.Of(a.session.Index)
	if of == nil {
		return false
	}
	var failed []int
	for _, o := range of.Bad {
		for _, m := range o.Members {
			if !f.cites([]uint64{m.N}) {
				continue
			}
			whole := o.Came != operation.Silent && o.Count == len(o.Members)
			if o.Method != mcp.ToolsCall || !whole || !of.ServedAfter(m.Target, m.N) {
				return false
			}
			failed = append(failed, m.Row)
		}
	}
	for _, row := range failed {
		a.checker.ends.corrected[int32(row)] = true
	}
	return len(failed) > 0
}

// overcame says whether a finding is about requests that were refused for a while, each of which
// was served later in the session: a handshake, or the same call.
func (a *account) overcame(f *Finding) bool {
	refused, served := 0, 0
	for _, i := range a.session.Rows() {
		r := a.tracker.Row(int(i))
		if r.Kind != session.RowCall || !r.Ending.Denied() || !f.cites([]uint64{uint64(r.Request)}) {
			continue
		}
		refused++
		again := a.init != nil && a.init.End == session.Served && r.Name == a.init.Row.Name
		if r.Status >= 429 && (again || a.checker.ends.regained[int32(i)]) {
			served++
		}
	}
	return refused > 0 && refused == served
}

// outlived says whether a finding shows at the handshake and at a list too, which were served all
// the same: then it is about a form, and explains no tool that failed.
func (a *account) outlived(f *Finding) bool {
	at := func(one *Asked) bool {
		return one != nil && one.End == session.Served && f.cites([]uint64{uint64(one.Row.Request)})
	}
	return at(a.init) && slices.ContainsFunc(a.asked, func(one Asked) bool {
		return at(&one) && mcp.Target(one.Method) == ""
	})
}

// quit says whether the client went away before a response could be expected.
func (a *account) quit(one Asked) bool {
	// Killed, or ended by an error that it named: what it closed first is chance.
	died := a.exit != nil && (a.exit.Code > 128 || a.exit.Code != 0 && a.warned && a.lastOK == nil)
	waited, left := a.checker.ends.left[one.Row.X]
	return a.left > 0 && a.left-one.Row.T < atOnce && !died || one.Row.X != 0 && left && waited < atOnce
}

// midway says whether a request was accepted for a stream that was not seen.
func (a *account) midway(one Asked) bool {
	return one.Row.Status == 202 && a.init == nil && a.lastOK == nil && !a.session.Modern
}

// probed is the verdict of a session that asked for no more than server/discover. Where that
// was in vain, only its id or another session says that it was a probe.
func (a *account) probed() Verdict {
	r, what := a.discover.Row, " got no response"
	if r == nil || r.Ending.Result() || a.retried() ||
		session.IsProbeID(a.tracker.Name(r.ID)) {
		v := unseen("a probe for the protocol version")
		v.Known = true
		return v
	}
	if r.Code == mcp.CodeMethodNotFound {
		what = " the server does not know: it is of an older version, and the client did not continue with initialize"
	} else if r.Ending.Denied() {
		what = " was refused: “" + words.Line(a.checker.ends.said[int32(a.discover.Index)], 120) + "”"
	}
	return unseen("the client asked nothing but server/discover (#" + strconv.Itoa(int(r.Request)) + "), which" + what)
}

// Waited is how long the client had waited when it ended an exchange, and its connection, before
// the server had; 0 for not so.
func (c *Case) Waited(x uint32) int64 { return c.checker.ends.left[x] }

func often(n int) string {
	if n < 2 {
		return ""
	}
	return " " + strconv.Itoa(n) + " times"
}

// leftOver is the verdict of a session whose last step was no success, and after which its client
// sent nothing: a stream or server/discover that was refused, a question in a result, or a
// handshake with another version than was asked for. It is nil of any other.
func (c *Checker) leftOver(s *session.Session, a *account, roots []*Finding) *Verdict {
	book := c.book.Of(s.Index)
	if book == nil || a.retried() {
		return nil
	}
	v := Verdict{Outcome: Unseen}
	client := evidence.Name(s.Client, "the client")
	last := slices.IndexFunc(book.Bad, func(o *operation.Operation) bool {
		return o.Kind == operation.Stream && o.Came == operation.Refused && o.Status != 405 && o.Status != 401 &&
			o.Last().N > book.Client.N && len(c.authorization(uint32(o.Last().N))) == 0
	})
	switch {
	case last >= 0:
		o := book.Bad[last]
		v.Outcome = Impaired
		v.Line = name(o.Method) + " was refused" + often(o.Count) + said(o) + "; nothing was asked after it"
		v.Short = "the stream was refused with " + strconv.Itoa(o.Status)
		if worst := c.worst(s, roots); worst != nil && worst.Known() && worst.cites(o.Frames()) {
			v.of(worst)
		}
	case a.discover.Row != nil && a.discover.End.Denied() && a.lastOK == nil && len(a.asked) == 0 && a.init == nil:
		o := c.firstOf(book, mcp.Discover)
		if o == nil {
			return nil
		}
		v.Line = name(o.Method) + " was refused" + said(o) + "; nothing was asked after it"
		v.Short = name(o.Method) + " was refused"
	case a.lastOK != nil && a.lastOK.Method == mcp.Initialize && len(a.asked) == 0 && book.Asked != "" &&
		book.Chosen != "" && book.Asked != book.Chosen && book.Init != nil && book.Client.N <= book.Init.N:
		v.Line = client + " asked for version " + name(string(book.Asked)) + ", " + evidence.Name(s.Server, "the server") +
			" chose " + name(string(book.Chosen)) + ", and " + client + " sent nothing after it"
		v.Short = "left after version " + name(string(book.Chosen))
	default:
		return nil
	}
	return &v
}
