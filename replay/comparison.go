package replay

import (
	"slices"
	"time"
)

// Comparison is a report as the screen shows it: no one changes it.
type Comparison struct {
	First, Second string // ids of recordings; "" when there is none
	// FirstSession is the index of the first one where that was not named, but found. The
	// Problems then say what sets the second apart, and are the first to be read.
	FirstSession int
	Found        bool
	FirstName    string // what to call them
	SecondName   string
	Calls        []Outcome
	Problems     []string // what went otherwise and is no call
	Tries        []Tried  // the ways in which a server was asked again; the first is as recorded
	Remarks      []string
	Handles      map[string]string // recorded values and what stands for them
	Took         time.Duration
}

// Tried is a way in which a server was asked again, and the outcome. Its texts may hold what a peer
// said.
type Tried struct {
	Name, Answer  string // the last answer
	Served, Times int
}

// Comparison returns what the report says. Recordings and their names are the
// caller's to fill in. The two share their memory.
func (r *Report) Comparison() *Comparison {
	c := &Comparison{Calls: r.Outcomes, Remarks: slices.Clip(r.Remarks), Handles: r.Handles}
	for _, p := range r.Problems {
		c.Problems = append(c.Problems, p.Text)
	}
	for _, f := range r.New {
		c.Problems = append(c.Problems, "new finding: "+f)
	}
	for _, f := range r.Gone {
		c.Remarks = append(c.Remarks, "finding resolved: "+f)
	}
	return c
}

// Counts is how many calls came to each verdict.
func (c *Comparison) Counts() [Verdicts]int { return counts(c.Calls) }

// Tally is how many calls became worse, better or otherwise different.
type Tally struct{ Broken, Fixed, Changed, Same int }

// Tally counts what came of the calls.
func (c *Comparison) Tally() Tally {
	n := c.Counts()
	return Tally{n[Broken], n[Fixed], n[Changed] + n[Slower] + n[Missing] + n[Extra], n[Same]}
}

// Lines lays the two responses to a call side by side. It is false when they
// were too long to be kept.
func (c *Comparison) Lines(call int) ([]Line, bool) {
	o := &c.Calls[call]
	if o.Was.Cut || o.Now.Cut {
		return nil, false
	}
	masks := Masks{Handles: c.Handles}
	return masks.Lines(o, &o.Was, &o.Now), true
}

// Progress is how far a replay is.
type Progress struct{ Done, All int }
