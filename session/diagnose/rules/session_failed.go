package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
)

var sessionFailed = rule("session-failed", diagnose.Failures,
	func(c *diagnose.Case) {
		how := c.Failure
		f := diagnose.Finding{Frames: []uint64{how.Frame}}
		for _, one := range how.Asked {
			f.About = append(f.About, c.Heads(one.Row.X)...)
			f.Frames = append(f.Frames, uint64(one.Row.Request))
			if one.Row.Response != 0 {
				f.Frames = append(f.Frames, uint64(one.Row.Response))
			}
		}
		f.Frames, f.About = distinct(f.Frames), append(f.About, how.Meanwhile...)
		if how.LastOK != nil {
			f.Served = framesOf(c, how.LastOK.Row)
			for _, one := range how.Alike { // a formal fault that others survive explains nothing
				f.Served = append(f.Served, framesOf(c, one.Row)...)
			}
		}
		f.Message, f.Brief = how.Seen.Line+".", how.Seen.Short
		c.ReportAs("", f)
	})

// framesOf are the frames of a call, and over HTTP those of its heads.
func framesOf(c *diagnose.Case, r *session.Row) []uint64 {
	return append([]uint64{uint64(r.Request), uint64(r.Response)}, c.Heads(r.X)...)
}

// distinct lists each once, in order, without those that stand for none.
func distinct[T comparable](list []T) (out []T) {
	seen := map[T]bool{*new(T): true}
	for _, one := range list {
		if !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	return out
}

func quoteOr(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return quote(s)
}
