package term

// Profile counts what happens over time in a fixed number of slots, which get wider as
// time goes on. NewProfile makes one.
type Profile struct {
	unit  int64 // of a slot, in nanoseconds
	slots []Slot
}

// NewProfile makes one of so many slots, an even number.
func NewProfile(slots int) Profile { return Profile{1, make([]Slot, slots)} }

// At is the place of the slot of a moment, in nanoseconds since the first.
func (p *Profile) At(t int64) int {
	n := len(p.slots)
	for t = max(t, 0); t/p.unit >= int64(n); p.unit *= 2 {
		copy(p.slots, Fold(p.slots, n/2))
		clear(p.slots[n/2:])
	}
	return int(t / p.unit)
}

// Add counts n things of a moment, some of which failed, or none.
func (p *Profile) Add(t int64, n int, failed bool) {
	s := &p.slots[p.At(t)]
	s.N, s.Failed = s.N+n, s.Failed || failed
}

// Until are the slots up to a moment.
func (p *Profile) Until(t int64) []Slot { return p.slots[:p.At(t)+1] }
