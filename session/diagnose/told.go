package diagnose

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/evidence"
)

// Told takes what asking a server again came to, in place of what was told before.
func (c *Checker) Told(all []evidence.Again) {
	slices.SortFunc(all, func(a, b evidence.Again) int { return cmp.Compare(a.N, b.N) })
	if !slices.Equal(c.news, all) {
		c.news = all
		c.changes++
	}
}

// again is what was told of the requests of a session.
func (c *Checker) again(s *session.Session) (all []evidence.Again) {
	for _, one := range c.news {
		if i := c.tracker.RowAt(one.N); i >= 0 && int(c.tracker.Row(i).Session) == s.Index {
			all = append(all, one)
		}
	}
	return all
}
