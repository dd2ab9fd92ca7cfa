package scenes

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"midwire/ui/term"
)

// Fault says what is wrong with a line that was drawn into w cells, "" for
// nothing: a line is UTF-8, has no more cells, and nothing but colours that a
// terminal acts upon.
func Fault(line string, w int) string {
	plain := ansi.Strip(line)
	for i, r := range plain {
		if r != ' ' && unicode.In(r, unicode.C, unicode.Z) {
			return fmt.Sprintf("%U at %d of %q", r, i, plain)
		}
	}
	if !utf8.ValidString(plain) {
		return fmt.Sprintf("no UTF-8: %q", plain)
	}
	if n := term.Counting().StringWidth(plain); n > w {
		return fmt.Sprintf("%d cells of %d: %q", n, w, plain)
	}
	return ""
}
