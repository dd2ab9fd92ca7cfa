package resilience

import (
	"cmp"
	"strings"
	"time"

	"midwire/replay/checks"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// OfferMark is the member of _meta by which a message belongs to an offer, and OfferField
// the field of an HTTP response.
const (
	OfferMark  = "midwire/offer"
	OfferField = "Midwire-Offer"
)

// Offer is something that a server may do: a client that fails at it is at fault.
type Offer struct {
	HTTP   bool          // it is one of the transport
	Should bool          // clients only SHOULD be able to take it
	Needs  string        // capability that a client has to declare for it
	Taken  string        // what a client does that takes it up, "" where nothing need be done
	Slow   time.Duration // what a call takes longer by it
}

// Offers are what servers may do that clients see seldom. slow is how long a slow call
// takes.
func Offers(slow time.Duration) []Fault {
	const (
		transports = "2025-11-25 basic/transports: "
		sending    = transports + "Sending Messages to the Server"
		session    = transports + "Session Management"
		sse        = "WHATWG HTML 9.2.6: Interpreting an event stream"
		result     = "2025-11-25 server/tools: Tool Result"
	)
	var all []Fault
	offer := func(name, help, spec string, o Offer) {
		all = append(all, Fault{Name: name, Help: help, Spec: spec, Offer: &o})
	}
	http := Offer{HTTP: true}
	offer("pages", "the tools are listed on three pages, of which the second is empty", "2025-11-25 server/utilities/pagination",
		Offer{Should: true, Taken: "ask for the next page"})
	offer("list-changed", "the server says that its tools have changed", "2025-11-25 server/tools: List Changed Notification",
		Offer{Taken: "ask for the tools again"})
	offer("event-stream", "every response is an event stream", sending, http)
	offer("multi-line-events", "an event has several data lines", sse, http)
	offer("crlf-events", "the lines of events end in CR LF", sse, http)
	offer("cr-events", "the lines of events end in CR", sse, http)
	offer("odd-events", "events have no name, comments and unknown fields stand between them, bytes come in pieces", sse, http)
	offer("resumed-stream", "a response stream ends before the response, and is to be resumed by its id",
		transports+"Resumability and Redelivery", Offer{HTTP: true, Should: true})
	offer("session-id", "the session id has all visible ASCII characters", session, http)
	offer("no-session-id", "the server issues no session id", session, http)
	offer("bare-202", "notifications get 202 without a body and its length", sending, http)
	offer("slow-call", "a call takes its time and reports progress", "2025-11-25 basic/lifecycle: Timeouts",
		Offer{Should: true, Slow: slow})
	offer("empty-content", "a result has no content", result, Offer{})
	offer("mixed-content", "a result has text, an image, audio, a link and a resource", result, Offer{})
	offer("unknown-members", "results and definitions have members that no version defines", "2025-11-25 basic: _meta", Offer{})
	offer("json-spelling", "JSON has blanks, escapes and large numbers", "RFC 8259", Offer{})
	offer("unknown-notification", "the server sends a notification that no version defines",
		"JSON-RPC 2.0, 4.1: Notification", Offer{})
	offer("log-messages", "log messages come before a response", "2025-11-25 server/utilities/logging", Offer{})
	offer("ping", "the server pings in the middle of a call, with a text as id", specPing, Offer{})
	offer("roots", "the server asks for the roots during a call", "2025-11-25 client/roots", Offer{Needs: "roots"})
	offer("sampling", "the server asks the client's model during a call", "2025-11-25 client/sampling", Offer{Needs: "sampling"})
	offer("elicitation", "the server asks the user during a call", "2025-11-25 client/elicitation", Offer{Needs: "elicitation"})
	offer("failed-task", "a tool may be called as a task, which fails", "2025-11-25 basic/utilities/tasks",
		Offer{Taken: "call the tool as a task"})
	return all
}

const specPing = "2025-11-25 basic/utilities/ping: Behavior Requirements"

type question struct {
	method string
	n      uint64 // its frame
	answer uint64 // the frame of the response, 0 for none
	code   int64  // of an error
}

// offered keeps what a message has to do with an offer.
func (t *Tape) offered(f *wire.Frame, m *wire.Message) {
	meta := wire.Get(m.Params, "_meta", OfferMark)
	if m.Kind == wire.MsgResult {
		meta = wire.Get(m.Result, "_meta", OfferMark)
	}
	if f.Dir == wire.ToClient && meta != nil {
		t.acts = append(t.acts, act{Gate: wire.Gate{What: "offer"}, n: int64(f.N), t: f.T, dir: f.Dir})
	}
	id := string(m.ID)
	switch {
	case f.Dir == wire.ToClient && m.Kind == wire.MsgRequest:
		t.questions[id] = &question{method: string(m.Method), n: f.N}
	case f.Dir == wire.ToServer && m.IsResponse() && t.questions[id] != nil:
		q := t.questions[id]
		q.answer = f.N
		q.code, _ = wire.Int(wire.Get(m.Error, "code"))
	case f.Dir == wire.ToClient && string(m.Method) == mcp.NotifyAcknowledged:
		t.Acknowledged = true
	case f.Dir == wire.ToServer && string(m.Method) == mcp.ToolsList && wire.Get(m.Params, "cursor") != nil:
		t.paged = true
	case f.Dir == wire.ToServer && string(m.Method) == mcp.ToolsCall && wire.Get(m.Params, "task") != nil:
		t.tasks = true
	}
}

// answers checks what a client said to the questions of an offer: a sentence when it is
// not as it must be.
func (f *Fault) answers(t *Trial) (why string, at checks.Evidence) {
	for _, tape := range t.Tapes {
		for _, q := range tape.questions {
			e := checks.Evidence{Recording: tape.ID, Frame: cmp.Or(q.answer, q.n), Shows: q.method}
			switch {
			case q.answer == 0 && q.method == mcp.Ping:
				return "it does not respond to the server's ping", e
			case q.method == mcp.Ping && q.code != 0:
				return "it refuses the server's ping", e
			case q.code == mcp.CodeMethodNotFound:
				return "it declares " + f.Needs + ", and does not know " + q.method, e
			}
		}
	}
	return "", checks.Evidence{}
}

func (f *Fault) taken(t *Trial) bool {
	for _, tape := range t.Tapes {
		switch f.Name {
		case "pages":
			if tape.paged {
				return true
			}
		case "failed-task":
			if tape.tasks {
				return true
			}
		case "list-changed":
			for _, c := range tape.calls() {
				if acts := tape.did(); c.what == mcp.ToolsList && len(acts) > 0 && c.T >= acts[0].t {
					return true
				}
			}
		}
	}
	return false
}

func (f *Fault) absent() string {
	switch {
	case f.Needs != "":
		return "not offered: the client does not declare " + f.Needs
	case f.Name == "list-changed":
		return "not offered: the client calls no tool, or opens no stream for it (GET)"
	case f.Name == "failed-task":
		return "not taken up: the client does not call the tool as a task"
	case f.Name == "resumed-stream":
		return "not offered: the client calls no tool, or does not speak " + string(mcp.LastHandshake)
	}
	return "not offered: the client did not come so far"
}

// Formal are the certain findings about a side as checks, each rule once.
func (t *Tape) Formal(side diagnose.Side) (all []*checks.Check) {
	known := map[string]bool{}
	for _, f := range t.checker.Findings() {
		// Why a request was refused, the test knows: it sent what had to be.
		definition := strings.HasPrefix(f.Rule.ID, "tool-")
		certain := f.Side == side && f.Confidence == diagnose.Certain && f.Rule.Fallback == 0
		if !certain || f.Severity == diagnose.Note && !definition || known[f.Rule.ID] {
			continue
		}
		known[f.Rule.ID] = true
		c := &checks.Check{
			Stage: "rules", Name: f.Rule.ID, Rule: f.Rule.ID, Verdict: checks.Noted, Text: f.Message, Spec: f.Rule.Help().Spec,
		}
		if f.Severity == diagnose.Error {
			c.Verdict = checks.Failed
		}
		if definition {
			c.Stage = "definitions"
		}
		for _, frame := range f.Frames[:min(len(f.Frames), 3)] {
			c.Evidence = append(c.Evidence, checks.Evidence{Recording: t.ID, Frame: frame, Shows: f.Rule.ID})
		}
		all = append(all, c)
	}
	return all
}

// Fault is what is broken in a trial.
type Fault struct {
	Name  string
	Rules []string // lines of the gate
	Help  string   // what happens
	Spec  string
	// Resumes says that the fault is for streams that can be resumed: it strikes when
	// the client has got the id by which it can.
	Resumes bool
	*Offer  // what is not broken, but unusual
}

// Check is the check of a fault before it is played.
func (f *Fault) Check() *checks.Check {
	stage := "faults"
	if f.Offer != nil {
		stage = "offers"
	}
	return &checks.Check{Stage: stage, Name: f.Name, Help: f.Help, Spec: f.Spec, Verdict: checks.Skipped}
}

// Grade turns what came of a fault into a verdict: it fails from an outcome on. At an offer
// a client that is not served fails.
func (f *Fault) Grade(c *checks.Check, fail checks.Outcome) {
	if f.Offer != nil {
		fail = checks.Told
	}
	switch {
	case c.Outcome <= checks.NotApplicable:
		c.Outcome, c.Verdict = checks.NotApplicable, checks.Skipped
	case c.Outcome >= fail && f.Offer != nil && f.Should:
		c.Verdict = checks.Noted
	case c.Outcome >= fail:
		c.Verdict = checks.Failed
	case c.Outcome == checks.RecoveredLate:
		c.Verdict = checks.Noted
	default:
		c.Verdict = checks.Passed
	}
}
