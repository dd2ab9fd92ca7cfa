package replaying

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/ui/library"
)

// Replayer replays recordings and compares them. Its methods are called from
// commands, never from Update, and from several at once. What they take and
// return is plain data that nobody changes afterwards.
type Replayer interface {
	// Plan says what a replay would send. It sends nothing.
	Plan(ctx context.Context, q Request) (replay.Preview, error)
	// Run replays, and calls tell as it goes on, however often that is. When
	// it was stopped by ctx, it returns what it came to and ctx's error.
	Run(ctx context.Context, q Request, tell func(replay.Progress)) (*replay.Comparison, error)
	// Compare compares two recorded sessions. Where a is empty it is the good one that is
	// nearest to b, found among all recordings: the problems of the result then begin with
	// what sets b apart.
	Compare(ctx context.Context, a, b library.SessionRef) (*replay.Comparison, error)
	// Lines lays the two answers to a call side by side.
	Lines(c *replay.Comparison, call int) ([]replay.Line, error)
	// Arguments makes the arguments of a call from what was written, as the schema of the
	// tool has their types. The faults are what it has against them.
	Arguments(schema []byte, all []Written) (arguments []byte, faults []string, err error)
	// Edit returns what lets the user edit a text. Nothing happens before its
	// Run.
	Edit(text []byte) Editor
}

// Editor is the user's editor on a text. It has the terminal during Run.
type Editor interface {
	tea.ExecCommand
	Text() []byte // after Run: what is left in it
}

// ToolChoice says what becomes of calls of tools that are not marked read-only.
type ToolChoice uint8

// The choices. AskTools refuses to run when there are any.
const (
	AskTools ToolChoice = iota
	AllTools
	ReadOnlyTools
)

// Request is what to replay, and where.
type Request struct {
	library.SessionRef
	Frame  uint32 // the request to send alone; 0 replays the session
	Batch  uint16 // which message of the frame it is
	Probe  bool   // ask about the request: send it as a conforming client would, and then as it was
	Params []byte // JSON in the place of its recorded parameters, nil for those
	// Tool is called with Params as its arguments in the place of the request, which only
	// says for whom and how; "" for the request itself.
	Tool string
	// Target is a URL or a command line, Dir the folder that a command runs in.
	// Plan fills them in with the recording's own when the recording was made
	// here; Run takes what was shown of its plan.
	Target, Dir string
	Tools       ToolChoice
}
