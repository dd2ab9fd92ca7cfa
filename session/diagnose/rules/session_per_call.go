package rules

import (
	"maps"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionPerCall = &diagnose.Rule{
	ID:      "session-per-call",
	On:      diagnose.Requests | diagnose.FailedCalls | diagnose.Overall,
	Methods: []string{mcp.ToolsCall},
	Check:   checkPerCall,
}

// host is a client by what it says of itself.
type host struct {
	sessions []hostSession // the latest, at most maxHostSessions
	failed   []uint64      // calls that seem to miss the state of an earlier one
	text     string
	done     bool
}

type hostSession struct {
	index, calls int
	n            uint64 // frame of its initialize
	t            int64
	named        bool   // the server gave it an id
	what         uint64 // its call
}

const (
	maxHostSessions = 32
	hostWindow      = 15 * 60e9 // nanoseconds
)

func checkPerCall(c *diagnose.Case) {
	if c.N == 0 {
		for _, name := range slices.Sorted(maps.Keys(*diagnose.Memory[map[string]*host](c))) {
			(*diagnose.Memory[map[string]*host](c))[name].report(c)
		}
		return
	}
	in := initOf(c)
	if c.Call == nil || c.Call.Dir != wire.ToServer || in == nil || !in.OK ||
		c.Session.Transport != session.TransportHTTP {
		return
	}
	hosts := made(diagnose.Memory[map[string]*host](c))
	h := hosts[string(in.ClientInfo)]
	if h == nil {
		if len(hosts) >= 256 {
			return
		}
		h = &host{}
		hosts[string(in.ClientInfo)] = h
	}
	if h.done {
		return
	}
	if c.Message.Kind == wire.MsgRequest {
		h.call(c, in.N)
	} else if text := lostState(c); text != "" && h.alone() >= 2 && len(h.failed) < diagnose.MaxFrames {
		h.failed, h.text = append(h.failed, c.Call.N, c.N), text
	}
	if len(h.failed) == 0 {
		return
	}
	n := h.alone()
	if n < 3 || n*2 < len(h.sessions) {
		return
	}
	h.done = true
	evidence := slices.Clone(h.failed)
	for _, s := range h.sessions {
		evidence = append(evidence, s.n)
	}
	c.Say("", "The client "+quote(wire.Said(wire.Get(in.ClientInfo, "name")))+" opened a new session for each of "+number(n)+" tool calls, so a call ("+frame(h.failed[0])+
		") could not see what an earlier call had done: "+quote(h.text)+".",
		evidence...)
}

// call notes a tool call.
func (h *host) call(c *diagnose.Case, n uint64) {
	for i := range slices.Backward(h.sessions) {
		if h.sessions[i].index == c.Session.Index {
			h.sessions[i].calls++
			return
		}
	}
	for len(h.sessions) > 0 && (len(h.sessions) >= maxHostSessions || c.T-h.sessions[0].t > hostWindow) {
		h.sessions = append(h.sessions[:0], h.sessions[1:]...)
	}
	what := hashOf(c.Call.Target, string(c.Call.Args))
	h.sessions = append(h.sessions, hostSession{c.Session.Index, 1, n, c.T, c.Session.ID != "", what})
}

// report notes a host that has a session for each call, where nothing shows that state
// was lost.
func (h *host) report(c *diagnose.Case) {
	n := h.alone()
	if h.done || n < 4 || n < len(h.sessions) ||
		slices.ContainsFunc(h.sessions, func(s hostSession) bool { return !s.named || s.what != h.sessions[0].what }) {
		return
	}
	f := diagnose.Finding{Severity: diagnose.Note}
	for _, s := range h.sessions {
		f.Frames = append(f.Frames, s.n)
	}
	f.Message = "The client opened " + number(n) + " sessions, each with a handshake and a single tool call, the same each time. What a server keeps in a session does not last from one call to the next."
	advise(&f, "a session for each call")
	c.ReportAs("note", f)
}

// alone counts the sessions with a single call.
func (h *host) alone() (n int) {
	for _, s := range h.sessions {
		if s.calls == 1 {
			n++
		}
	}
	return n
}

// lostState is the text of a tool's failure that sounds as if state of an
// earlier call were missing, "" for any other response.
func lostState(c *diagnose.Case) string {
	text := failure(c)
	r := diagnose.Refusal{Text: text}
	if text == "" || r.Means(sdkwords.ToolUnknown) || !r.Says("first", "not found", "no open", "no active", "no current", "no such", "not open", "unknown", "not loaded", "not read", "not logged in", "expired", "no session", "no document", "no page") {
		return ""
	}
	return text
}

// failure is the text of a tool call that failed, by an error or by isError;
// "" for one that did not, or that the transport refused: that says nothing about the
// state of the application.
func failure(c *diagnose.Case) string {
	switch {
	case byTransport(c):
	case c.Message.Kind == wire.MsgError:
		return wire.Said(wire.Get(c.Message.Error, "message"))
	case c.Row >= 0 && c.Tracker().Row(int(c.Row)).Ending.IsError():
		return c.ContentText()
	}
	return ""
}

// byTransport says whether an error came with a status that refuses the request
// before anybody looks at what it asks for. From 2026-07-28 every error has one.
func byTransport(c *diagnose.Case) bool {
	if c.Exchange == nil || c.IsModern() || c.Message.Kind != wire.MsgError {
		return false
	}
	status := c.Exchange.Status
	return status > 400 || status == 400 && hasWord(errorText(c), "session", "initialized")
}
