// Package help has the texts of the commands, and fills them into lines of a usual terminal.
package help

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"midwire/session/words"
)

// helpColumns is how wide help is.
const helpColumns = 80

// Fill writes a text in lines of at most 80 columns, the later ones indented like the
// first.
func Fill(w io.Writer, lead, text string) {
	line, indent := lead, strings.Repeat(" ", utf8.RuneCountInString(lead))
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > helpColumns && strings.TrimSpace(line) != "" {
			fmt.Fprintln(w, line)
			line = indent
		}
		if line != "" && !strings.HasSuffix(line, " ") {
			line += " "
		}
		line += word
	}
	if strings.TrimSpace(line) != "" {
		fmt.Fprintln(w, line)
	}
}

//go:embed commands.md
var commands string

// Describe gives a command, and those below it, what commands.md says of them.
func Describe(c *cobra.Command) {
	if _, text, ok := strings.Cut(commands, "\n## "+c.CommandPath()+"\n"); ok {
		text, _, _ = strings.Cut(text, "\n## ")
		long, example, _ := strings.Cut(text, "\n### Examples\n")
		c.Long, c.Example = strings.Trim(long, "\n"), strings.Trim(example, "\n")
	}
	for _, sub := range c.Commands() {
		Describe(sub)
	}
}

var (
	flagColumn = words.Pattern(`^ {2,}(-\S.*? {3,}| {20,})`)
	column     = words.Pattern(`^ +(\S+ )*\S+ {2,}`)
)

// narrow fills the lines of a help: prose anew, of flags and tables the last column. A
// command that is too long goes on behind a backslash, as a shell takes it.
func narrow(out io.Writer, text string) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	prose, part := "", ""
	flush := func() {
		Fill(w, "", prose)
		prose = ""
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		line = strings.TrimRight(line, " ")
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			if prose += line + " "; !strings.HasSuffix(line, ":") {
				continue
			}
			part = line
			flush()
			continue
		}
		flush()
		lead := column().FindString(line)
		if strings.HasSuffix(part, "Flags:") {
			lead = flagColumn().FindString(line)
		}
		switch {
		case utf8.RuneCountInString(line) <= helpColumns:
			fmt.Fprintln(w, line)
		case part == "Examples:":
			at := strings.LastIndexByte(line[:helpColumns-2], ' ')
			fmt.Fprintf(w, "%s \\\n      %s\n", line[:at], line[at+1:])
		case lead == "":
			Fill(w, "  ", line)
		default:
			Fill(w, lead, line[len(lead):])
		}
	}
	flush()
}
