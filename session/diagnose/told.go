package diagnose

import (
	"sort"
	"strconv"
)

// Told adds what asking a server again about the request of a frame came to: that is certain.
// The findings about that request that are not follow from it: they are its consequence, or
// withdrawn. What was told of the frame before is replaced. r is a rule with Proof.
func (c *Checker) Told(r *Rule, n uint64, says string, side Side) {
	t := c.tracker
	f := Finding{
		Rule: r, Severity: r.Severity, Confidence: Certain, Side: side, Tap: t.Tap(), Session: -1,
		Frames: []uint64{n}, Message: says, key: strconv.FormatUint(n, 10),
	}
	for _, one := range r.Help().Remedies {
		if one.Side == side {
			f.Remedies = append(f.Remedies, one)
		}
	}
	i := sort.Search(t.Rows(), func(i int) bool { return uint64(t.Row(i).Request) >= n })
	if i < t.Rows() && uint64(t.Row(i).Request) == n {
		f.Session, f.T = int(t.Row(i).Session), t.Row(i).T
	}
	if old := c.byKey[findingKey{r, f.Tap, f.Session, f.key}]; old == nil {
		c.add(f)
	} else if old.Message != says || old.Side != side {
		old.Message, old.Side = says, side
		c.changes++
	}
}
