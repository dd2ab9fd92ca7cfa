package contrast

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"midwire/replay"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/library"
)

// Options say what to compare. The zero value is the first failed session of a
// recording with the good ones that are nearest in time.
type Options struct {
	Session int    // of the recording, from 1; 0 is the first that failed
	With    string // file of the one recording to compare with, "" for all of the folder
	Most    int    // how many good sessions to read, 0 is 15
	// Seen, when set, is called as the recordings of the folder are looked through.
	Seen func(done, all int)
}

// Difference is something that is so in the session that failed, and in good ones is
// not, or the other way round. Its texts may hold what a peer said.
type Difference struct {
	What  string  `json:"what"`
	Here  string  `json:"here"`            // what is so in the session that failed, "" for nothing
	Good  string  `json:"good"`            // and in the good ones that differ
	Count int     `json:"count"`           // good sessions that differ
	Alike int     `json:"alike,omitempty"` // other sessions that failed by the same cause, and have it too
	score float64 // presence in the bad × absence in the good × weight
	kind  kind
}

// Call is a call that came to something else in the good session that is nearest.
type Call struct {
	Frame   uint32 `json:"frame,omitempty"`       // in the session that failed
	Other   uint32 `json:"other_frame,omitempty"` // in the good one
	Label   string `json:"label"`
	Verdict string `json:"verdict"`
	Note    string `json:"note,omitempty"`
}

// Result is what sets a session that failed apart.
type Result struct {
	Bad         *Session     `json:"session"`
	Call        string       `json:"call,omitempty"` // the call that failed
	Frame       uint32       `json:"frame,omitempty"`
	Good        []*Session   `json:"good"` // the nearest first
	Common      string       `json:"common"`
	Differences []Difference `json:"differences"` // the likeliest first, at most five
	Calls       []Call       `json:"calls,omitempty"`
	More        int          `json:"more_calls,omitempty"`
	Since       *Since       `json:"since,omitempty"`
}

// ErrNothingGood says that there is no session to compare with.
type ErrNothingGood struct{ Bad *Session }

func (e *ErrNothingGood) Error() string {
	return fmt.Sprintf("no session of this client or server was served in full, to compare session %d of %s with. "+
		"Record one, or name it: midwire compare REC --with GOOD", e.Bad.Session, e.Bad.Recording)
}

// Run compares a session of the recording in a file with good sessions of the folder dir.
func Run(ctx context.Context, dir, file string, opt Options) (*Result, error) {
	all, err := read(ctx, dir, opt.Seen)
	if err != nil {
		return nil, err
	}
	for _, path := range [...]string{file, opt.With} {
		if err := all.addFile(ctx, path); err != nil {
			return nil, err
		}
	}
	bad, err := all.find(file, opt.Session)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	pool := all
	if opt.With != "" {
		pool = slices.DeleteFunc(slices.Clone(all), func(s Session) bool { return s.path != opt.With })
		for i := range pool {
			pool[i].copied, pool[i].tries = false, false
		}
	}
	good, common := pool.good(bad, cmp.Or(opt.Most, 15))
	if len(good) == 0 && opt.With != "" {
		for i := range pool {
			good = append(good, &pool[i]) // which was named on purpose
		}
	}
	if len(good) == 0 {
		return nil, &ErrNothingGood{bad}
	}
	r := &Result{Bad: bad, Good: good, Common: common.String(), Since: all.searchBack(bad), Differences: []Difference{}}
	c := comparison{ctx: ctx, r: r}
	return r, c.run(all.sameFailures(bad))
}

type comparison struct {
	ctx   context.Context
	r     *Result
	label string // of the call that failed, "" for none
	nth   int    // of that label in its session
	bad   facts
	good  []facts
	alike []facts
}

func (c *comparison) run(alike []*Session) error {
	s, err := replay.Load(c.r.Bad.path)
	if err != nil {
		return err
	}
	defer s.Close()
	at, near := c.r.Bad.sum.Index, c.r.Good[0]
	var broken []uint32 // requests that were served in the good session that is nearest
	err = c.read(near, func(x *replay.Script) (err error) {
		broken, err = c.calls(s, x, at, near.sum.Index)
		return err
	})
	if err == nil {
		err = c.aim(s, broken)
	}
	if err != nil {
		return err
	}
	c.bad = gather(s, at, c.label, c.nth)
	for _, some := range [...]struct {
		of   []*Session
		into *[]facts
	}{{c.r.Good, &c.good}, {alike, &c.alike}} {
		for _, one := range some.of {
			err := c.read(one, func(x *replay.Script) error {
				*some.into = append(*some.into, gather(x, one.sum.Index, c.label, c.nth))
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	c.rank()
	return nil
}

func (c *comparison) read(s *Session, use func(*replay.Script) error) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	x, err := replay.Load(s.path)
	if err != nil {
		return err
	}
	defer x.Close()
	return use(x)
}

// aim finds the call that failed: one that the cause is about, or else the first. Those
// that were served in the good session go before others: a login starts with a 401.
func (c *comparison) aim(s *replay.Script, broken []uint32) error {
	checked, err := library.CheckUntil(c.ctx, []string{c.r.Bad.path}, rules.All(), nil)
	if err != nil {
		return err
	}
	at, best, least := c.r.Bad.sum.Index, int32(-1), 3
	take := func(call int32, rank int) {
		if !slices.Contains(broken, s.CallRow(call).Request) {
			rank += 2
		}
		if rank < least || best < 0 {
			best, least = call, rank
		}
	}
	if v := checked[0].Verdicts; at < len(v) && v[at].Cause != nil {
		if call := failedCall(s, at, v[at].Cause); call >= 0 {
			take(call, 0)
		}
	}
	for i := range s.Calls {
		if call := int32(i); int(s.SessionOf(call)) == at && s.CallRow(call).Ending.Failed() {
			take(call, 1)
		}
	}
	if best < 0 {
		return nil
	}
	c.label = s.Label(best)
	c.r.Call, c.r.Frame = c.label, s.CallRow(best).Request
	for i := range best + 1 {
		if int(s.SessionOf(i)) == at && s.Label(i) == c.label {
			c.nth++
		}
	}
	return nil
}

// failedCall is the first call of a session that a finding is about and that failed, -1
// for none.
func failedCall(s *replay.Script, session int, f *diagnose.Finding) int32 {
	for _, n := range slices.Concat(f.Frames, f.About) {
		if call, ok := s.CallAt(n); ok && int(s.SessionOf(call)) == session && s.CallRow(call).Ending.Failed() {
			return call
		}
	}
	return -1
}

const maxCalls = 5

// calls compares the responses with those of a good session. It returns the requests that
// failed and in the good one did not.
func (c *comparison) calls(bad, good *replay.Script, at, other int) (broken []uint32, err error) {
	report, err := replay.Diff(good, bad, replay.DiffOptions{A: []int{other}, B: []int{at}})
	if err != nil {
		return nil, err
	}
	for i := range report.Outcomes {
		o := &report.Outcomes[i]
		if o.Verdict == replay.Broken {
			broken = append(broken, o.Other)
		} else if o.Verdict != replay.Changed {
			continue
		}
		if len(c.r.Calls) == maxCalls {
			c.r.More++
			continue
		}
		c.r.Calls = append(c.r.Calls, Call{o.Other, o.Frame, o.Label(), o.Verdict.String(), o.Summary()})
	}
	return broken, nil
}

const maxDifferences = 5

// rank sorts what differs by how much it sets the failed session apart.
func (c *comparison) rank() {
	names := map[fact]bool{}
	for f := range c.bad.is {
		names[f] = true
	}
	for _, g := range c.good {
		for f := range g.is {
			names[f] = true
		}
	}
	for f := range names {
		c.weigh(f)
	}
	for f, v := range c.bad.numbers {
		c.number(f, v)
	}
	all := c.r.Differences
	slices.SortFunc(all, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.kind, b.kind), cmp.Compare(a.What, b.What))
	})
	c.r.Differences = all[:min(len(all), maxDifferences)]
}

// weigh adds a fact if most of the good sessions differ in it.
func (c *comparison) weigh(f fact) {
	here := c.bad.is[f]
	count, values := 0, map[string]int{}
	for _, g := range c.good {
		if v := g.is[f]; v != here {
			count++
			values[v]++
		}
	}
	if 2*count <= len(c.good) || f.from != "" && !c.bad.served[f.from] {
		return
	}
	good := ""
	for v, n := range values {
		if n > values[good] || n == values[good] && v < good || values[good] == 0 {
			good = v
		}
	}
	d := Difference{What: f.name, Here: here, Good: good, Count: count, kind: f.kind}
	for _, b := range c.alike {
		if b.is[f] == here {
			d.Alike++
		}
	}
	c.add(&d)
}

func (c *comparison) add(d *Difference) {
	present := float64(d.Alike+1) / float64(len(c.alike)+1)
	d.score = present * float64(d.Count) / float64(len(c.good)) * d.kind.weight()
	c.r.Differences = append(c.r.Differences, *d)
}

// number adds a number that is far from those of all good sessions.
func (c *comparison) number(f fact, v float64) {
	var others []float64
	for _, g := range c.good {
		if o, ok := g.numbers[f]; ok {
			others = append(others, o)
		}
	}
	good, far := isOutlier(v, others)
	if !far || 2*len(others) <= len(c.good) {
		return
	}
	d := Difference{What: f.name, Here: plainNumber(v), Good: good, Count: len(others), kind: f.kind}
	for _, b := range c.alike {
		if o, ok := b.numbers[f]; ok {
			if _, far := isOutlier(o, others); far {
				d.Alike++
			}
		}
	}
	c.add(&d)
}
