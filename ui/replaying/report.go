package replaying

import (
	"fmt"
	"strings"
	"time"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/term"
)

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

// inCode is text as code in Markdown, harmless to terminals.
func inCode(s string) string {
	s = safe.Clean(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

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
	for _, t := range p.Tries {
		fmt.Fprintf(&b, "\n- %s: served %d of %d, %s", inCode(t.Name), t.Served, t.Times, inCode(t.Answer))
	}
	return b.String()
}
