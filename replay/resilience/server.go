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
	demand   demand
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

const transports = "2025-11-25 basic/transports: "

// Pranks are what is played to a server.
func Pranks() []Prank {
	prank := func(name, help, spec string, http bool, d demand) Prank {
		return Prank{Fault{Name: name, Help: help, Spec: spec}, http, d}
	}
	const jsonRPC = "JSON-RPC 2.0, "
	return []Prank{
		prank("no-initialized", "the client asks for tools and never sent initialized", "2025-11-25 basic/lifecycle: Initialization", false, answered),
		prank("wrong-version", "the client asks for a protocol version that nobody knows", "2025-11-25 basic/lifecycle: Version Negotiation", false, otherVersion),
		prank("repeated-id", "two requests have the same id, one after the other", "2025-11-25 basic: Requests", false, answered),
		prank("text-id", "the id of a request is a text", "2025-11-25 basic: Requests", false, sameID),
		prank("cancelled-call", "a request is cancelled at once", "2025-11-25 basic/utilities/cancellation", false, ignored),
		prank("unknown-cancelled", "a request is cancelled that never was", "2025-11-25 basic/utilities/cancellation", false, ignored),
		prank("unknown-method", "the client asks for a method that nobody knows", jsonRPC+"5.1: Error object", false, refusedAlways),
		prank("unknown-notification", "the client sends a notification that nobody knows", jsonRPC+"4.1: Notification", false, ignored),
		prank("garbage", "the client sends half a message", jsonRPC+"5.1: Error object", false, ignored),
		prank("version-header", "a request says another protocol version", transports+"Protocol Version Header", true, refusedAlways),
		prank("unknown-session", "a request has a session id that the server did not issue", transports+"Session Management", true, refusedAlways),
		prank("no-session-header", "a request lacks the session id", transports+"Session Management", true, answered),
		prank("dropped-stream", "the client goes away in the middle of a request", transports+"Sending Messages to the Server", true, ignored),
	}
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
