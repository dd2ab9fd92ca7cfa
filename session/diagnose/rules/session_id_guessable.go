package rules

import (
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionIDGuessable = &diagnose.Rule{
	ID: "session-id-guessable", On: diagnose.HTTPResponses, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Calls == 0 || x.Status > 299 {
			return
		}
		id := x.ResponseHeader(mcp.HeaderSessionID)
		if id == "" || id == x.Header(mcp.HeaderSessionID) { // the client's own
			return
		}
		m := diagnose.Memory[latestID](c)
		last := *m
		*m = latestID{id, uint64(x.ResponseN)}
		f := diagnose.Finding{Frames: headFrames(x)}
		switch {
		case last.id != "" && follows(last.id, id):
			f.Message = "The session id " + quote(id) + " (" + frame(x.ResponseN) + ") follows " + quote(last.id) + " (" + frame(last.n) + ")."
			f.Frames = append(f.Frames, last.n)
		case len(id) < 16:
			f.Message = "The session id " + quote(id) + " (" + frame(x.ResponseN) + ") has " + number(len(id)) + " characters only."
		default:
			return
		}
		c.ReportAs("", f)
	},
}

type latestID struct {
	id string
	n  uint64
}

// follows says whether two ids are the same but for a number at their end that
// has grown a little.
func follows(a, b string) bool {
	const digits = "0123456789"
	stem := strings.TrimRight(a, digits)
	if stem != strings.TrimRight(b, digits) {
		return false
	}
	m, errA := strconv.ParseUint(a[len(stem):], 10, 64)
	n, errB := strconv.ParseUint(b[len(stem):], 10, 64)
	return errA == nil && errB == nil && n > m && n-m <= 16
}
