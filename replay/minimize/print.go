package minimize

import (
	"fmt"
	"strconv"
	"strings"

	"midwire/replay"
	"midwire/session/record/redact"
	"midwire/session/safe"
	"midwire/session/words"
)

// Says is the outcome in a sentence or two.
func (r *Result) Says() string {
	count := fmt.Sprintf("%d of %d", r.Fails, r.Times)
	switch r.Outcome {
	case Flaky:
		return "It is flaky: sent again it failed in this way " + count + " times. There is no smallest session."
	case Gone:
		return "It does not fail in this way any more (" + count + " times): it depended on the time, or on what the server held."
	}
	text := fmt.Sprintf("%d of %s matter", len(r.Messages), words.Count(r.Of, "message"))
	if r.OfMembers > 0 {
		text += fmt.Sprintf(", and %d of %s", len(r.Members), words.Count(r.OfMembers, "argument"))
	}
	text += ": it fails " + count + " times with them"
	text += " (" + words.CountOf(r.Tries, "try", "tries") + ")."
	if r.Outcome == Smaller {
		text += " It may get smaller: the search ended " + r.Why + "."
	}
	if r.LeftOut > 0 {
		text += fmt.Sprintf(" %s of tools that are not marked read-only left out from the start; --yes sends them.",
			words.CountOf(r.LeftOut, "call was", "calls were"))
	}
	return text
}

// lines are the messages that are left, each with its number.
func (r *Result) lines() (all []string) {
	for _, m := range r.Messages {
		line := words.Ellipsis(safe.Clean(m.Label), 60)
		if m.Frame == r.Frame && r.Params != "" {
			line += " " + words.Ellipsis(safe.Clean(r.Params), 200)
		}
		all = append(all, fmt.Sprintf("#%-5s %s", strconv.Itoa(int(m.Frame)), line))
	}
	return all
}

// Text is the result for people, safe for a terminal.
func (r *Result) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "✗ #%d %s: %s\n%s\n", r.Frame, safe.Clean(r.Call), words.Ellipsis(safe.Clean(r.Failure), 200), r.Says())
	if r.Outcome == Minimal || r.Outcome == Smaller {
		b.WriteString("\n  " + strings.Join(r.lines(), "\n  ") + "\n")
	}
	return b.String()
}

// Markdown is the result for an issue: what fails, with which messages, and how to send them.
// s is the recording of what is left, again the command that sends it.
func (r *Result) Markdown(again string, s *replay.Script) string {
	var messages []string
	for i := range s.Steps {
		if raw, err := s.Payload(s.Steps[i].Frame); err == nil && len(raw) > 0 {
			messages = append(messages, safe.Clean(redact.Text(string(raw))))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s fails\n\n    %s\n\n%s\n", words.Line(safe.Clean(r.Call), 80), words.Line(safe.Clean(r.Failure), 300), r.Says())
	if len(messages) > 0 {
		fmt.Fprintf(&b, "\nSend, in this order:\n\n    %s\n", strings.Join(messages, "\n    "))
	}
	if again != "" {
		b.WriteString("\nOr, with the recording: `" + again + "`\n")
	}
	return b.String()
}
