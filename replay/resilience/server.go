package resilience

import (
	"fmt"
	"time"

	"midwire/session"
	"midwire/session/mcp"
)

// Prank is something that a client should not do, or that happens to one, and what
// a server has to make of it.
type Prank struct {
	Fault
	HTTPOnly bool
	Version  string // that is asked for in place of a known one; then nothing else is sent
	Unready  bool   // initialized is not sent
	ID       string // of the request in question, raw JSON; "" for none
	Sends    []Send

	demand demand
}

// Send is a message of a prank.
type Send struct {
	Payload      string
	Field, Value string // a header field that is otherwise, "" for none; without a value it is left out
	Leaves       bool   // the client does not wait for the response
}

// demand is what a server must, or must not, say to a prank.
type demand uint8

const (
	answered      demand = iota // with a result or an error
	refusedAlways               // a result is wrong
	otherVersion                // a result names another protocol version
	sameID                      // the response has the id of the request
	ignored                     // nothing need come
)

// Unknown is a protocol version that nobody knows.
const Unknown = "1999-01-01"

// Request writes a request; id and params are JSON, without params there are none.
func Request(id, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"` + params + `}`
}

func notification(method, params string) Send {
	return Send{Payload: `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`}
}

// Pranks are what is played to a server.
func Pranks() []Prank {
	const jsonRPC, transports, id = "JSON-RPC 2.0, ", "2025-11-25 basic/transports: ", "7"
	list := Request(id, mcp.ToolsList, "")
	field := func(name, value string) Send { return Send{Payload: list, Field: name, Value: value} }
	var all []Prank
	prank := func(name, help, spec string, d demand, id string, sends ...Send) *Prank {
		all = append(all, Prank{Fault: Fault{Name: name, Help: help, Spec: spec}, ID: id, Sends: sends, demand: d})
		return &all[len(all)-1]
	}
	prank("no-initialized", "the client asks for tools and never sent initialized",
		"2025-11-25 basic/lifecycle: Initialization", answered, id, Send{Payload: list}).Unready = true
	prank("wrong-version", "the client asks for a protocol version that nobody knows",
		"2025-11-25 basic/lifecycle: Version Negotiation", otherVersion, "1").Version = Unknown
	prank("repeated-id", "two requests have the same id, one after the other",
		"2025-11-25 basic: Requests", answered, id, Send{Payload: list}, Send{Payload: list})
	prank("text-id", "the id of a request is a text",
		"2025-11-25 basic: Requests", sameID, `"seven"`, Send{Payload: Request(`"seven"`, mcp.ToolsList, "")})
	prank("cancelled-call", "a request is cancelled at once",
		"2025-11-25 basic/utilities/cancellation", ignored, id, Send{Payload: list, Leaves: true},
		notification(mcp.NotifyCancelled, `{"requestId":7,"reason":"no longer wanted"}`))
	prank("unknown-cancelled", "a request is cancelled that never was",
		"2025-11-25 basic/utilities/cancellation", ignored, "", notification(mcp.NotifyCancelled, `{"requestId":4711}`))
	prank("unknown-method", "the client asks for a method that nobody knows",
		jsonRPC+"5.1: Error object", refusedAlways, id, Send{Payload: Request(id, "no/such/method", "{}")})
	prank("unknown-notification", "the client sends a notification that nobody knows",
		jsonRPC+"4.1: Notification", ignored, "", notification("notifications/no/such", "{}"))
	prank("garbage", "the client sends half a message",
		jsonRPC+"5.1: Error object", ignored, "", Send{Payload: `{"jsonrpc":"2.0","id":7,"method":`})
	prank("version-header", "a request says another protocol version",
		transports+"Protocol Version Header", refusedAlways, id, field(mcp.HeaderVersion, Unknown)).HTTPOnly = true
	prank("unknown-session", "a request has a session id that the server did not issue",
		transports+"Session Management", refusedAlways, id, field(mcp.HeaderSessionID, "made-up-by-midwire")).HTTPOnly = true
	prank("no-session-header", "a request lacks the session id",
		transports+"Session Management", answered, id, field(mcp.HeaderSessionID, "")).HTTPOnly = true
	prank("dropped-stream", "the client goes away in the middle of a request",
		transports+"Sending Messages to the Server", ignored, id, Send{Payload: list, Leaves: true}).HTTPOnly = true
	return all
}

// Reply is what a server made of a prank.
type Reply struct {
	ID      string        // of the request in question, raw JSON; "" for none
	Came    bool          // a response, or an HTTP status
	Same    bool          // the response has that id
	Result  bool          // and it is a result
	Status  int           // HTTP, 0 on stdio
	Code    int           // JSON-RPC
	Text    string        // of the error
	Version string        // of a result of initialize
	Asked   string        // the protocol version that was asked for
	After   time.Duration // until it came
	Alive   bool          // a ping was answered afterwards, in the same session
	Exited  bool          // the process ended
	Skipped string        // why the prank could not be played, "" when it was
}

// JudgeServer says what a server made of a prank. tape may be nil.
func JudgeServer(p *Prank, r *Reply, tape *Tape) Result {
	o := Result{Fault: p.Fault, After: r.After, Said: r.Text}
	if tape != nil {
		o.Recordings = []string{tape.ID}
		o.Evidence = tape.about(r.ID)
	}
	o.Verdict, o.Why = p.verdict(r)
	return o
}

func (p *Prank) verdict(r *Reply) (Verdict, string) {
	said := "an error"
	switch {
	case r.Status >= 400:
		said = fmt.Sprintf("status %d", r.Status)
	case r.Code != 0:
		said = fmt.Sprintf("error %d", r.Code)
	}
	switch {
	case r.Skipped != "":
		return NotApplicable, r.Skipped
	case r.Exited:
		return Wrong, "the server ended"
	case !r.Came && p.demand != ignored:
		return Hung, "no response came"
	case p.demand == otherVersion && r.Result && r.Version == r.Asked:
		return Wrong, "it agrees to a protocol version that nobody knows"
	case p.demand == refusedAlways && r.Result:
		return Wrong, "it serves what it must refuse"
	case p.demand == sameID && r.Result && !r.Same:
		return Wrong, "the response has another id than the request"
	case !r.Alive && (r.Result || p.demand == ignored):
		return Hung, "afterwards it answers nothing any more"
	case r.Came && !r.Result && p.demand != ignored:
		return Told, "it refuses with " + said
	case p.demand == ignored:
		return Recovered, "it goes on"
	}
	return Recovered, "it serves the request, and goes on"
}

// LastID is the id of the ping that asks whether a server is still there.
const LastID = "999"

// about lists the frames of the latest request with an id, or without one of what
// came before the ping at the end.
func (t *Tape) about(id string) (all []Evidence) {
	for i := range t.tracker.Rows() {
		r := t.tracker.Row(i)
		is := t.tracker.Name(r.ID)
		if is == LastID {
			break
		}
		if id != "" && is != id || r.Kind == session.RowStderr || r.Kind == session.RowProcess {
			continue
		}
		all = []Evidence{{t.ID, uint64(r.Request), t.tracker.Name(r.Name)}}
		if r.Response != 0 {
			all = append(all, Evidence{t.ID, uint64(r.Response), "the response"})
		}
	}
	return all
}

// Version is the latest protocol version with a handshake: what a server is asked
// for that is not to stumble over that.
const Version = string(mcp.LastHandshake)
