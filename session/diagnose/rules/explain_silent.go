package rules

import (
	"cmp"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// silent are the causes why something got no response; the first two also of calls that failed.
var silent = table{
	{"question-unanswered", rootsNotKnown},
	{"question-unanswered", asksInVain},
	{"server-mute", isMute},
	{"unanswered-request", leftAtOnce},
	{"unanswered-request", takenNotAnswered},
	{"client-timeout", deafClient},
	{"client-timeout", stuckList},
	{"client-timeout", doneNotAnswered},
	{"client-timeout", hangsFromTheFirst},
	{"client-timeout", timedOut},
	{"request-abandoned", abandoned},
	{"unanswered-request", stillOpen},
}

var (
	questionUnanswered = silent.rule("question-unanswered")
	serverMute         = silent.rule("server-mute")
	unansweredRequest  = silent.rule("unanswered-request")
	clientTimeout      = silent.rule("client-timeout")
	requestAbandoned   = silent.rule("request-abandoned")
)

// waited is how long the sender of an operation waited, and by which frame it gave up; 0 where it
// did not.
func (p *op) waited() (took int64, by uint64) {
	d, _ := p.Ledger.Of(p.o.Row)
	took = p.o.Members[0].Took(p.Until())
	switch in := &p.a.Closed; {
	case p.o.Dir == wire.ToServer && in.ByClient() && d.N < in.Stdin && (d.EndN == 0 || d.EndN >= in.Stdin):
		return in.StdinT - p.o.T, in.Stdin
	case isSSE(p.Case) && p.a.Left.N > p.o.N:
		return p.a.Left.T - p.o.T, p.a.Left.N
	case p.o.Ending.GaveUp() || p.o.By == wire.ByClient:
		return took, d.EndN
	case p.a.Exit != nil && p.a.Exit.Asked() && in.Stdin == 0 && p.o.Ending.Lost():
		return p.a.Exit.T - p.o.T, p.a.Exit.N
	}
	return took, 0
}

// timed reports whether the sender gave up at a time limit.
func (p *op) timed() bool {
	took, by := p.waited()
	return by != 0 && (limitAt(took) != 0 || hasWord(p.o.Words, "timed out", "timeout", "deadline exceeded"))
}

// says has the finding say a sentence of the page.
func (p *op) says(name string, frames ...uint64) bool {
	took, by := p.waited()
	p.f.Says, p.f.Frames = name, distinct(append([]uint64{by, p.o.N}, frames...))
	for _, m := range p.o.Members[1:] {
		p.f.Frames = append(p.f.Frames, m.N)
	}
	p.f.With = diagnose.Values{
		"asked": p.o.N, "by": by, "op": p.o.Method, "target": p.o.Target, "took": seconds(took), "reason": p.o.Words,
		"from": p.Named(sideOf(p.o.Dir)), "progress": p.o.Progress,
	}
	return true
}

// asks is a request of the server that was open when an operation failed or was given up.
func (p *op) asks() (q ledger.Debt, ok bool) {
	end, by := p.o.End, uint64(0)
	if p.o.Came == operation.Silent {
		if end, by = p.waited(); by == 0 {
			end = p.Until()
		} else {
			end += p.o.T
		}
	}
	for _, i := range p.Session.Rows() {
		r := p.Tracker().Row(int(i))
		if r.Kind != session.RowCall || r.Dir != wire.ToClient || r.T >= end || r.Response != 0 && r.End <= end ||
			r.Ending.Denied() || p.Tracker().Name(r.Name) == mcp.Ping {
			continue
		}
		if q, ok = p.Ledger.Of(int(i)); ok && (q.For < 0 || q.For == int32(p.o.Row)) {
			return q, true
		}
	}
	return q, false
}

func rootsNotKnown(p *op) bool {
	q, ok := p.asks()
	if !ok || q.Method != mcp.RootsList || p.o.Came < operation.Failed ||
		!sdkwords.Program(p.o.Words).Means(sdkwords.OutsideFolders) {
		return false
	}
	p.f.Severity, p.f.Side = diagnose.Warning, diagnose.Server
	p.says("roots", p.o.Response, q.N)
	p.f.With["question"], p.f.With["said"] = q.N, p.o.Words
	advise(&p.f, "roots not known yet")
	return true
}

// asksInVain: people may take their time, and may have enough of it, so a limit must have been over.
func asksInVain(p *op) bool {
	q, ok := p.asks()
	took, by := p.waited()
	switch {
	case !ok || p.o.Dir != wire.ToServer || p.Blind():
		return false
	case p.o.Came >= operation.Failed:
		if p.o.End-q.T < 3e9 {
			return false
		}
	case by != 0:
		if !p.timed() && (q.Method != mcp.RootsList || took < 3e9) {
			return false
		}
	case p.Until()-q.T < 60e9 || q.Method == mcp.ElicitationCreate && p.Until()-q.T < 300e9:
		return false
	}
	p.says("", p.o.Response, q.N)
	p.f.With["method"], p.f.With["question"] = q.Method, q.N
	p.f.Seen = q.For < 0
	return true
}

// isMute holds of a process that has written nothing to stdout, or only text.
func isMute(p *op) bool {
	n, _ := p.Ledger.Pipe(wire.ToClient)
	text := p.a.Noises > 0 && p.a.OnlyText
	took, by := p.waited()
	asks := session.IsProbeID(p.Tracker().Name(p.Tracker().Row(p.o.Row).ID)) && p.Session.Probe
	if p.o.Came != operation.Silent || !overStdio(p.Case) || p.Blind() || asks || p.a.LastServed != nil ||
		n != 0 && !text ||
		took < 3e9 || by == 0 && took < 20e9 {
		return false
	}
	p.f.Seen = true // it may hang, load, wait for a login, or be no server
	frames := []uint64{}
	said := p.a.Telling()
	if said != "" {
		frames = append(frames, p.a.Stderr.Telling().N)
		if a, known := adviceOn(said); known && a.side != diagnose.Unclear {
			p.f.Cause, p.f.Remedies, p.f.Side, p.f.Seen = a.cause, a.fix, a.side, false
		}
	}
	printed := ""
	if text {
		printed, p.f.Brief = p.a.Noise[len(p.a.Noise)-1].Text, "text in place of a response"
		frames = append(frames, p.a.Noise[0].N)
	}
	all := strings.Join([]string{said, printed, p.a.Stderr.Last.Text}, "\n")
	if sdkwords.Program(all).Means(sdkwords.ServesHTTP) {
		p.f.Seen = false
		advise(&p.f, "another transport")
	}
	p.says("", frames...)
	p.f.With["said"], p.f.With["printed"] = said, printed
	return true
}

// leftAtOnce holds of a client of HTTP+SSE that closed its stream when its message was accepted.
func leftAtOnce(p *op) bool {
	took, by := p.waited()
	if p.o.Came != operation.Silent || p.o.Method != mcp.Initialize || !isSSE(p.Case) || by == 0 || took >= 1e9 ||
		p.o.Status != 202 {
		return false
	}
	p.f.Severity, p.f.Side = diagnose.Warning, diagnose.Client
	advise(&p.f, "status taken for a failure")
	return p.says("left")
}

// takenNotAnswered holds of an initialize that was waited for longer than a start takes.
func takenNotAnswered(p *op) bool {
	took, by := p.waited()
	if p.o.Came != operation.Silent || p.o.Method != mcp.Initialize || overStdio(p.Case) || by == 0 || took < 9e9 {
		return false
	}
	p.f.Severity = diagnose.Error
	advise(&p.f, "taken and not answered")
	return p.says("taken")
}

// deafClient holds of a request of the server that it gave up.
func deafClient(p *op) bool {
	if p.o.Came != operation.Silent || p.o.Dir != wire.ToClient || !p.timed() {
		return false
	}
	p.f.Side = diagnose.Client
	p.f.Remedies = fixes(inClient("respond to every request of the server, with an error or with decline when no one can answer it, and declare only capabilities that are served."))
	return p.says("question")
}

// isUnheard reports whether a request of the client got nothing at all, not even a line that is no message.
func (p *op) isUnheard() bool {
	if p.o.Came != operation.Silent || p.o.Dir != wire.ToServer || p.o.Ending == session.Late || p.a.LateNoise > p.o.N {
		return false
	}
	_, broken := p.Ledger.Other(ledger.Resume, p.o.Row)
	return p.timed() && !broken
}

// stuckList holds of a list, which needs no time.
func stuckList(p *op) bool {
	took, _ := p.waited()
	if !p.isUnheard() || !isList(p.o.Method) || p.o.Progress > 0 || p.o.Method == mcp.Initialize && took < 30e9 {
		return false
	}
	p.f.Side = diagnose.Server
	advise(&p.f, "list not answered")
	return p.says("list")
}

func doneNotAnswered(p *op) bool {
	if !p.isUnheard() || !p.o.Done {
		return false
	}
	p.f.Side = diagnose.Server
	advise(&p.f, "done, never answered")
	return p.says("done")
}

// hangsFromTheFirst holds of the second call that gets nothing when nothing was served since the first.
func hangsFromTheFirst(p *op) bool {
	if !p.isUnheard() || p.o.Progress > 0 {
		return false
	}
	first := operation.Member{}
	for _, o := range p.a.Bad {
		for _, m := range o.Members {
			asked := o.Came == operation.Silent && o.Dir == wire.ToServer
			if asked && m.N < p.o.Last().N && (first.N == 0 || m.N < first.N) {
				first = m
			}
		}
	}
	if first.N == 0 || p.Facts.LastOK > first.T {
		return false
	}
	p.f.Severity, p.f.Side = diagnose.Error, diagnose.Server
	advise(&p.f, "hangs from the first call")
	p.says("first", first.N)
	p.f.With["first"] = first.N
	return true
}

// timedOut says what is known of a call that a time limit ended.
func timedOut(p *op) bool {
	switch {
	case !p.isUnheard():
		return false
	case p.o.Progress > 0:
		p.f.Side = diagnose.Client
		p.f.Remedies = fixes(inClient("let progress reset the time limit (resetTimeoutOnProgress in the TypeScript SDK), or raise it for slow tools."))
		return p.says("progress")
	}
	return p.says("")
}

func abandoned(p *op) bool {
	took, by := p.waited()
	in := p.Facts.Init
	least := int64(5e9)
	if p.o.Ending == session.Withdrawn && !p.timed() { // users cancel what takes some seconds
		least = 10e9
	}
	if p.o.Came != operation.Silent || p.o.Dir != wire.ToServer || p.o.Ending == session.Late || by == 0 ||
		took < least || p.Blind() || p.Session.Probe || p.o.Method == mcp.Initialize ||
		p.o.Method == mcp.TasksResult || mcp.StaysOpen(p.o.Method) {
		return false
	}
	if in != nil && in.OK && p.Facts.Initialized == 0 && p.Facts.Results == 0 && overStdio(p.Case) {
		p.f.Side = diagnose.Client
		advise(&p.f, "initialized missing")
		p.says("initialized", in.ResponseN)
		p.f.With["answer"] = in.ResponseN
		return true
	}
	if p.followsOnConnection() {
		p.f.Severity = diagnose.Warning
		return p.says("connection")
	}
	return p.says("")
}

// followsOnConnection reports whether all that got nothing came behind another request on their connection, and
// what was served did not.
func (p *op) followsOnConnection() bool {
	first, served, hung, t := map[uint32]uint32{}, 0, 0, p.Tracker()
	for _, i := range p.Session.Rows() {
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
		default:
			hung++
		}
	}
	return served > 1 && hung > 1
}

func stillOpen(p *op) bool {
	took, by := p.waited()
	if p.o.Came != operation.Silent || p.o.Dir != wire.ToServer || by != 0 || !p.o.Ending.Open() ||
		took < 60e9 || p.Blind() ||
		mcp.StaysOpen(p.o.Method) || p.o.Method == mcp.TasksResult {
		return false
	}
	if _, asks := p.asks(); asks { // it is the client's turn
		return false
	}
	if n := p.o.Count; n > 1 {
		p.says("")
		p.f.With["more"] = words.CountOf(n, "such request", "such requests")
		return true
	}
	return p.says("")
}

func isList(method string) bool {
	switch method {
	case mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.Initialize, mcp.Discover:
		return true
	}
	return false
}
