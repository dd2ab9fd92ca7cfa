package diagnose

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Failure is how a session failed visibly, whatever the cause: what it was for
// was refused, was never answered, or ended with the transport.
type Failure struct {
	How     How
	Asked   []Asked // the requests that failed, the one that shows it first; none where something else did
	Frame   uint64  // that shows it, where nothing was asked
	Status  int     // HTTP, 0 for none
	Code    int     // JSON-RPC, or exit code of a process
	Seen    Seen    // in a sentence
	LastOK  *Asked  // the last request with a result; nil for none
	Alike   []Asked // the latest requests of the method that failed that were served; at most maxAlike
	Pending []Asked // what had no response at the end
	// Meanwhile are frames of what else came since the request that shows it,
	// responses to other requests left out. At most maxMeanwhile of them.
	Meanwhile []uint64
}

const maxAlike = 8

// How says in which way a session failed.
type How uint8

// The ways to fail, in the order in which they are looked for.
const (
	HandshakeFailed How = iota + 1
	ProcessDied
	SessionDead
	LastUnanswered
	LastRefused
	NothingServed // every request of a method was refused
)

// Asked is a request of the client and how it ended.
type Asked struct {
	Index  int // of the row
	Row    *session.Row
	Method string
	End    session.Ending
}

// failure says how a session failed, nil when it did not.
func (c *Checker) failure(s *session.Session) *Failure {
	if s.Probe {
		return nil
	}
	a := c.account(s)
	for _, judge := range []func() *Failure{
		a.handshake, a.process, a.dead, a.unanswered, a.refused, a.unserved, a.vain,
	} {
		if f := judge(); f != nil {
			if len(f.Asked) > 0 {
				f.Alike = a.alike[f.Asked[0].Method]
			}
			f.LastOK, f.Pending, f.Meanwhile = a.lastOK, a.pending(), a.meanwhile(f)
			return f
		}
	}
	return nil
}

// account is what the client asked of a server in a session.
type account struct {
	checker  *Checker
	tracker  *session.Tracker
	session  *session.Session
	asked    []Asked // what a session is for, in order; of what is served in a row with one method, the first
	init     *Asked  // the last initialize
	lastOK   *Asked
	alike    map[string][]Asked // by method: the latest that were served
	ok       Asked              // what lastOK points to
	first    Asked              // what init points to
	discover Asked              // the last server/discover
	exit     *session.Row       // how the process ended, nil for not seen
	left     int64              // when the client closed stdin before the server closed anything, 0 for not
	warned   bool               // the server had written to stderr by then
	// challenges are how often requests of a method were asked for more authorization.
	challenges map[string]int
}

func (c *Checker) account(s *session.Session) *account {
	a := &account{checker: c, tracker: c.tracker, session: s}
	a.read()
	return a
}

// lastServed is the frame of the last result that the client got in a session, 0
// for none. The recording is over.
func (c *Checker) lastServed(s *session.Session) uint64 {
	n, known := c.ends.served[s.Index]
	if !known {
		if ok := c.account(s).lastOK; ok != nil {
			n = max(uint64(ok.Row.Response), uint64(ok.Row.Request))
		}
		c.ends.served[s.Index] = n
	}
	return n
}

// aside are requests that a session is not for: whether they are served says
// nothing of it.
var aside = map[string]bool{
	mcp.Ping: true, mcp.LogSetLevel: true, mcp.Complete: true, mcp.Discover: true, mcp.Listen: true,
	mcp.ResourcesSubscribe: true, mcp.ResourcesUnsubscribe: true, mcp.ResourceTemplatesList: true,
	mcp.TasksCancel: true, mcp.TasksList: true,
}

func (a *account) read() {
	a.checker.work += len(a.session.Rows())
	stderr := false
	for _, i := range a.session.Rows() {
		r := a.tracker.Row(int(i))
		switch {
		case r.Kind == session.RowProcess && a.tracker.Name(r.Name) != "start":
			if a.tracker.Name(r.Name) == "exit" {
				a.exit = r
			} else if a.left == 0 && a.exit == nil {
				a.left = -1
				if r.Dir == wire.ToServer {
					a.left, a.warned = r.T, stderr
				}
			}
		case r.Kind == session.RowStderr:
			stderr = true
		case r.Kind == session.RowCall && r.Dir == wire.ToServer:
			a.continues(r)
			one := Asked{int(i), r, a.tracker.Name(r.Name), r.Ending}
			if one.End == session.ToolError && one.Method != mcp.ToolsCall {
				one.End = session.Refused // a task that failed
			}
			a.add(one)
		case r.Kind == session.RowNotification && r.Dir == wire.ToServer && r.Status >= 400 &&
			a.tracker.Name(r.Name) == mcp.NotifyInitialized:
			a.add(Asked{int(i), r, mcp.NotifyInitialized, r.Ending})
		}
	}
}

func (a *account) add(one Asked) {
	if one.Row.Status == 403 && a.checker.ends.challenged[one.Row.X] {
		if a.challenges == nil {
			a.challenges = map[string]int{}
		}
		a.challenges[one.Method]++
	}
	if wasServed(one) {
		a.ok, a.lastOK = one, &a.ok
		if a.alike == nil {
			a.alike = map[string][]Asked{}
		}
		if list := a.alike[one.Method]; list != nil || len(a.alike) < maxMethods {
			a.alike[one.Method] = append(slices.Delete(list, 0, max(0, len(list)+1-maxAlike)), one)
		}
	}
	switch {
	case one.Method == mcp.Initialize:
		a.first, a.init = one, &a.first
	case one.Method == mcp.Discover:
		a.discover = one
	case !aside[one.Method]:
		n := len(a.asked)
		if n > 0 && wasServed(one) && wasServed(a.asked[n-1]) && a.asked[n-1].Method == one.Method {
			return // that the method is served is said
		}
		if n == maxAsked { // the first and the latest say most
			a.asked = slices.Delete(a.asked, n/2, n/2+n/4)
		}
		a.asked = append(a.asked, one)
	}
}

// retried says whether the client began another session afterwards that served it.
func (a *account) retried() bool { return a.servedIn(a.session.Index + 1) }

// servedIn says whether the client was served in another session, from that
// index on. As long as the recording goes on, it may be in any that has begun.
func (a *account) servedIn(from int) bool {
	if !a.checker.ends.over {
		all := a.checker.tracker.Sessions()
		return from == 0 || all[len(all)-1].Index >= from
	}
	return a.checker.peers().servedFrom(a.session, from)
}

func (a *account) handshake() *Failure {
	if a.session.State != session.StateFailed || a.init == nil {
		return nil
	}
	gaveUp := a.init.End.Denied() || a.init.End.GaveUp()
	if !a.init.End.Denied() && a.quit(*a.init) {
		return nil
	}
	if gaveUp && (a.retried() || slices.ContainsFunc(a.asked, wasServed)) || a.authorizing(*a.init) {
		return nil
	}
	return failed(HandshakeFailed, *a.init)
}

// authorizing says whether the client did what a refusal asks for when it wants
// authorization: what came of that may not have been recorded.
func (a *account) authorizing(one Asked) bool {
	return one.Row.Status == 401 && (!a.checker.ends.over || len(a.checker.authorization(one.Row.Request)) > 0)
}

func wasServed(one Asked) bool { return one.End.Result() }

func failed(how How, asked ...Asked) *Failure {
	f := &Failure{How: how, Asked: asked}
	if len(asked) > 0 {
		f.Frame = uint64(asked[0].Row.Request)
		if f.Code = int(asked[0].Row.Code); asked[0].Row.Status >= 400 {
			f.Status = int(asked[0].Row.Status)
		}
	}
	return f
}

// process looks at how the process of the server ended.
func (a *account) process() *Failure {
	// bare is a server that ended by itself after the handshake
	bare := a.left < 0 && len(a.asked) == 0 && a.lastOK != nil && !a.session.Modern
	if a.exit == nil || !a.exit.Ending.IsError() && !bare {
		return nil
	}
	lost := slices.DeleteFunc(a.pending(), a.quit)
	if len(lost) == 0 && (a.lastOK != nil && !bare || a.left > 0) {
		return nil // it had nothing left to do
	}
	f := failed(ProcessDied, lost...)
	f.Frame, f.Code, f.Status = uint64(a.exit.Request), int(a.exit.Code), 0
	return f
}

// dead looks for a session id that the server no longer knows, without a new
// session.
func (a *account) dead() *Failure {
	if a.session.State != session.StateLost || a.retried() {
		return nil
	}
	for _, one := range slices.Backward(a.asked) {
		if one.End.Denied() {
			return failed(SessionDead, one)
		}
	}
	return nil
}

// pending is what had no response at the end, and should have had one.
func (a *account) pending() []Asked {
	var list []Asked
	if a.init != nil && (a.init.End.Open() || a.init.End.Lost()) {
		list = append(list, *a.init)
	}
	only := a.discover.Row != nil && a.init == nil && len(a.asked) == 0
	if only && a.checker.unheard(a.discover.Index) && !a.retried() {
		list = append(list, a.discover)
	}
	for _, one := range a.asked {
		if one.Method != mcp.TasksResult && (one.End.Lost() || one.End.Open()) {
			list = append(list, one)
		}
	}
	return list
}

// unanswered looks at what was waited for when the transport ended, unless the
// session went on without it.
func (a *account) unanswered() *Failure {
	var list []Asked
	for _, one := range slices.Backward(a.pending()) {
		waits := one.End.Open() && (a.left <= 0 || a.left-one.Row.T < patient)
		if waits || a.session.Modern && a.retried() || a.midway(one) || a.quit(one) {
			continue
		}
		if a.lastOK != nil && a.lastOK.Row.T > one.Row.T && (one.Row.End != 0 && a.lastOK.Row.End > one.Row.End ||
			mcp.Target(one.Method) == "" && a.lastOK.Method == one.Method) {
			continue
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return nil
	}
	slices.Reverse(list)
	return failed(LastUnanswered, list...)
}

// refused looks at the last requests: nothing was served since.
func (a *account) refused() *Failure {
	var list []Asked
	for _, one := range slices.Backward(a.asked) {
		if one.End.GaveUp() || one.End == session.NoEnding || one.End.Open() {
			continue
		}
		if !one.End.Denied() || a.optional(one) {
			break
		}
		list = append(list, one)
	}
	if len(list) == 0 {
		return nil
	}
	slices.Reverse(list)
	last := list[len(list)-1]
	if a.lastOK != nil && a.lastOK.Row.Request > last.Row.Request {
		return nil // something was served after it
	}
	http := last.Row.Status >= 400 && (last.Row.Code == 0 || a.forgotten(last))
	if !http && len(list) < 3 && a.everServed(last.Method) || a.retried() || a.authorizing(last) {
		return nil
	}
	return failed(LastRefused, list...)
}

// forgotten says whether the words of a refusal mean that the session is over.
func (a *account) forgotten(one Asked) bool {
	return sdkwords.Find(int64(one.Row.Code), a.checker.ends.said[int32(one.Index)]).Means(sdkwords.SessionUnknown)
}

// optional says whether a refusal says no more than that the server has none of
// this.
func (a *account) optional(one Asked) bool {
	switch one.Row.Code {
	case mcp.CodeUnsupportedVersion: // asking is how a client learns which there are
		return a.servedIn(0)
	case 0: // more authorization is asked for, which may follow; what is asked for in vain is no option
		return one.Row.Status == 403 && a.checker.ends.challenged[one.Row.X] && a.challenges[one.Method] == 1
	}
	return Optional(one.Method, int64(one.Row.Code))
}

// Optional says whether an error says no more than that the server has none of what is
// asked for.
func Optional(method string, code int64) bool {
	switch code {
	case mcp.CodeMethodNotFound:
		return method != mcp.ToolsList && method != mcp.ToolsCall
	case mcp.CodeResourceNotFound, mcp.CodeInvalidParams:
		return method == mcp.ResourcesRead || method == mcp.PromptsGet ||
			method == mcp.SkillsGet || method == mcp.DirectoryRead
	}
	return false
}

const maxMeanwhile = 64

// meanwhile lists what came while the request that shows a failure waited.
func (a *account) meanwhile(f *Failure) []uint64 {
	var frames []uint64
	waited := f.How == LastUnanswered || f.How == HandshakeFailed && !a.init.End.Denied()
	for _, i := range a.session.Rows() {
		r := a.tracker.Row(int(i))
		ask := r.Kind == session.RowCall && r.Dir == wire.ToServer || r.Kind == session.RowNotification
		if uint64(r.Request) <= f.Frame || ask || !waited || len(frames) >= maxMeanwhile {
			continue
		}
		frames = append(frames, uint64(r.Request))
		if r.Response != 0 {
			frames = append(frames, uint64(r.Response))
		}
	}
	return frames
}

// unserved looks for a method of which every request was refused.
func (a *account) unserved() *Failure {
	renewed := a.session.State == session.StateLost && a.retried()
	for _, method := range [...]string{
		mcp.ToolsList, mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet, mcp.ResourcesList, mcp.PromptsList,
	} {
		var list []Asked
		good := false
		for _, one := range a.asked {
			if one.Method == method {
				list = append(list, one)
				good = good || !one.End.Denied() || a.optional(one)
			}
		}
		if !good && !renewed && (len(list) > 1 || len(list) == 1 && method == mcp.ToolsList) {
			return failed(NothingServed, list...)
		}
	}
	return nil
}
