package diagnose

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/evidence"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// Seen is what was seen of a session in one sentence, and in a column: counts and quotes, no
// cause and no side.
type Seen struct {
	Line, Short string
	Silent      bool // nothing but a response is missing, and the client is there or gave up
}

const maxQuote = 200 // bytes of a peer's words in a sentence

func quoted(s string) string {
	return `"` + evidence.Shorten(strings.Join(strings.Fields(s), " "), maxQuote) + `"`
}

// Seen says what was seen of a session that failed.
func (c *Checker) seen(s *session.Session, f *Failure) Seen {
	a := c.book.Of(s.Index)
	if a == nil {
		return Seen{Line: f.Brief(), Short: f.Brief()}
	}
	exited := a.Exit != nil && (a.Exit.Failed != "" || a.Exit.Code != 0 || f.How == ProcessDied)
	if f.How == ProcessDied || exited && (len(f.Asked) == 0 || !f.Asked[0].End.Denied()) {
		return c.exit(s, a)
	}
	if len(f.Asked) == 0 {
		return Seen{Line: f.Brief(), Short: f.Brief()}
	}
	first := f.Asked[0]
	if f.How == LastRefused || f.How == SessionDead { // the latest is what the client met
		first = f.Asked[len(f.Asked)-1]
	}
	if !first.End.IsError() {
		return c.silence(s, a, first)
	}
	out := c.denied(a, first.Method)
	if f.How == SessionDead {
		out.Line += "; no new session was begun"
	}
	return out
}

// exit says how a process ended.
func (c *Checker) exit(s *session.Session, a *operation.Account) Seen {
	e := a.Exit
	name := evidence.Name(s.Server, cmp.Or(c.book.Program, "the server"))
	var out Seen
	switch {
	case e.Failed != "":
		return Seen{Line: name + " could not be started: " + quoted(e.Failed), Short: "not started: " + quoted(e.Failed)}
	case e.Signal != "":
		out.Short = "ended by " + words.Clip(e.Signal, 16)
		out.Line = name + " was " + out.Short
	default:
		out.Short = "exited with " + strconv.FormatInt(e.Code, 10)
		out.Line = name + " " + out.Short
	}
	switch open := c.waiting(s); {
	case a.LastServed == nil && a.Tally(mcp.Initialize) != nil:
		out.Line += " before it responded to initialize"
	case a.LastServed == nil:
		out.Line += " before it responded to anything"
	case open != nil:
		out.Line += " during " + open.about()
	case a.LastServed.Kind == operation.Handshake:
		out.Line += " right after the handshake"
	}
	if said := a.Telling(); said != "" {
		out.Line += ": " + quoted(said)
		out.Short += ": " + quoted(said)
	} else {
		out.Line += "; it wrote nothing to stderr"
	}
	return out
}

// Exited says how the process in hand ended.
func (c *Case) Exited() Seen {
	a := c.checker.book.Of(c.Session.Index)
	if a == nil || a.Exit == nil {
		return Seen{Line: "the server exited", Short: "exited"}
	}
	return c.checker.exit(c.Session, a)
}

// waiting is the first of what a session waited for at the end; nil for nothing.
func (c *Checker) waiting(s *session.Session) *Asked {
	for _, one := range c.account(s).pending() {
		return &one
	}
	return nil
}

const largeRequest = 60_000 // bytes that a process may stumble over

// about names what was asked, with its size where that may be why.
func (one *Asked) about() string {
	size := ""
	if one.Row.Len > largeRequest {
		size = ", " + evidence.Bytes(one.Row.Len)
	}
	return name(one.Method) + " (#" + strconv.Itoa(int(one.Row.Request)) + size + ")"
}

func name(s string) string { return evidence.Shorten(strings.Join(strings.Fields(s), " "), 48) }

// silence says what got no response.
func (c *Checker) silence(s *session.Session, a *operation.Account, first Asked) Seen {
	what, took, gaveUp, ended := name(first.Method), int64(0), false, false
	count := 0
	for _, o := range a.Bad {
		if o.Came != operation.Silent || o.Dir != wire.ToServer {
			continue
		}
		count += o.Count
		if i := slices.IndexFunc(o.Members, func(m operation.Member) bool { return m.Row == first.Index }); i >= 0 {
			if o.Target != "" {
				what += " " + name(o.Target)
			}
			took = o.Members[i].Took(c.until)
			gaveUp = o.Ending.GaveUp() || o.By == wire.ByClient
			ended = o.Ending.Lost() && !gaveUp
		}
	}
	client := evidence.Name(s.Client, "the client")
	left := a.Closed.ByClient()
	if took == 0 {
		took = max(c.until-first.Row.T, 0)
	}
	id := c.tracker.Name(first.Row.ID)
	other := slices.IndexFunc(a.Strays, func(s operation.Stray) bool {
		return s.ID != id && strings.Trim(s.ID, `"`) == strings.Trim(id, `"`)
	})
	out := Seen{
		Line: "no response to " + what + " for " + evidence.Took(took), Silent: !ended || left,
		Short: "1 unanswered: " + strings.TrimPrefix(what, mcp.ToolsCall+" ") + ", " + evidence.Took(took),
	}
	if count > 1 {
		out.Short = strconv.Itoa(count) + " unanswered"
		out.Line += ", nor to " + words.Count(count-1, "other request")
	}
	if other >= 0 && id != "" {
		out.Line += ": it came under the id " + a.Strays[other].ID + " (#" + strconv.FormatUint(a.Strays[other].N, 10) + "), not " + id
	}
	switch {
	case left && !gaveUp && a.Closed.StdinT-first.Row.T >= 0 && a.Closed.StdinT-first.Row.T < atOnce:
		out.Line += "; " + client + " closed stdin " + evidence.Took(a.Closed.StdinT-first.Row.T) + " after it"
	case gaveUp || left:
		out.Line += "; " + client + " gave up"
	case ended:
		out.Line += "; the connection was closed"
	}
	if said := a.Telling(); said != "" && other < 0 {
		out.Line += "; stderr: " + quoted(said)
	}
	return out
}

// refused says how many requests of a method were refused or failed, and in what words.
func (c *Checker) denied(a *operation.Account, method string) Seen {
	t := a.Tally(method)
	if t == nil {
		return Seen{Line: name(method) + " was refused", Short: "refused"}
	}
	first := c.firstOf(a, method)
	verb, n, more := "refused", t.Refused, t.Failed
	if t.Failed > t.Refused || first != nil && first.Came == operation.Failed && t.Failed == t.Refused {
		verb, n, more = "failed", t.Failed, t.Refused
	}
	of, short := t.Asked-t.Taken, ""
	if method != mcp.ToolsCall {
		short = name(method) + " "
	}
	var out Seen
	be := map[bool]string{true: "were ", false: "was "}
	passive := func(many bool) string {
		if verb == "failed" {
			return "failed"
		}
		return be[many] + verb
	}
	if of == 1 {
		out.Line = name(method)
		if first != nil && first.Target != "" {
			out.Line += " " + name(first.Target)
		}
		out.Line += " " + passive(false)
		out.Short = "1 of 1 " + short + verb
	} else {
		out.Line = strconv.Itoa(n) + " of " + strconv.Itoa(of) + " " + name(method) + " " + passive(n != 1)
		out.Short = strconv.Itoa(n) + " of " + strconv.Itoa(of) + " " + short + verb
	}
	if first != nil {
		out.Line += said(first)
		if words := cmp.Or(first.Words, first.Data); words != "" {
			out.Short += ": " + quoted(words)
		}
	}
	var tail []string
	if more > 0 {
		other := map[string]string{"refused": "failed", "failed": "refused"}[verb]
		tail = append(tail, strconv.Itoa(more)+" "+other)
	}
	if t.Silent > 0 {
		tail = append(tail, strconv.Itoa(t.Silent)+" unanswered")
		out.Line += "; " + strconv.Itoa(t.Silent) + " " + be[t.Silent > 1] + "not answered"
	}
	if len(tail) > 0 {
		out.Short = strings.SplitN(out.Short, ": ", 2)[0] + ", " + strings.Join(tail, ", ")
	}
	return out
}

// said is what was said of an operation: the status where that is all, the words and the code.
func said(o *operation.Operation) (text string) {
	if o.Status >= 400 {
		text = " with " + strconv.Itoa(o.Status)
		by := operation.Between(func(name string) string { return wire.HeadValue([]byte(o.Got), name) })
		if by != "" && !o.Event { // what is no JSON-RPC may be its own
			text += " by or through " + evidence.Shorten(by, 40)
		}
	}
	if w := cmp.Or(o.Words, o.Data); w != "" {
		text += ": " + quoted(w)
	}
	if o.Code != 0 {
		text += " (" + strconv.FormatInt(o.Code, 10) + ")"
	}
	return text
}

// firstOf is the first operation of a method that was refused or failed.
func (c *Checker) firstOf(a *operation.Account, method string) *operation.Operation {
	var first *operation.Operation
	for _, o := range a.Bad {
		switch {
		case o.Method != method || o.Came <= operation.Silent || o.Dir != wire.ToServer:
		case first == nil:
			first = o
		case first.Status == 401 && o.Status == 401 && o.Authorized() && !first.Authorized():
			first = o // what was said of a token says more than that one is needed
		}
	}
	return first
}

// lost says which operations failed of a session that went on.
func (c *Checker) lost(s *session.Session, l *losses) Seen {
	a := c.book.Of(s.Index)
	if a == nil || len(l.frames) == 0 {
		return Seen{Line: l.brief(), Short: l.brief()}
	}
	i := c.tracker.RowAt(l.frames[0])
	if i < 0 {
		return Seen{Line: l.brief(), Short: l.brief()}
	}
	r := c.tracker.Row(i)
	method := c.tracker.Name(r.Name)
	if !r.Ending.IsError() {
		return c.silence(s, a, Asked{i, r, method, r.Ending})
	}
	return c.denied(a, method)
}

// served says what was served, and what the last thing was where that tells something.
func (c *Checker) served(s *session.Session) Seen {
	a := c.book.Of(s.Index)
	if a == nil {
		return Seen{Line: "all served", Short: "all served"}
	}
	if odd := a.Odd(); len(odd) > 0 {
		return Seen{
			Line:  "the result of " + name(odd[0].Target) + " reads like a failure: " + quoted(odd[0].Words),
			Short: "a result reads like a failure",
		}
	}
	var kinds []string
	for _, t := range a.Tallies {
		if t.Dir != wire.ToServer || t.Served == 0 {
			continue
		}
		kind := name(t.Method)
		if t.Served > 1 {
			kind = strconv.Itoa(t.Served) + " " + kind
		}
		kinds = append(kinds, kind)
	}
	out := Seen{Line: "all served: " + words.List(kinds, 3), Short: "all served"}
	last := a.LastServed
	switch {
	case last != nil && last.RLen > 60_000 && a.Client.N <= last.N:
		size := evidence.Bytes(last.RLen)
		out.Line += "; the last result has " + size + ", and nothing was asked after it"
		out.Short += "; the last result has " + size
	case c.ends.over && len(a.Tools) > 0 && a.Tally(mcp.ToolsCall) == nil:
		out.Short += "; no tool was called"
	}
	return out
}

// Evidence is what was seen in a session: all lines, in order.
func (c *Checker) Evidence(s *session.Session) []evidence.Line {
	return evidence.Of(c.book, s, evidence.Known{
		Schema: c.schemaOf(s), Documents: c.documents(), Owed: c.owed(s), Again: c.again(s),
	})
}

func (c *Checker) schemaOf(s *session.Session) func(string) ([]byte, uint64) {
	return func(tool string) ([]byte, uint64) {
		f := c.facts[s.Index]
		if f == nil || f.Tools[tool] == nil {
			return nil, 0
		}
		return f.Tools[tool].Input, f.Tools[tool].N
	}
}

// documents are the values of the logins that do not fit each other.
func (c *Checker) documents() (all []evidence.Pair) {
	for _, one := range c.logins.Problems() {
		if one.A.Value+one.B.Value != "" && len(all) < 3 {
			all = append(all, evidence.Pair{
				WhatA: one.A.What, ValueA: one.A.Value, FrameA: one.A.N,
				WhatB: one.B.What, ValueB: one.B.Value, FrameB: one.B.N,
			})
		}
	}
	return all
}
