package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
)

// Replayer replays recordings and compares them. Its methods are called from
// commands, never from Update, and from several at once. What they take and
// return is plain data that nobody changes afterwards.
type Replayer interface {
	// Plan says what a replay would send. It sends nothing.
	Plan(ctx context.Context, q ReplayRequest) (ReplayPlan, error)
	// Run replays, and calls tell as it goes on, however often that is. When
	// it was stopped by ctx, it returns what it came to and ctx's error.
	Run(ctx context.Context, q ReplayRequest, tell func(ReplayProgress)) (*Comparison, error)
	// Compare compares two recorded sessions.
	Compare(ctx context.Context, a, b SessionRef) (*Comparison, error)
	// Lines lays the two answers to a call side by side.
	Lines(c *Comparison, call int) ([]DiffLine, error)
	// Ignore notes beside the first recording that differences at a path of
	// this call's method and tool do not count, and returns what is left.
	Ignore(c *Comparison, call int, path string) (*Comparison, error)
	// Edit returns what lets the user edit a text. Nothing happens before its
	// Run.
	Edit(text []byte) Editor
}

// Editor is the user's editor on a text. It has the terminal during Run.
type Editor interface {
	tea.ExecCommand
	Text() []byte // after Run: what is left in it
}

// SessionRef is a session of a recording, or all of them.
type SessionRef struct {
	Recording string // id
	Session   int    // index, -1 for all
}

// ToolChoice says what becomes of calls of tools that are not marked read-only.
type ToolChoice uint8

// The choices. AskTools refuses to run when there are any.
const (
	AskTools ToolChoice = iota
	AllTools
	ReadOnlyTools
)

// ReplayRequest is what to replay, and where.
type ReplayRequest struct {
	SessionRef
	Frame  uint32 // the request to send alone; 0 replays the session
	Batch  uint16 // which message of the frame it is
	Params []byte // JSON in the place of its recorded parameters, nil for those
	// Target is a URL or a command line, Dir the folder that a command runs in.
	// Plan fills them in with the recording's own when the recording was made
	// here; Run takes what was shown of its plan.
	Target, Dir string
	Tools       ToolChoice
	Step        <-chan struct{} // when set, each step waits for a value
}

// What a Replayer returns is what package replay says of it.
type (
	// ReplayPlan is what a replay would do.
	ReplayPlan = replay.Preview
	// ReplayProgress is how far a replay is.
	ReplayProgress = replay.Progress
	// ComparedAnswer is one of the two responses to a call.
	ComparedAnswer = replay.Response
	// DiffLine is one line of two responses beside each other.
	DiffLine = replay.Line
	// DiffKind says what a DiffLine shows.
	DiffKind = replay.LineKind
)

// The kinds of DiffLine.
const (
	DiffSame    = replay.LineSame
	DiffChanged = replay.LineChanged
	DiffAdded   = replay.LineAdded
	DiffRemoved = replay.LineRemoved
	DiffIgnored = replay.LineIgnored
)

// Comparison is what comparing two sessions came to.
type Comparison struct {
	First, Second string // ids of recordings; "" when there is none
	FirstName     string // what to call them
	SecondName    string
	Calls         []ComparedCall
	Problems      []string // what went otherwise and is no call
	Remarks       []string
	Handles       map[string]string // recorded values and what stands for them
	Took          time.Duration
}

// CallVerdict is what came of comparing two answers.
type CallVerdict uint8

// The verdicts.
const (
	CallSame CallVerdict = iota
	CallChanged
	CallMissing
	CallExtra
	CallBroken // an error now
	CallFixed
	CallSlower
	CallSkipped
	callVerdicts
)

// ComparedCall is a call and its two answers.
type ComparedCall struct {
	Frame, Other   uint32 // of the request on either side, 0 when there is none or it is not known
	Session        int    // from 1
	Method, Target string
	Verdict        CallVerdict
	Slower         bool
	Note           string
	Was, Now       ComparedAnswer
	Changes        []CallChange
	Schema         []string // how the new result breaks the tool's output schema
}

// CallChange is one difference that counts.
type CallChange struct {
	Path, Kind string // Kind is "changed", "added" or "removed"
	Was, Now   string
}
