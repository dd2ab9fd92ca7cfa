package diagnose

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"midwire/session/words"
)

// Part is a piece of a text of a finding.
type Part struct {
	Text    string
	Frame   uint64 // a frame of the finding, that Text is the number of; 0 for words
	Session bool   // Text is the id of the session, quoted
}

// quotedOrFrame is what is quoted, where no number is of a frame, or such a number.
var quotedOrFrame = words.Pattern(`"[^"]*"|“[^”]*”|#[0-9]+`)

// Parts parts a text of the finding at the numbers of its frames, written #12, and at
// the id of its session.
func (f *Finding) Parts(text, session string) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		from := 0
		for _, at := range quotedOrFrame().FindAllStringIndex(text, -1) {
			p := Part{Text: text[at[0]:at[1]]}
			if n, err := strconv.ParseUint(strings.TrimPrefix(p.Text, "#"), 10, 64); err == nil && f.knows(n) {
				p.Frame = n
			} else if p.Session = session != "" && p.Text == "“"+session+"”"; !p.Session {
				continue
			}
			if from < at[0] && !yield(Part{Text: text[from:at[0]]}) || !yield(p) {
				return
			}
			from = at[1]
		}
		if from < len(text) {
			yield(Part{Text: text[from:]})
		}
	}
}

// knows says whether a frame is one of the finding, so that its number is no other number.
func (f *Finding) knows(n uint64) bool {
	has := func(frames []uint64) bool { return slices.Contains(frames, n) }
	return slices.ContainsFunc([][]uint64{f.Frames, f.Beside, f.Shows, f.About, f.Served}, has)
}
