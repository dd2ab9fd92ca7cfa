package resilience

import (
	"strings"
	"time"

	"midwire/session/words"
)

var (
	changing = words.Pattern(`[0-9a-fA-F]{8,}|\d+`)
	alarming = words.Pattern(`(?i)error|fail|closed|time[d ]?-?out|not found|invalid|unexpected|refus|unauthori|` +
		`terminat|lost|reset|exceed|cannot|could not|unable|disconnect|reject|denied|expired|made by midwire|exception|issues? detected`)
	innocent = words.Pattern(`(?i)"?(is)?errors?"?\s*[:=]\s*(\[\]|null|false|0|"")|\b0 errors`)
)

// words is the first line that the client prints because something went wrong, and
// when; "" for none.
func (j *judging) words() (string, time.Duration) {
	known := map[string]bool{}
	for _, line := range j.base.End.Lines {
		known[changing().ReplaceAllString(line.Text, "0")] = true
	}
	for _, line := range j.Trial.End.Lines {
		fresh := !known[changing().ReplaceAllString(line.Text, "0")]
		if fresh && alarming().MatchString(innocent().ReplaceAllString(line.Text, "")) {
			return words.Ellipsis(strings.TrimSpace(line.Text), maxSaid), line.After
		}
	}
	return "", 0
}

// maxSaid is how much of what a client printed is kept.
const maxSaid = 300
