package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
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
	Compare(ctx context.Context, a, b library.SessionRef) (*Comparison, error)
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
	library.SessionRef
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

// words is a verdict for people.
func (v CallVerdict) words() string {
	return [callVerdicts]string{"same", "changed", "missing", "extra", "error now", "fixed now", "slower", "skipped"}[v]
}

// label names the call.
func (c *ComparedCall) label() string {
	return strings.TrimSpace(c.Method + " " + c.Target)
}

// number is that of the request in the first recording, or in the second.
func (c *ComparedCall) number() string {
	if c.Frame == 0 && c.Other == 0 {
		return ""
	}
	return fmt.Sprintf("#%d", max(c.Frame, c.Other*bit(c.Frame == 0)))
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// about says in a few words what is different.
func (c *ComparedCall) about() string {
	switch {
	case c.Note != "" && c.Verdict == CallFixed:
		return "was " + c.Note
	case c.Note != "":
		return c.Note
	case len(c.Schema) > 0:
		return "breaks its output schema: " + c.Schema[0]
	case len(c.Changes) == 1:
		return c.Changes[0].words()
	case len(c.Changes) > 1:
		return fmt.Sprintf("%s and %d more", c.Changes[0].Path, len(c.Changes)-1)
	}
	return ""
}

func (c CallChange) words() string {
	switch c.Kind {
	case "added":
		return c.Path + " added: " + c.Now
	case "removed":
		return c.Path + " removed: " + c.Was
	}
	return c.Path + ": " + c.Was + " → " + c.Now
}

// counts is how many calls came to each verdict.
func (c *Comparison) counts() (n [callVerdicts]int) {
	for i := range c.Calls {
		n[c.Calls[i].Verdict]++
	}
	return n
}

func (c *Comparison) summary() string {
	parts := []string{plural(len(c.Calls), "call")}
	for v, n := range c.counts() {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, CallVerdict(v).words()))
		}
	}
	if n := len(c.Problems); n > 0 {
		parts = append(parts, plural(n, "problem"))
	}
	return strings.Join(parts, " · ")
}

func plural(n int, noun safe.Text) string { return string(term.Count(n, noun)) }

// markdown describes one compared call.
func (p *Comparison) markdown(call int) string {
	c := &p.Calls[call]
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s: %s\n\n", c.number(), inCode(c.label()), c.Verdict.words())
	fmt.Fprintf(&b, "%s (%s) against %s (%s).\n", p.FirstName, c.Was.Took.Round(time.Millisecond), p.SecondName, c.Now.Took.Round(time.Millisecond))
	if c.Note != "" {
		b.WriteString("\n" + inCode(c.Note) + "\n")
	}
	if len(c.Changes) > 0 {
		b.WriteString("\n")
	}
	for _, d := range c.Changes {
		fmt.Fprintf(&b, "- %s %s", inCode(d.Path), d.Kind)
		if d.Was != "" {
			b.WriteString(", was " + inCode(d.Was))
		}
		if d.Now != "" {
			b.WriteString(", is " + inCode(d.Now))
		}
		b.WriteString("\n")
	}
	for _, s := range c.Schema {
		b.WriteString("- breaks its output schema: " + inCode(s) + "\n")
	}
	return b.String()
}

// inCode is text as code in Markdown.
func inCode(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// markdownAll describes what is different.
func (p *Comparison) markdownAll() string {
	const most = 200
	var b strings.Builder
	fmt.Fprintf(&b, "## %s against %s\n\n%s\n", p.FirstName, p.SecondName, p.summary())
	n := 0
	for i := range p.Calls {
		if p.Calls[i].differs() {
			if n++; n <= most {
				b.WriteString("\n" + p.markdown(i))
			}
		}
	}
	if n > most {
		fmt.Fprintf(&b, "\nand %d more calls that differ\n", n-most)
	}
	for _, s := range p.Problems {
		b.WriteString("\n- problem: " + inCode(s))
	}
	return b.String()
}
