package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// DiffOptions say what of two recordings to compare.
type DiffOptions struct {
	// A and B are indexes of sessions, compared in pairs; none means all but
	// probes, each with the one most like it.
	A, B  []int
	Masks Masks
	Slow  Slow
	Seen  func(o *Outcome, was, now *Answer) // as in Options
}

// Diff compares two recorded sessions call by call.
func Diff(a, b *Script, opt DiffOptions) (*Report, error) {
	left, err := a.choose(opt.A)
	if err != nil {
		return nil, err
	}
	right, err := b.choose(opt.B)
	if err != nil {
		return nil, err
	}
	d := diff{a: a, b: b, opt: opt, Report: &Report{Recording: a.Path, Other: []string{b.Path}, Remarks: append(a.Remarks[:len(a.Remarks):len(a.Remarks)], b.Remarks...)}}
	d.Handles = map[string]string{}
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
	return d.Report, nil
}

// choose returns the chosen sessions, or all but probes.
func (s *Script) choose(some []int) ([]int, error) {
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
		revision mcp.Version
		endpoint string
		modern   bool
	}
	like := func(level int, x *Session) likeness {
		switch level {
		case 0:
			return likeness{client: x.Client, revision: x.ProtocolVersion, endpoint: x.Endpoint}
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

// pairUp finds for each of n things the first of m others that has the same key
// and is not taken yet, on the first level first; -1 for none. It asks for each
// key once a level.
func pairUp[K comparable](levels, n, m int, key, other func(level, i int) K) []int {
	pairs, taken := make([]int, n), make([]bool, m)
	for i := range pairs {
		pairs[i] = -1
	}
	for level := range levels {
		waiting := map[K][]int{}
		for j := range m {
			if !taken[j] {
				k := other(level, j)
				waiting[k] = append(waiting[k], j)
			}
		}
		for i := range pairs {
			if pairs[i] >= 0 || len(waiting) == 0 {
				continue
			}
			k := key(level, i)
			if q := waiting[k]; len(q) > 0 {
				pairs[i], taken[q[0]], waiting[k] = q[0], true, q[1:]
			}
		}
	}
	return pairs
}

// bySession returns the calls of each session.
func (s *Script) bySession() [][]int32 {
	all := make([][]int32, len(s.Sessions))
	for i := range s.Calls {
		at := s.Steps[s.Calls[i].Step].Session
		all[at] = append(all[at], int32(i))
	}
	return all
}

// diff is a comparison under way.
type diff struct {
	*Report
	a, b *Script
	opt  DiffOptions
	plan *Plan
}

// session compares the calls of two sessions.
func (d *diff) session(x, y []int32) {
	pairs := align(d.a, d.b, x, y)
	for i, call := range x {
		other := pairs[i]
		if other < 0 {
			d.alone(d.a, call, Missing)
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
			d.alone(d.b, call, Extra)
		}
	}
}

// alone adds a call that only one side has.
func (d *diff) alone(s *Script, call int32, v Verdict) {
	o, a := d.one(s, call, v), s.recorded(call)
	d.add(o)
	switch {
	case d.opt.Seen == nil:
	case s == d.a:
		d.opt.Seen(&o, &a, nil)
	default:
		d.opt.Seen(&o, nil, &a)
	}
}

func (d *diff) one(s *Script, call int32, v Verdict) Outcome {
	row := s.row(s.Calls[call].Row)
	method, target := s.Method(call), s.target(call)
	o := Outcome{Session: int(row.Session) + 1, Label: labelOf(method, target), Method: method, Target: target, Verdict: v}
	if s == d.b {
		o.Other = row.Request
	} else {
		o.Frame = row.Request
	}
	return o
}

func (d *diff) pair(call, other int32) {
	was, now := d.answers(call, other)
	if len(d.plan.from[call]) > 0 {
		if raw, err := d.b.answerBytes(other); err == nil {
			d.plan.handedOut(call, raw, func(i int32, now string) { d.opt.Masks.Handles[d.plan.Sources[i].Was] = now })
		}
	}
	o := d.one(d.a, call, Same)
	o.Other = d.b.row(d.b.Calls[other].Row).Request
	o.Was, o.Now = was.Took, now.Took
	j := d.opt.Masks.compare(o.Method, o.Target, &was, &now, d.opt.Slow)
	o.Verdict, o.Changes, o.Note, o.Slower = j.verdict, j.changes, j.note, j.slower
	d.add(o)
	if d.opt.Seen != nil {
		d.opt.Seen(&o, &was, &now)
	}
}

// answers are those to two calls. Of ones that are too long to be held beside
// each other only their hashes are compared.
func (d *diff) answers(call, other int32) (was, now Answer) {
	if d.a.answerSize(call)+d.b.answerSize(other) <= maxHeld {
		return d.a.recorded(call), d.b.recorded(other)
	}
	return d.a.digested(call), d.b.digested(other)
}

// maxHeld is how long two answers may be, in bytes, to be in memory together.
const maxHeld = 192 << 20

// answerSize is how long the answer to a call is, in bytes.
func (s *Script) answerSize(call int32) int { return int(s.row(s.Calls[call].Row).RLen) }

// digested is the answer to a call with hashes in the place of its content.
func (s *Script) digested(call int32) Answer {
	a := s.recorded(call)
	digest := func(raw []byte) []byte {
		if raw == nil {
			return nil
		}
		return fmt.Appendf(nil, `"%d bytes with the hash %016x"`, len(raw), wire.Hash(raw))
	}
	m := &a.Message
	a.Message = wire.Message{Kind: m.Kind, ID: bytes.Clone(m.ID), Result: digest(m.Result), Error: digest(m.Error)}
	return a
}

// align finds for each call of x the one of y that is meant to be the same, -1
// for none: of those not taken yet the first that asks exactly the same, else
// the first that asks the same but for handles, else the first about the same
// thing.
func align(a, b *Script, x, y []int32) []int32 {
	pairs := make([]int32, len(x))
	found := pairUp(int(sameThing)+1, len(x), len(y),
		func(level, i int) uint64 { return a.key(x[i], sameness(level)) },
		func(level, j int) uint64 { return b.key(y[j], sameness(level)) })
	for i, j := range found {
		if pairs[i] = -1; j >= 0 {
			pairs[i] = y[j]
		}
	}
	return pairs
}

// sameness says how much alike two requests are.
type sameness int

const (
	sameExactly sameness = iota // but for _meta
	sameMasked                  // but for values that look like handles
	sameThing                   // the same method about the same tool
)

// key is equal for requests that are that much alike.
func (s *Script) key(call int32, level sameness) uint64 {
	m, err := s.request(call)
	if err != nil {
		return 0
	}
	return keyOf(&m, level)
}

func keyOf(m *wire.Message, level sameness) uint64 {
	method := string(m.Method)
	return hash(method + "\x00" + requestKey(method, m.Params, level))
}

// requestKey is the part of a key that the parameters make.
func requestKey(method string, params []byte, level sameness) string {
	if level == sameThing || method == mcp.Initialize || method == mcp.Discover {
		return targetOf(method, params)
	}
	if len(params) > maxDecoded {
		if level == sameMasked {
			return targetOf(method, params)
		}
		return strconv.FormatUint(wire.Hash(params), 16)
	}
	v := decode(params)
	if o, ok := v.(map[string]any); ok {
		delete(o, "_meta")
		if len(o) == 0 {
			return ""
		}
	}
	if params == nil {
		return ""
	}
	if level == sameMasked {
		v = maskAll(v)
	}
	text, _ := json.Marshal(v) // it was decoded from JSON; members come out sorted
	return string(text)
}

// maskAll masks the strings of a value.
func maskAll(v any) any {
	switch v := v.(type) {
	case string:
		return mask(v)
	case []any:
		for i := range v {
			v[i] = maskAll(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = maskAll(v[k])
		}
	}
	return v
}
