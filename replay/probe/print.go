package probe

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
)

// Text is the result for people, safe for a terminal.
func (r *Result) Text() string {
	const width = 80
	var b strings.Builder
	name := len(conforming)
	for _, t := range r.Tries {
		name = max(name, min(ansi.StringWidth(safe.Clean(t.Name)), width/2))
	}
	line := func(what, answer, times string) {
		what = ansi.Truncate(safe.Clean(what), name, "…")
		text := "  " + what + strings.Repeat(" ", name-ansi.StringWidth(what)) + "  " + safe.Clean(answer)
		b.WriteString(ansi.Truncate(text, width-len(times), "…") + times + "\n")
	}
	line("recorded #"+strconv.Itoa(int(r.Call)), "✗ "+r.Was, "")
	for _, t := range r.Tries {
		sign, n, times := "✗ ", t.Times-t.Served, ""
		switch {
		case n == 0:
			sign, n = "✓ ", t.Served
		case t.Served > 0:
			sign = "! "
		}
		if t.Times > 1 {
			times = "  " + strconv.Itoa(n) + " of " + strconv.Itoa(t.Times)
		}
		line(t.Name, sign+t.Answer, times)
	}
	if said := r.Says; said != "" {
		b.WriteString(ansi.Wordwrap(safe.Clean(said), width, "") + "\n")
	}
	if len(r.Recordings) > 0 {
		last := r.Recordings[len(r.Recordings)-1]
		more := ""
		if n := len(r.Recordings) - 1; n > 0 {
			more = " and " + strconv.Itoa(n) + " before it"
		}
		b.WriteString("recorded as " + safe.Clean(strings.TrimSuffix(filepath.Base(last), ".jsonl")) + more + "\n")
	}
	return b.String()
}
