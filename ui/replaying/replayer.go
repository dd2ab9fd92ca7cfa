package replaying

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
	Plan(ctx context.Context, q Request) (replay.Preview, error)
	// Run replays, and calls tell as it goes on, however often that is. When
	// it was stopped by ctx, it returns what it came to and ctx's error.
	Run(ctx context.Context, q Request, tell func(replay.Progress)) (*replay.Comparison, error)
	// Compare compares two recorded sessions.
	Compare(ctx context.Context, a, b library.SessionRef) (*replay.Comparison, error)
	// Lines lays the two answers to a call side by side.
	Lines(c *replay.Comparison, call int) ([]replay.Line, error)
	// Ignore notes beside the first recording that differences at a path of
	// this call's method and tool do not count, and returns what is left.
	Ignore(c *replay.Comparison, call int, path string) (*replay.Comparison, error)
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
	Params []byte // JSON in the place of its recorded parameters, nil for those
	// Target is a URL or a command line, Dir the folder that a command runs in.
	// Plan fills them in with the recording's own when the recording was made
	// here; Run takes what was shown of its plan.
	Target, Dir string
	Tools       ToolChoice
	Step        <-chan struct{} // when set, each step waits for a value
}

// summaryOf counts the calls of a comparison by verdict.
func summaryOf(c *replay.Comparison) string {
	parts := []string{plural(len(c.Calls), "call")}
	for v, n := range c.Counts() {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, replay.Verdict(v)))
		}
	}
	if n := len(c.Problems); n > 0 {
		parts = append(parts, plural(n, "problem"))
	}
	return strings.Join(parts, " · ")
}

func plural(n int, noun safe.Text) string { return string(term.Count(n, noun)) }

// markdownOf describes one compared call.
func markdownOf(p *replay.Comparison, call int) string {
	c := &p.Calls[call]
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s: %s\n\n", c.Number(), inCode(c.Label()), c.Verdict)
	fmt.Fprintf(&b, "%s (%s) against %s (%s).\n", p.FirstName, c.Was.Took.Round(time.Millisecond),
		p.SecondName, c.Now.Took.Round(time.Millisecond))
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

// markdownOfAll describes what is different.
func markdownOfAll(p *replay.Comparison) string {
	const most = 200
	var b strings.Builder
	fmt.Fprintf(&b, "## %s against %s\n\n%s\n", p.FirstName, p.SecondName, summaryOf(p))
	n := 0
	for i := range p.Calls {
		if p.Calls[i].Differs() {
			if n++; n <= most {
				b.WriteString("\n" + markdownOf(p, i))
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
