package diagnose

import (
	"slices"
	"sort"
	"strconv"
)

// Told adds what asking a server again about the request of a frame came to: that is certain.
// The findings about that request that are not follow from it: they are its consequence, or
// withdrawn; those of the rules that it confirms are certain. What was told of the frame before
// is replaced. r is a rule with Proof; about are frames of what decided, besides the request.
func (c *Checker) Told(r *Rule, n uint64, says string, side Side, confirms []string, about ...uint64) {
	t := c.tracker
	f := Finding{
		Rule: r, Severity: r.Severity, Side: side, Session: -1,
		Frames: []uint64{n}, exchange: append(about, n), Message: says, key: strconv.FormatUint(n, 10),
	}
	for _, one := range r.Help().Remedies {
		if one.Side == side {
			f.Remedies = append(f.Remedies, one)
		}
	}
	i := sort.Search(t.Rows(), func(i int) bool { return uint64(t.Row(i).Request) >= n })
	if i < t.Rows() && uint64(t.Row(i).Request) == n {
		row := t.Row(i)
		f.Session, f.T = int(row.Session), row.T
		f.exchange = slices.Concat(f.exchange, []uint64{uint64(row.Response)}, c.ends.heads[row.X])
	}
	for _, g := range c.list {
		if !g.proven && slices.Contains(confirms, g.Rule.ID) && g.speaksOf(&f) {
			g.proven = true
			c.changes++
		}
	}
	if old := c.byKey[findingKey{r, f.Session, f.key}]; old == nil {
		c.add(f)
	} else if old.Message != says || old.Side != side {
		old.Message, old.Side = says, side
		c.changes++
	}
}

// speaksOf says whether a finding is about the request that proof was asked about.
func (f *Finding) speaksOf(proof *Finding) bool {
	return slices.ContainsFunc(proof.exchange, func(n uint64) bool {
		return n != 0 && (slices.Contains(f.Frames, n) || slices.Contains(f.About, n))
	})
}
