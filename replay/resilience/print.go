package resilience

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"midwire/replay/junit"
	"midwire/session/safe"
	"midwire/session/words"
)

// Write writes the report as "text", safe for a terminal, "json", "junit" or
// "markdown". In JUnit a verdict of fail or worse is a failure.
func (r *Report) Write(w io.Writer, format string, fail Verdict) error {
	switch format {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(r)
	case "junit":
		return r.junit(w, fail)
	}
	_, err := io.WriteString(w, r.text())
	return err
}

// Head names who was tried with whom.
func (r *Report) Head() string {
	head := fmt.Sprintf("%s %s with %s over %s: %s", r.Role, r.Peer, r.Opposite, r.Transport, words.Count(len(r.Results), "fault"))
	if r.Calls > 0 {
		head += ", " + words.Count(r.Calls, "call") + " served without a fault"
	}
	return head
}

// usualWidth is that of text for no terminal.
const usualWidth = 120

func (r *Report) text() string {
	width := cmp.Or(r.Width, usualWidth)
	var head, table strings.Builder
	for _, s := range append([]string{r.Head()}, prefixed("note: ", r.Remarks)...) {
		wrap(&head, safe.Clean(s), "", width)
	}
	w := tabwriter.NewWriter(&table, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "FAULT\tVERDICT\tAFTER\tEVIDENCE\tWHY")
	for i := range r.Results {
		o := &r.Results[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", safe.Clean(o.Name), o.Verdict, o.after(), o.frames(), "")
	}
	_ = w.Flush() // into memory
	head.WriteString("\n")
	for i, row := range strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n") {
		if i == 0 {
			head.WriteString(row + "\n")
			continue
		}
		r.Results[i-1].row(&head, row, width)
	}
	head.WriteString("\n" + r.Summary() + "\n")
	return head.String()
}

func prefixed(prefix string, all []string) (out []string) {
	for _, s := range all {
		out = append(out, prefix+s)
	}
	return out
}

// row writes a row of the table and why: behind it where that fits into a line, or
// below.
func (o *Result) row(b *strings.Builder, row string, width int) {
	why := safe.Clean(o.Why)
	if o.Said != "" {
		why += ": " + safe.Clean(o.Said)
	}
	if utf8.RuneCountInString(row+why) <= width {
		b.WriteString(strings.TrimRight(row+why, " ") + "\n")
		return
	}
	b.WriteString(strings.TrimRight(row, " ") + "\n")
	wrap(b, why, "    ", width)
}

// wrap writes words in lines of a width.
func wrap(b *strings.Builder, text, indent string, width int) {
	lines := ansi.Wordwrap(strings.Join(strings.Fields(text), " "), width-len(indent), "")
	b.WriteString(indent + strings.ReplaceAll(lines, "\n", "\n"+indent) + "\n")
}

// Summary counts the verdicts.
func (r *Report) Summary() string {
	var parts []string
	for _, v := range []Verdict{Recovered, RecoveredLate, Told, Hung, Wrong, NotApplicable} {
		if n := r.Count(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(parts, ", ")
}

func (o *Result) after() string {
	if o.Verdict == NotApplicable {
		return ""
	}
	return fmt.Sprintf("%.1f s", o.After.Seconds())
}

// maxFrames is how many frames a line has room for.
const maxFrames = 3

func (o *Result) frames() string {
	var parts []string
	for i, e := range o.Evidence {
		if i == maxFrames {
			parts = append(parts, "…")
			break
		}
		name := ""
		if i == 0 || o.Evidence[i-1].Recording != e.Recording {
			name = safe.Clean(e.Recording[strings.LastIndexByte(e.Recording, '-')+1:])
		}
		parts = append(parts, fmt.Sprintf("%s#%d", name, e.Frame))
	}
	return strings.Join(parts, " ")
}

func (r *Report) junit(w io.Writer, fail Verdict) error {
	suite := junit.Suite{Name: "midwire resilience " + r.Peer}
	for i := range r.Results {
		o := &r.Results[i]
		c := junit.Case{Class: "midwire.resilience", Name: o.Name, Time: fmt.Sprintf("%.3f", o.After.Seconds())}
		switch v := o.Verdict; {
		case v == NotApplicable:
			c.Skipped = &junit.Message{Message: o.Why}
		case v >= fail:
			c.Failure = &junit.Message{Message: v.String() + ": " + o.Why, Type: v.String(), Text: o.details()}
		default:
			c.Out = o.details()
		}
		suite.Add(c)
	}
	return suite.Write(w)
}

// details is all that is known of a result, a line each.
func (o *Result) details() string {
	lines := []string{o.Verdict.String() + " after " + o.After.Round(time.Millisecond).String() + ": " + o.Why}
	for _, part := range [][2]string{
		{"The fault", o.Help}, {"Decides what is correct", o.Spec}, {"It said", o.Said}, {"Rule", o.Rule},
	} {
		if part[1] != "" {
			lines = append(lines, part[0]+": "+part[1])
		}
	}
	lines = append(lines, o.Notes...)
	for _, e := range o.Evidence {
		lines = append(lines, fmt.Sprintf("%s #%d: %s", e.Recording, e.Frame, e.Shows))
	}
	for i := range lines {
		lines[i] = safe.Clean(lines[i])
	}
	return strings.Join(lines, "\n")
}
