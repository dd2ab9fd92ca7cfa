// Package gate is the deliberate, visible exception to a proxy that changes
// nothing: it holds messages, edits and drops them, answers them itself, and
// breaks things on purpose. It is the one room of intercept that asks what a
// message is.
//
// A Gate belongs to one proxy. As long as no rule is armed no byte comes here.
// Armed, the connections concerned hand their bytes to lanes, which cut them into
// units (a line, the head and body of an HTTP message, an event of a stream), ask
// the rules about each, and write on what was decided.
//
// One mutex, Gate.mu, guards everything that is decided. Writing to a peer happens
// outside of it, one goroutine at a time for a lane. Goroutines: the pumps, which
// call Feed and End; a timer for each delay; one for each release, which writes;
// those of the control socket (see Control).
package gate

import (
	"time"

	"midwire/session/filter"
	"midwire/session/jsonpath"
)

// Rule is one line of the language: when it holds, what is done.
type Rule struct {
	When   *filter.Node // nil: every message
	Nth    Nth          // of those that match
	Chance float64      // percent; 0: always
	Seed   uint64       // of Chance and of what else is random
	Seeded bool
	Do     Action
	Preset string // the preset that it comes from, "" for none
}

// Nth says which of the messages that match are meant, counted from 1. The zero
// value is all of them.
type Nth struct {
	First, Last int // Last 0: no end
	Every       int // each that divides by it
}

func (n Nth) has(count int) bool {
	if n.Every > 0 {
		return count%n.Every == 0
	}
	return count >= n.First && (n.Last == 0 || count <= n.Last)
}

// Verb is what is done with a message.
type Verb uint8

// The verbs.
const (
	Hold Verb = iota
	Delay
	Drop
	Duplicate
	Reorder
	Fail // answered with a JSON-RPC error
	Answer
	ToolError
	Status
	ExpireSession
	Cut
	NoResume
	Set
	Remove
	SetHeader
	RemoveHeader
	Truncate
	Garbage
	TwoOnALine
	BOM
	Noise
	Kill
	Exit
	IgnoreEOF
	Storm
	Inject
	Huge
	Bandwidth
	Slice
	verbCount
)

// Action is a verb with its arguments.
type Action struct {
	Verb   Verb
	For    time.Duration // Delay; Reorder: the longest wait for another message
	Jitter time.Duration // Delay
	Code   int64         // Fail
	Status int           // Status, ExpireSession, NoResume
	Text   string        // Fail, ToolError, Garbage, Noise; the body of Status
	Method string        // Storm
	JSON   []byte        // Answer, Set, Inject
	Fields []Field       // Status, SetHeader
	Name   string        // RemoveHeader
	Path   jsonpath.Path // Set, Remove
	Count  int           // Duplicate, Storm; Exit: the code; Truncate, Slice: bytes, 0 for half
	Bytes  int64         // Huge, Bandwidth (per second), Cut
	Events int           // Cut, -1 for none
	How    How           // Cut
	Rate   float64       // Storm, per second
}

// Field is one header line.
type Field struct{ Name, Value string }

// How a connection is cut.
type How uint8

// The ways to cut a connection.
const (
	Clean How = iota // the response ends as if it were complete
	Reset
	Half // only towards the client; what it sends still arrives
)

var howNames = [...]string{"clean", "reset", "half"}

// form is how a verb is written, what it does, and where it can.
type form struct {
	name, args, help string
	on               string // "stdio" or "http" when only there
}

var forms = [verbCount]form{
	Hold:          {"hold", "", "waits until somebody decides", ""},
	Delay:         {"delay", "3s [jitter 1s]", "waits that long", ""},
	Drop:          {"drop", "", "goes no further", ""},
	Duplicate:     {"duplicate", "[2]", "comes so many times more", ""},
	Reorder:       {"reorder", "[within 1s]", "comes behind the next message", ""},
	Fail:          {"error", `-32603 "text"`, "is answered with an error; a response becomes one", ""},
	Answer:        {"answer", "JSON", "is answered with this result, or this whole message", ""},
	ToolError:     {"tool-error", `"text"`, "is answered with isError", ""},
	Status:        {"status", `429 [Name: value] [& Name: value] [& body "text"]`, "is answered with this status", "http"},
	ExpireSession: {"expire-session", "[404]", "is refused, with every later request of its session", "http"},
	Cut:           {"cut", "[after 2 events|100 bytes] [clean|reset|half]", "the response ends there", ""},
	NoResume:      {"no-resume", "[405]", "a GET with Last-Event-ID is refused", "http"},
	Set:           {"set", "path.to.member JSON", "gets this value there", ""},
	Remove:        {"remove", "path.to.member", "loses that member", ""},
	SetHeader:     {"set-header", "Name: value", "gets this header field", "http"},
	RemoveHeader:  {"remove-header", "Name", "loses this header field", "http"},
	Truncate:      {"truncate", "[100]", "ends in the middle, or after so many bytes", ""},
	Garbage:       {"garbage", `["text"]`, "becomes this text", ""},
	TwoOnALine:    {"two-on-a-line", "", "has another message behind it on its line", "stdio"},
	BOM:           {"bom", "", "has a byte order mark before it", ""},
	Noise:         {"noise", `["text"]`, "has a line of a log before it", "stdio"},
	Kill:          {"kill", "", "the server is killed", "stdio"},
	Exit:          {"exit", "1", "the server is killed, and midwire exits with this code", "stdio"},
	IgnoreEOF:     {"ignore-eof", "", "the server is not told when its standard input is closed behind it", "stdio"},
	Storm:         {"storm", "METHOD [50] [at 100/s]", "so many notifications to the client follow it", ""},
	Inject:        {"inject", "JSON", "this message follows it", ""},
	Huge:          {"huge", "20MB", "its result becomes this large", ""},
	Bandwidth:     {"bandwidth", "16kB/s", "and what follows it comes at this rate", ""},
	Slice:         {"slice", "7", "and what follows it comes in pieces of so many bytes", ""},
}

// Name is the word of a verb.
func (v Verb) Name() string { return forms[v].name }

// Help is how the verbs are written and what they do, a line each.
func Help() (all [][2]string) {
	for _, f := range forms {
		args := f.name
		if f.args != "" {
			args += " " + f.args
		}
		what := f.help
		if f.on != "" {
			what += " (" + f.on + " only)"
		}
		all = append(all, [2]string{args, what})
	}
	return all
}

// Fits says why a rule cannot be armed on a proxy of that kind, "stdio" or
// "http"; "" when it can.
func (r *Rule) Fits(tap string) string {
	if on := forms[r.Do.Verb].on; on != "" && on != tap {
		return forms[r.Do.Verb].name + " is for " + on + ", and this proxy is " + tap
	}
	return ""
}
