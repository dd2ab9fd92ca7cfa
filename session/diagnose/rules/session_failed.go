package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
)

// onReasons is when it shows why an operation failed.
const onReasons = diagnose.Refusals | diagnose.OddResponses | diagnose.Ends

// reasons are those of the operations of a recording, by row.
type reasons map[int32]reason

const maxReasons = 4096

func (r *reasons) note(c *diagnose.Case) {
	why, row := reason{}, c.Row
	if c.Refusal != nil {
		why = reasonOf(c)
	} else {
		why, _ = lossOf(c)
	}
	if c.Call != nil {
		row = c.Call.Row
	}
	if row >= 0 && why.cause != "" && len(*r) < maxReasons {
		made((*map[int32]reason)(r))[row] = why
	}
}

var sessionFailed = rule("session-failed", diagnose.Failures|diagnose.Stderr|diagnose.Processes|onReasons,
	func(c *diagnose.Case) {
		p, how := hear(c), c.Failure
		switch {
		case c.Refusal != nil || c.Kind == responseKind && how == nil || c.Kind == endKind && how == nil:
			diagnose.Shared[reasons](c).note(c)
			return
		case how == nil:
			return
		}
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
		f.Message, f.Brief, f.Often = how.Seen.Line+".", how.Seen.Short, usual(c, how, p)
		c.ReportAs("", f)
	})

// usual is what is often the reason of such a failure: of the operation that failed, or of what was
// said on standard error about then.
func usual(c *diagnose.Case, how *diagnose.Failure, p *lastWords) string {
	for _, one := range how.Asked {
		if a := (*diagnose.Shared[reasons](c))[int32(one.Index)]; a.cause != "" {
			return a.cause
		}
	}
	if said := p.tail(); said != "" {
		if b := p.explain(said, exit{code: int64(how.Code)}); b.cause != "" {
			return b.cause
		}
	}
	if len(how.Asked) > 0 && how.Asked[0].End == session.ToolError {
		return ""
	}
	a, _ := unheardReason(c, how)
	return a.cause
}

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
