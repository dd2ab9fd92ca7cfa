package backend

import (
	"bytes"

	"midwire/replay"
	"midwire/session/wire"
	"midwire/ui"
)

// What is kept of answers, so that they can be looked at: of one, and of all.
const (
	maxAnswer  = 1 << 20
	maxAnswers = 32 << 20
)

// comparing collects what a comparison sees. The driver of the run alone
// touches it.
type comparing struct {
	out  *ui.Comparison
	room int
	at   map[key][]int // calls by what they are
}

type key struct {
	frame, other uint32
	label        string
}

func newComparing(first, second string) *comparing {
	return &comparing{out: &ui.Comparison{FirstName: first, SecondName: second}, room: maxAnswers, at: map[key][]int{}}
}

var verdicts = map[replay.Verdict]ui.CallVerdict{
	replay.Same: ui.CallSame, replay.Changed: ui.CallChanged, replay.Missing: ui.CallMissing, replay.Extra: ui.CallExtra,
	replay.Broken: ui.CallBroken, replay.Fixed: ui.CallFixed, replay.Slower: ui.CallSlower, replay.Skipped: ui.CallSkipped,
}

// add is for replay.Options.Seen.
func (c *comparing) add(o *replay.Outcome, was, now *replay.Answer) {
	k := key{o.Frame, o.Other, o.Label}
	c.at[k] = append(c.at[k], len(c.out.Calls))
	one := ui.ComparedCall{
		Frame: o.Frame, Other: o.Other, Session: o.Session, Method: o.Method, Target: o.Target,
		Verdict: verdicts[o.Verdict], Slower: o.Slower, Note: o.Note, Schema: o.Schema,
	}
	for _, ch := range o.Changes {
		one.Changes = append(one.Changes, ui.CallChange{Path: ch.Path, Kind: ch.Kind, Was: ch.Was, Now: ch.Now})
	}
	one.Was, one.Now = c.answer(o.Method, was), c.answer(o.Method, now)
	c.out.Calls = append(c.out.Calls, one)
}

func (c *comparing) answer(method string, a *replay.Answer) ui.ComparedAnswer {
	if a == nil {
		return ui.ComparedAnswer{}
	}
	out := ui.ComparedAnswer{There: true, Took: a.Took, Status: a.Status, None: a.None, Error: a.Message.Kind == wire.MsgError}
	_, out.Failed = a.Failed(method)
	body := a.Message.Result
	if out.Error {
		body = a.Message.Error
	}
	if out.Cut = len(body) > maxAnswer || len(body) > c.room; !out.Cut {
		out.Body = bytes.Clone(body)
		c.room -= len(body)
	}
	return out
}

// finish puts the calls into the order of the report: answers come in another.
func (c *comparing) finish(r *replay.Report) *ui.Comparison {
	ordered := make([]ui.ComparedCall, 0, len(c.out.Calls))
	for i := range r.Outcomes {
		k := key{r.Outcomes[i].Frame, r.Outcomes[i].Other, r.Outcomes[i].Label}
		if left := c.at[k]; len(left) > 0 {
			ordered = append(ordered, c.out.Calls[left[0]])
			c.at[k] = left[1:]
		}
	}
	c.out.Calls = ordered
	c.out.Remarks, c.out.Handles = r.Remarks, r.Handles
	for _, p := range r.Problems {
		c.out.Problems = append(c.out.Problems, p.Text)
	}
	for _, f := range r.New {
		c.out.Problems = append(c.out.Problems, "new finding: "+f)
	}
	for _, f := range r.Gone {
		c.out.Remarks = append(c.out.Remarks, "finding gone: "+f)
	}
	return c.out
}
