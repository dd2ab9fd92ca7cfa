package diagnose

// Streak is how often something happened with the same outcome, one time after
// another: whether a client that repeats itself gets anywhere.
type Streak struct {
	Count  int      // how often, the last time included
	T      int64    // when it happened first
	LastT  int64    // when it happened last
	Frames []uint64 // where: the first time, and the latest ones

	outcome uint64
}

const (
	maxStreaks      = 1 << 11
	maxStreakFrames = 8
)

// Every is the mean time between two times, in nanoseconds; 0 for the first.
func (s *Streak) Every() int64 {
	if s.Count < 2 {
		return 0
	}
	return (s.LastT - s.T) / int64(s.Count-1)
}

// streaks are those that a checker knows: the latest maxStreaks that began.
type streaks struct {
	byKey map[streakKey]*Streak
	order []streakKey // a ring
	next  int
}

// streakKey is what was repeated, as a rule counts it.
type streakKey struct {
	rule    *Rule
	session int
	what    uint64
}

// Again counts that something happened in a session, -1 for any, at the frame and time
// of the case: what names it, like the hash of a method and its parameters, outcome
// what came of it. A streak ends with another outcome, and with Progress. It belongs to
// the rule in hand, and changes with the next call.
func (c *Case) Again(session int, what, outcome uint64) *Streak {
	k := streakKey{c.asked.Rule, session, what}
	all := &c.checker.streaks
	s := all.byKey[k]
	switch {
	case s == nil:
		s = all.begin(k)
		fallthrough
	case s.outcome != outcome:
		*s = Streak{T: c.T, outcome: outcome, Frames: s.Frames[:0]}
	case len(s.Frames) == maxStreakFrames:
		s.Frames = append(s.Frames[:1], s.Frames[2:]...)
	}
	s.Count, s.LastT, s.Frames = s.Count+1, c.T, append(s.Frames, c.N)
	return s
}

// Progress ends a streak.
func (c *Case) Progress(session int, what uint64) {
	if s := c.checker.streaks.byKey[streakKey{c.asked.Rule, session, what}]; s != nil {
		*s = Streak{Frames: s.Frames[:0]}
	}
}

// begin makes room for a streak.
func (all *streaks) begin(k streakKey) *Streak {
	if all.byKey == nil {
		all.byKey = map[streakKey]*Streak{}
	}
	if len(all.order) < maxStreaks {
		all.order = append(all.order, k)
	} else {
		delete(all.byKey, all.order[all.next])
		all.order[all.next] = k
		all.next = (all.next + 1) % maxStreaks
	}
	s := &Streak{}
	all.byKey[k] = s
	return s
}
