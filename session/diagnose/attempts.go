package diagnose

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// attempts says by frame which operations failed in the same way: equal numbers are equal
// attempts. What explains one of them explains the others, also in another session of
// the same client. It is filled when the recording is over.
type attempts map[uint64]uint64

// fillAttempts looks at all that failed: one pass over the rows.
func (c *Checker) fillAttempts() {
	for _, s := range c.sessions() {
		c.work += len(s.Rows())
		for _, i := range s.Rows() {
			r := c.tracker.Row(int(i))
			name := c.tracker.Name(r.Name)
			lost := r.Ending.Lost() && mcp.Target(name) == "" // one tool may be slow, and another not
			failed := r.Ending.IsError() && (r.Ending.Denied() || c.ends.said[int32(i)] != "")
			if r.Dir != wire.ToServer || r.Kind == session.RowProcess ||
				r.Status < 400 && (r.Kind != session.RowCall || !failed && !lost) {
				continue
			}
			h := uint64(wire.HashSeed)
			ended := strconv.Itoa(int(r.Status)) + " " + strconv.Itoa(int(r.Code))
			if r.Ending == session.ToolError {
				name += " " + c.ends.tool[int32(i)]
			}
			for _, part := range []string{s.Endpoint, s.Client.Name, name, ended, Shape(c.ends.said[int32(i)])} {
				h = wire.HashOn(wire.HashOn(h, []byte(part)), []byte{0})
			}
			for _, n := range append([]uint64{uint64(r.Request), uint64(r.Response)}, c.ends.heads[r.X]...) {
				if n != 0 && len(c.ends.attempts) < maxAttempts {
					c.ends.attempts[n] = h
				}
			}
		}
	}
}

// Shape is a text without what differs from one attempt to the next: words with a digit
// in them, such as ids, times and counts, are one. A status of HTTP stays.
func Shape(text string) string {
	apart := func(r rune) bool {
		return r < 128 && strings.IndexByte("-_.:0123456789", byte(r)) < 0 && (r < 'a' || r > 'z')
	}
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(words.Fold(text), apart) {
		if status := len(word) == 3 && (word[0] == '4' || word[0] == '5'); !status && strings.ContainsAny(word, "0123456789") {
			word = "0"
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}
