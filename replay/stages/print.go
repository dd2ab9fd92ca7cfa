package stages

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/replay/junit"
	"midwire/session/safe"
	"midwire/session/words"
)

var signs = map[Verdict]string{Passed: "✓", Failed: "✗", Noted: "!", Skipped: "·"}

// Text is the result for people, safe for a terminal.
func (r *Result) Text() string {
	const width = 80
	var b strings.Builder
	name := r.Server
	if r.Name != "" {
		name = r.Name + " (" + r.Server + ")"
	}
	fmt.Fprintf(&b, "%s\n", words.Ellipsis(safe.Clean(words.Join(name, r.Version)), width))
	for i, c := range r.Checks {
		if i == 0 || r.Checks[i-1].Stage != c.Stage {
			fmt.Fprintf(&b, "\n%s\n", c.Stage)
		}
		b.WriteString(ansi.Truncate("  "+signs[c.Verdict]+" "+safe.Clean(c.Name), width, "…") + "\n")
		for line := range strings.SplitSeq(ansi.Wordwrap(safe.Clean(c.Text), width-6, ""), "\n") {
			if line != "" {
				b.WriteString("      " + line + "\n")
			}
		}
	}
	fmt.Fprintf(&b, "\n%d passed, %d failed, %d noted, %d skipped.", r.Count(Passed), r.Count(Failed), r.Count(Noted), r.Count(Skipped))
	if n := len(r.Recordings); n > 0 {
		fmt.Fprintf(&b, " Recorded as %s", safe.Clean(r.Recordings[n-1]))
		if n > 1 {
			fmt.Fprintf(&b, " and %d before it", n-1)
		}
		b.WriteString(".")
	}
	return b.String() + "\n"
}

// JUnit writes the result as CI systems read it: what is noted has passed, and says so.
func (r *Result) JUnit(w io.Writer) error {
	s := junit.Suite{Name: "midwire test " + r.Server}
	for _, c := range r.Checks {
		one := junit.Case{Class: c.Stage, Name: c.Name}
		switch c.Verdict {
		case Failed:
			one.Failure = &junit.Message{Message: safe.Clean(c.Text), Type: safe.Clean(c.Spec)}
		case Skipped:
			one.Skipped = &junit.Message{Message: safe.Clean(c.Text)}
		case Noted:
			one.Out = safe.Clean(c.Text)
		}
		s.Add(one)
	}
	return s.Write(w)
}
