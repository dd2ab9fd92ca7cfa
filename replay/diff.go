package replay

import (
	"fmt"

	"midwire/session"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
)

// DiffOptions say what of two recordings to compare.
type DiffOptions struct {
	// A and B are indexes of sessions, compared in pairs; none means all but
	// probes, each with the one most like it.
	A, B  []int
	Masks Masks
	Slow  Slow
	Keep  int // how many bytes of responses the report keeps
}

// Diff compares two recorded sessions call by call.
func Diff(a, b *Script, opt DiffOptions) (*Report, error) {
	left, err := a.Choose(opt.A)
	if err != nil {
		return nil, err
	}
	right, err := b.Choose(opt.B)
	if err != nil {
		return nil, err
	}
	d := diff{a: a, b: b, opt: opt, Report: NewReport(a, opt.Keep)}
	d.Other, d.Remarks = []string{b.Path}, append(d.Remarks, b.Remarks...)
	d.opt.Masks.Handles = d.Handles
	if d.plan, err = a.Plan(PlanOptions{Sessions: left}); err != nil {
		return nil, err
	}
	if len(opt.B) == 0 && len(opt.A) == 0 {
		right = a.pairSessions(b, left, right)
	}
	calls, others := a.bySession(), b.bySession()
	for i := range max(len(left), len(right)) {
		var x, y []int32
		if i < len(left) {
			x = calls[left[i]]
		}
		if i < len(right) && right[i] >= 0 {
			y = others[right[i]]
		}
		d.session(x, y)
	}
	for _, s := range []*Script{a, b} {
		if s.Cut {
			d.AddProblem(-1, fmt.Sprintf("only the first %d messages of %s are compared", maxRows, s.Path))
		}
	}
	return d.Report, nil
}

// Choose returns the chosen sessions, or all but probes.
func (s *Script) Choose(some []int) ([]int, error) {
	for _, i := range some {
		if i < 0 || i >= len(s.Sessions) {
			return nil, fmt.Errorf("session %d: %s has %d; midwire show lists them", i+1, s.Path, len(s.Sessions))
		}
	}
	if len(some) > 0 {
		return some, nil
	}
	for i := range s.Sessions {
		if !s.Sessions[i].Probe || len(s.Sessions) == 1 {
			some = append(some, i)
		}
	}
	return some, nil
}

// pairSessions puts the sessions of b in the order of those of a that they are
// meant to be: sessions that ran at the same time may have begun in any order.
// -1 stands for none; those that are left over come last.
func (s *Script) pairSessions(b *Script, left, right []int) []int {
	// What has to be equal, less and less of it.
	type likeness struct {
		client   session.Peer
		version  mcp.Version
		endpoint string
		modern   bool
	}
	like := func(level int, x *Session) likeness {
		switch level {
		case 0:
			return likeness{client: x.Client, version: x.ProtocolVersion, endpoint: x.Endpoint}
		case 1:
			return likeness{client: session.Peer{Name: x.Client.Name}, modern: x.Modern}
		}
		return likeness{}
	}
	found := pairUp(3, len(left), len(right),
		func(level, i int) likeness { return like(level, &s.Sessions[left[i]]) },
		func(level, j int) likeness { return like(level, &b.Sessions[right[j]]) })
	taken := make([]bool, len(right))
	pairs := make([]int, len(left))
	for i, j := range found {
		if pairs[i] = -1; j >= 0 {
			pairs[i], taken[j] = right[j], true
		}
	}
	for j, at := range right {
		if !taken[j] {
			pairs = append(pairs, at)
		}
	}
	return pairs
}

func (s *Script) bySession() [][]int32 {
	all := make([][]int32, len(s.Sessions))
	for i := range s.Calls {
		at := s.SessionOf(int32(i))
		all[at] = append(all[at], int32(i))
	}
	return all
}

type diff struct {
	*Report
	a, b *Script
	opt  DiffOptions
	plan *Plan
}

func (d *diff) session(x, y []int32) {
	pairs := align(d.a, d.b, x, y)
	for i, call := range x {
		other := pairs[i]
		if other < 0 {
			d.addUnmatched(d.a, call, Missing)
			continue
		}
		d.pair(call, other)
	}
	paired := map[int32]bool{}
	for _, o := range pairs {
		paired[o] = true
	}
	for _, call := range y {
		if !paired[call] {
			d.addUnmatched(d.b, call, Extra)
		}
	}
}

// addUnmatched adds a call that only one side has.
func (d *diff) addUnmatched(s *Script, call int32, v Verdict) {
	o := s.Outcome(call)
	o.Verdict = v
	if s == d.a {
		o.Was = s.Recorded(call)
	} else {
		o.Frame, o.Other, o.Now = 0, o.Frame, s.Recorded(call)
	}
	d.Add(&o)
}

func (d *diff) pair(call, other int32) {
	was, now := d.responses(call, other)
	if len(d.plan.from[call]) > 0 {
		if raw, err := d.b.RawResponse(other); err == nil {
			d.plan.Learn(call, "", raw, d.Handles)
		}
	}
	o := d.plan.Outcome(call)
	o.Other = d.b.CallRow(other).Request
	d.opt.Masks.Compare(&o, &was, &now, d.opt.Slow)
	d.Add(&o)
}

// responses are those to two calls. Of ones that are too long to be held beside
// each other only their hashes are compared.
func (d *diff) responses(call, other int32) (was, now Response) {
	was = d.a.Recorded(call)
	if int(d.a.CallRow(call).RLen)+int(d.b.CallRow(other).RLen) <= maxHeld {
		return was, d.b.Recorded(other)
	}
	was.digest()
	now = d.b.Recorded(other)
	now.digest()
	return was, now
}

// maxHeld is how long two responses may be, in bytes, to be in memory together.
const maxHeld = 192 << 20

// digest puts a hash instead of the body, whose memory it leaves.
func (r *Response) digest() {
	if r.Body != nil {
		r.Body = jsonpath.Quote(nil, digest(r.Body))
	}
}
