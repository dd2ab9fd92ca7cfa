package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"midwire/session/safe"
	"midwire/session/words"
)

type paper struct {
	width         int
	colour, ascii bool
}

// piped is the width of lines that no terminal has asked for.
const piped = 80

func (e *Env) print(results []Result) error {
	p := paper{width: piped, ascii: e.ASCII()}
	if term.IsTerminal(int(e.Out.Fd())) {
		p.colour = e.Getenv("NO_COLOR") == "" && colorprofile.Detect(e.Out, e.variables()) > colorprofile.ASCII
		if w, _, err := term.GetSize(int(e.Out.Fd())); err == nil && w > 0 {
			p.width = w
		}
	}
	_, err := io.WriteString(e.Out, p.lines(results))
	return err
}

func (e *Env) variables() (out []string) {
	for _, name := range []string{
		"TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_FORCE", "WT_SESSION",
		"ANSICON", "ConEmuANSI", "TMUX", "STY", "GOOGLE_CLOUD_SHELL",
	} {
		if value := e.Getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

const nameColumn, stateColumn = 15, 9

// lines are the results as text: what, state, and below what to do next.
func (p paper) lines(results []Result) string {
	var b strings.Builder
	count := map[State]int{}
	last := ""
	indent := strings.Repeat(" ", nameColumn+stateColumn)
	arrow := "→ "
	if p.ascii {
		arrow = "> "
	}
	for _, r := range results {
		count[r.State]++
		name := r.Check
		if name == last {
			name = ""
		}
		last = r.Check
		head := fmt.Sprintf("%-*s", nameColumn, name) + p.paint(r.State, fmt.Sprintf("%-*s", stateColumn, r.State))
		for line := range strings.SplitSeq(p.wrap(r.Says, len(indent)), "\n") {
			b.WriteString(head + line + "\n")
			head = indent
		}
		for i, line := range strings.Split(p.wrap(r.Next, len(indent)+2), "\n") {
			if line != "" {
				b.WriteString(indent + []string{arrow, "  "}[min(i, 1)] + line + "\n")
			}
		}
	}
	b.WriteString("\n" + verdict(count) + "\n")
	return b.String()
}

// wrap breaks text that may hold names of others into lines, at spaces only: a path
// stays whole, so that it can be copied.
func (p paper) wrap(text string, indent int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(safe.Whole(text)) {
		n := ansi.StringWidth(word)
		switch {
		case column > 0 && column+1+n > p.width-indent:
			b.WriteByte('\n')
			column = 0
		case column > 0:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

func (p paper) paint(s State, text string) string {
	colours := map[State]ansi.BasicColor{OK: ansi.Green, Note: ansi.Blue, Warning: ansi.Yellow, Failed: ansi.Red}
	if !p.colour {
		return text
	}
	return ansi.Style{}.ForegroundColor(colours[s]).Styled(text)
}

// verdict is the last line.
func verdict(count map[State]int) string {
	switch {
	case count[Failed] > 0 && count[Warning] > 0:
		return words.Count(count[Failed], "error") + " and " + words.Count(count[Warning], "warning") + "."
	case count[Failed] > 0:
		return words.Count(count[Failed], "error") + "."
	case count[Warning] > 0:
		return words.Count(count[Warning], "warning") + "."
	}
	return "All is well."
}
