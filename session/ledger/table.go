package ledger

import (
	"sync"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Force says how binding it is that something is done.
type Force uint8

// The forces. What is only a habit is never an error.
const (
	Must   Force = iota // the specification demands it
	Should              // it recommends it, or nothing else leads on
	Habit               // most do it
)

// Due is a row of the table: something that one side does after something else.
type Due struct {
	Kind   Kind
	Owes   wire.Dir // the way that it goes: what the server owes goes wire.ToClient
	After  string   // what makes it due
	What   string   // what is due
	Within int64    // nanoseconds after which it can be missed at the earliest; 0 for when its debtor continues without
	Excuse string   // what makes it void
	Force  Force
	Rules  []string // that say so when it never came; none for a row that only other rows build on

	on     events                                                // that say something of open debts
	from   events                                                // that may open one
	always bool                                                  // closes looks at more than open debts
	opens  func(*Ledger, *session.Event) *Debt                   // the debt that an event opens
	closes func(*Ledger, *session.Event) (int32, session.Ending) // the row whose debt an event ends, and how
	notes  func(*Ledger, *session.Event)                         // what else an event says of open debts
}

// events is a set of kinds of event.
type events uint16

const (
	second   = 1_000_000_000
	settling = second // for what was under way when something changed
)

// Table is what is due after what, in the order of Kind; the two directions of Response
// follow each other. It may be read only.
var Table = [...]Due{
	{
		Kind: Response, Owes: wire.ToClient, Within: 60 * second, Force: Must,
		After: "a client request", What: "its response",
		Excuse: "it is cancelled, its transport ends, or it waits by design (subscriptions/listen, tasks/result)",
		Rules:  []string{"unanswered-request", "client-timeout", "server-mute", "stream-ended-early"},
		on:     onMessage | onSettled, from: onAsk, opens: requests(wire.ToServer), closes: responded, notes: signs,
	},
	{
		Kind: Response, Owes: wire.ToServer, Within: 60 * second, Force: Must,
		After: "elicitation/create, sampling/createMessage, roots/list or ping from the server", What: "its response",
		Excuse: "the server cancels it; a person may need time for an elicitation",
		Rules:  []string{"question-unanswered"},
		on:     onMessage, from: onAsk, opens: requests(wire.ToClient),
	},
	{
		Kind: Handshake, Owes: wire.ToServer, Within: 1500 * second / 1000, Force: Must,
		After: "the response to initialize", What: mcp.NotifyInitialized,
		Excuse: "another initialize", Rules: []string{"initialized-missing", "handshake-unfinished"},
		on: onMessage, from: onAnswer, opens: initialized, closes: handshaken, notes: handshakeSkipped,
	},
	{
		Kind: SessionID, Owes: wire.ToServer, Force: Must,
		After: "the response to initialize has an Mcp-Session-Id", What: "the same id with every later request",
		Excuse: "the session ends or restarts", Rules: []string{"session-id-not-echoed"},
		on: onMessage | onRequest, from: onMessage, opens: idGiven, closes: idSent, notes: idLacks,
	},
	{
		Kind: Page, Owes: wire.ToServer, Force: Habit,
		After: "a list with a nextCursor", What: "a request for the next page",
		Excuse: "the client rereads the list from its start, and it has no more pages", Rules: []string{"list-pages-unread"},
		on: onMessage, from: onAnswer, opens: pageLeft, closes: pageRead, notes: pageSkipped,
	},
	{
		Kind: Renewal, Owes: wire.ToServer, Within: 5 * second, Force: Must,
		After: "404 to a request with the id of a session", What: "initialize without an id",
		Excuse: "requests already in transit; the client sends no more", Rules: []string{"session-not-renewed"},
		on: onMessage | onResponse, from: onResponse, opens: sessionLost, notes: renewed,
	},
	{
		Kind: Resume, Owes: wire.ToServer, Within: 3 * second, Force: Should,
		After: "a stream whose events have ids ended without the response", What: "a GET with Last-Event-ID",
		Excuse: "the response arrives elsewhere, or the call is cancelled",
		on:     onMessage | onSettled | onRequest | onEnd, from: onEnd, opens: streamCut, closes: resumed,
	},
	{
		Kind: Exit, Owes: wire.ToClient, Within: 1500 * second / 1000, Force: Should,
		After: "the client closed stdin", What: "the process exits",
		Excuse: "", Rules: []string{"ignores-stdin-eof", "killed-without-eof"},
		on: onProcess, from: onProcess, opens: stdinClosed, closes: exited,
	},
	{
		Kind: Input, Owes: wire.ToServer, Within: 3 * second, Force: Should,
		After: "a result or a task that is input_required", What: "the request again with inputResponses, or tasks/update",
		Excuse: "the task is cancelled, or continues without it", Rules: []string{"input-left"},
		on: onMessage, from: onAnswer, opens: inputAsked, closes: inputGiven, notes: inputSkipped,
	},
	{
		Kind: Task, Owes: wire.ToServer, Within: 3 * second, Force: Habit,
		After: "a call became a task", What: "polling until it has ended",
		Excuse: "the server reports the outcome, or the client cancels it", Rules: []string{"task-left"},
		on: onMessage, from: onAnswer | onNotice, opens: taskBegun, closes: taskOver, notes: taskSeen,
	},
	{
		Kind: TaskResult, Owes: wire.ToServer, Within: 3 * second, Force: Habit,
		After: "a task was completed, up to 2025-11-25", What: mcp.TasksResult,
		Excuse: "the task failed or was cancelled", Rules: []string{"task-left"},
		on: onMessage, from: onAnswer | onNotice, opens: taskCompleted, always: true, closes: resultFetched,
	},
	{
		Kind: List, Owes: wire.ToServer, Force: Habit,
		After: "list_changed of a list that the client has read", What: "the same list again",
		Excuse: "the client sends no more requests", Rules: []string{"list-changed-ignored"},
		on: onMessage, from: onNotice, opens: listChanged, always: true, closes: listRead, notes: listSkipped,
	},
	{
		Kind: Acknowledgement, Owes: wire.ToClient, Within: 3 * second, Force: Must,
		After: mcp.Listen, What: "its acknowledgement, first on that stream",
		Excuse: "it is refused", Rules: []string{"subscription-unacknowledged"},
		on: onMessage | onSettled, from: onAsk, opens: subscribed, closes: acknowledged, notes: unacknowledged,
	},
	{
		Kind: Token, Owes: wire.ToServer, Within: 5 * second, Force: Should,
		After: "the browser returns with a code", What: "a token request with it",
		Excuse: "the redirect does not match the client's request",
		Rules:  []string{"token-not-requested"},
		on:     onRequest | onResponse, from: onRequest | onResponse, opens: codeGiven, closes: tokenAsked,
	},
	{
		Kind: TokenUse, Owes: wire.ToServer, Within: 1 * second, Force: Should,
		After: "the authorization server issued a token", What: "a request with it",
		Excuse: "another token is issued", Rules: []string{"credential-refused"},
		on: onRequest | onBody, from: onBody, opens: tokenGiven, closes: tokenUsed,
	},
}

// The kinds of event that rows of the table are asked about.
const (
	onMessage  = events(1 << session.EventMessage)
	onSettled  = events(1 << session.EventSettled)
	onRequest  = events(1 << session.EventRequest)
	onResponse = events(1 << session.EventResponse)
	onBody     = events(1 << session.EventBody)
	onEnd      = events(1 << session.EventEnd)
	onProcess  = events(1 << session.EventProcess)

	// The kinds of message, besides onMessage.
	onAsk    = events(1 << isAsk)
	onAnswer = events(1 << isAnswer)
	onNotice = events(1 << isNotice)
)

// What a message is, in place of session.EventMessage.
const (
	isAsk = 13 + iota
	isAnswer
	isNotice
)

// of is what an event is: its kind, or that of its message.
func of(e *session.Event) (bit int) {
	if e.Kind != session.EventMessage {
		return int(e.Kind)
	}
	switch e.Message.Kind {
	case wire.MsgRequest:
		return isAsk
	case wire.MsgNotification:
		return isNotice
	}
	return isAnswer
}

// asked is a row of the table that an event of a kind may open, or close.
type asked struct {
	*Due
	opening, open bool
}

// rows are the rows of the table by what an event is: most have nothing to do with it.
var rows = sync.OnceValue(func() (by [16][]asked) {
	for bit := range by {
		is := events(1) << bit
		if bit >= isAsk {
			is |= onMessage
		}
		for i := range Table {
			if row := (asked{&Table[i], Table[i].from&is != 0, Table[i].on&is != 0}); row.opening || row.open {
				by[bit] = append(by[bit], row)
			}
		}
	}
	return by
})

// run takes an event through the table: what it pays is paid before it opens something.
func (l *Ledger) run(e *session.Event) {
	asked := l.rows[of(e)]
	for i := range asked {
		due := &asked[i]
		if due.open && l.owed[due.Kind] > 0 && due.notes != nil {
			due.notes(l, e)
		}
		if due.open && (l.owed[due.Kind] > 0 || due.always) && due.closes != nil {
			if row, how := due.closes(l, e); how != session.NoEnding {
				l.end(keyOf(row, due.Kind), how, e.N, e.T)
			}
		}
		if due.opening {
			if d := due.opens(l, e); d != nil {
				l.add(d)
			}
		}
	}
}
