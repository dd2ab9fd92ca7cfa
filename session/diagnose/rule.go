// Package diagnose says what is wrong in a recording, why, and which side is
// responsible: a Checker watches a session.Tracker and asks its rules about everything
// the tracker understands. The rules themselves are in package rules.
//
// Like session it is pure: the same frames always give the same findings.
package diagnose

import (
	"midwire/session/defect"
	"midwire/session/mcp"
)

// Severity says how bad a finding is.
type Severity uint8

// The severities, the worst first. A broken MUST is an Error, a SHOULD a
// Warning; a Note is legal, and worth knowing.
const (
	Error Severity = iota + 1
	Warning
	Note
)

// String returns "error", "warning" or "note".
func (s Severity) String() string { return [...]string{"", "error", "warning", "note"}[s] }

// Side is the responsible side of what was found.
type Side uint8

// The sides.
const (
	Unclear Side = iota
	Client
	Server
	Gateway     // something between the two
	Environment // neither: the machine, its runtime or network, a backend
	Midwire     // the program that says this

	// Of a Remedy only.
	AuthServer  // the authorization server
	Responsible // the side that the finding is about
)

// String returns the side as a word.
func (s Side) String() string {
	return [...]string{"unclear", "client", "server", "gateway", "environment", "midwire", "authorization server", "responsible side"}[s]
}

// On is what a rule wants to be asked about.
type On uint64

// What rules can be asked about; several are joined with |.
const (
	Requests      On = 1 << iota // a JSON-RPC request: Case.Call is it
	Notifications                // a JSON-RPC notification
	Results                      // a response with a result: Case.Call is its call, nil for a stray one
	Errors                       // a response with an error, likewise
	Refusals                     // a JSON-RPC error, or an HTTP status of 400 and more: Case.Refusal
	Settled                      // a call that ended without a response: Row.Ending says how
	Noise                        // Event.Data is no JSON-RPC, where JSON-RPC belongs
	HTTPRequests                 // a whole HTTP request, after its messages
	HTTPResponses                // the head of an HTTP response
	Bodies                       // Event.Data is the body of an HTTP response
	SSE                          // an event of a stream, before its messages
	Ends                         // an HTTP exchange ended
	Conns                        // a connection began or ended
	Processes                    // a process started or ended, or a pipe was closed
	Stderr                       // a line on standard error
	Taps                         // edits, gaps, notes
	// Finish: once for each session when the recording is over; Case.Event has
	// nothing but the session.
	Finish
	Overall // once when the recording is over, without a session
	Pairs   // a call that both sides of a gateway saw: Case.Pair
	Flows   // once for both sides of a gateway: Case.Flow
	// Failures: once for each session that failed, when the recording is over and
	// all else was asked: Case.Failure.
	Failures
	Defects // midwire itself panicked: Case.Defect
)

// Messages are all of JSON-RPC.
const Messages = Requests | Notifications | Results | Errors

// Some of these cases, for rules that care for no others.
const (
	Questions        On = 1 << (32 + iota) // Requests of the server
	ModernRequests                         // Requests with the envelope of 2026-07-28
	ModernResults                          // Results of those
	FailedCalls                            // Errors, and Results that say that a tool failed
	Strays                                 // Results and Errors that respond to nothing: Case.Call is nil
	Replies                                // Results and Errors of the client
	OtherRequests                          // HTTPRequests that are not the POST of a message
	OtherResponses                         // HTTPResponses to those
	OtherBodies                            // Bodies of those
	OddBodies                              // Bodies that did not serve a call
	OddResponses                           // HTTPResponses with another status than 200
	PageResponses                          // HTTPResponses to a request with an Origin
	Foreign                                // Messages that are not plain ASCII
	OddVersions                            // HTTPRequests that do not name the version of their session
	VersionResponses                       // HTTPResponses to those
	OtherMedia                             // HTTPResponses that are not application/json
	OtherIDs                               // HTTPResponses with another session id than their request
	OtherEnds                              // Ends of those that are not the POST of a message
	StreamEnds                             // Ends of a GET, or with an event stream
	ClientEnds                             // Ends by the client
	Lines                                  // Messages over stdio
	Batches                                // Messages of a batch
	Metas                                  // Messages with _meta in their params or result
	Handshakes                             // Requests, Results and Errors of initialize
)

// wide is on with the cases that its narrower ones are of.
func (on On) wide() On {
	for _, n := range [...]struct{ of, some On }{
		{Messages, Foreign | Lines | Batches | Metas},
		{Requests | Results | Errors, Handshakes},
		{Requests, Questions | ModernRequests},
		{Results, ModernResults},
		{Results | Errors, FailedCalls | Strays | Replies},
		{HTTPRequests, OtherRequests | OddVersions},
		{HTTPResponses, OtherResponses | OddResponses | PageResponses | VersionResponses | OtherMedia | OtherIDs},
		{Bodies, OtherBodies | OddBodies},
		{Ends, OtherEnds | StreamEnds | ClientEnds},
	} {
		if on&n.some != 0 {
			on |= n.of
		}
	}
	return on
}

// Era narrows a rule to one of the two kinds of MCP.
type Era uint8

// The eras: with a handshake and sessions, up to 2025-11-25, and without,
// from 2026-07-28.
const (
	AnyEra Era = iota
	Handshake
	Modern
)

// String returns "", "handshake" or "modern".
func (e Era) String() string { return [...]string{"", "handshake", "modern"}[e] }

// MaxBrief is how long Rule.Brief may be, in columns.
const MaxBrief = 28

// Rule is one thing that can be wrong.
type Rule struct {
	ID       string // stable words: "handshake-skipped"
	Title    string // one line
	Brief    string // the same in at most MaxBrief columns, to stand behind "failed:"
	Severity Severity
	Side     Side
	// Says are the sentences of its findings, by name, with the names of Values in braces.
	Says map[string]string
	// Seen says that its findings state what was seen: they know no cause, and name no side.
	Seen bool
	// Configured says that what the client's side has to change is its configuration.
	Configured bool
	Era        Era
	// From and To bound the protocol versions it holds for, both included; empty means
	// no bound. A rule with From is not asked where the protocol version is not known.
	From, To mcp.Version
	// Page returns its help; nil for none. Help calls it.
	Page func() Help

	On On
	// Methods, when set, narrows Requests, Notifications, Results, Errors, Refusals,
	// Settled and HTTPResponses to these methods; for a response it is the method of its
	// request. What is no message is not narrowed.
	Methods []string
	// Alike says that where it finds nothing in a message, it finds nothing in another of
	// that outline: it keeps no memory, and looks at no fact, nor at what texts and numbers say.
	Alike bool
	Check func(*Case)
	// Explains says that its findings are about an operation that failed.
	Explains bool

	// Header is the HTTP header that it is about: of a request that lacks it or
	// has the wrong one, "" for none.
	Header string
	// Right, when set, says which sessions do right what it finds wrong.
	Right *Right

	// Covers are ids of rules whose findings this one explains: they follow from
	// it where they point at the same frame, or with a * behind the id, anywhere
	// in the same session.
	Covers []string
	// Ask is the command of midwire that shows more of what it is about: "auth", or "".
	Ask string
	// Manner says that its findings are about the form of a refusal or of a farewell. They
	// stand beside the failure, never explain it, and never stand in a first line.
	Manner bool
	// Fallback, when set, says that its findings only state that something failed, and
	// perhaps what was said of it: they follow from any error or warning that cites one
	// of the frames they are About. The higher it is, the less they say: one follows
	// from another that says more.
	Fallback int
}

// Right is how the life cycle of a session shows that it does what a rule asks for.
type Right struct {
	Step string // the session.LifeStep that is done
	Does string // of several clients: "send it back"
}

// Help is what there is to read about the rule.
func (r *Rule) Help() Help {
	if r.Page == nil {
		return Help{}
	}
	return r.Page()
}

// Help is what `midwire explain` prints. All but Example are whole sentences.
type Help struct {
	Means string // what it means, in plain words
	Wire  string // how it looks on the wire
	Cause string // why it happens
	// Remedies are who must change what.
	Remedies []Remedy
	Spec     string // where it is written: "2025-11-25 basic/lifecycle: Initialization"
	Example  string // a few lines of traffic
	Claims   string // how often it was right about failures that no rule was written for, "" for never asked
}

// Finding is what a rule says of one recording. Its texts may hold bytes from
// the wire: they are made safe where they are shown.
type Finding struct {
	Rule            *Rule
	Severity        Severity       // the rule's, unless set
	Seen            bool           // it states what was seen: it has no side, no cause and no remedy
	Session         int            // index of the session, -1 for none
	Frames          []uint64       // the evidence; the first is where it shows. At most MaxFrames of them
	Beside          []uint64       // frames that its texts name besides the evidence
	Shows           []uint64       // where it showed, each frame once. At most MaxShows of them
	Place           string         // JSON Pointer to the wrong member in the message of the first frame; "" for none
	Items           []string       // names of listed tools and so on that it is about, where its evidence is the list
	Message         string         // what happened, with numbers of frames as #n
	Says            string         // where Message is not set, the name of its sentence in the page of the rule
	With            Values         // what that sentence names
	Cause           string         // the rule's, unless set
	Remedies        []Remedy       // the rule's, unless set
	Side            Side           // the rule's, unless set
	Brief           string         // the rule's, unless set
	ProtocolVersion mcp.Version    // the revision in force, "" when it is not known
	Count           int            // how often, at least 1
	T               int64          // when it showed first, nanoseconds since the recording started
	About           []uint64       // of a fallback: frames of what failed, besides Frames
	Served          []uint64       // of a fallback: what shows at one of these frames did no harm, and explains nothing
	Harmless        bool           // it is known that nothing came of it
	Spoils          bool           // no call of a tool came to anything, whatever the results say
	Unknown         bool           // of a fallback: nothing tells why it failed. Its Brief says what did
	Follows         []*Finding     // what it explains, as Roots has it
	Defect          *defect.Defect // of midwire, nil for none

	key      string
	places   []string   // as Shows, of a finding about a member
	about    [][]uint64 // of a fallback: the frames of each time it showed
	attempts attempts   // of its recording
}

// SpecURL is the address of the section of the specification that the rule cites, in
// the protocol version in force; "" when it cites none.
func (f *Finding) SpecURL() string { return mcp.SpecURL(f.Rule.Help().Spec, f.ProtocolVersion) }

// MaxFrames is how many frames of evidence a finding keeps.
const MaxFrames = 16

// MaxShows is how many of the frames where it showed a finding keeps.
const MaxShows = 2048

// Versions says in words which protocol versions a rule holds for.
func (r *Rule) Versions() string {
	from, to := string(r.From), string(r.To)
	switch {
	case r.Era == Handshake && to == "":
		to = string(mcp.LastHandshake)
	case r.Era == Modern && from == "":
		from = string(mcp.FirstModern)
	}
	switch {
	case from == "" && to == "":
		return "all"
	case from == "":
		return "up to " + to
	case to == "":
		return "from " + from
	case from == to:
		return from
	}
	return from + " to " + to
}
