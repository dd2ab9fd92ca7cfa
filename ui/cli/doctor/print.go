package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
	"midwire/session/words"
)

// width is that of the lines.
const width = 80

func (e *Env) print(results []Result) error {
	_, err := io.WriteString(e.Out, lines(results, e.ASCII()))
	return err
}

const nameColumn, stateColumn = 15, 9

// lines are the results as text: what, state, and below what to do next.
func lines(results []Result, ascii bool) string {
	var b strings.Builder
	count := map[State]int{}
	last := ""
	indent := strings.Repeat(" ", nameColumn+stateColumn)
	arrow := "→ "
	if ascii {
		arrow = "> "
	}
	for _, r := range results {
		count[r.State]++
		name := r.Check
		if name == last {
			name = ""
		}
		last = r.Check
		head := fmt.Sprintf("%-*s", nameColumn, name) + fmt.Sprintf("%-*s", stateColumn, r.State)
		for line := range strings.SplitSeq(wrap(r.Says, len(indent)), "\n") {
			b.WriteString(head + line + "\n")
			head = indent
		}
		for i, line := range strings.Split(wrap(r.Next, len(indent)+2), "\n") {
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
func wrap(text string, indent int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(safe.Whole(text)) {
		n := ansi.StringWidthWc(word)
		switch {
		case column > 0 && column+1+n > width-indent:
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
