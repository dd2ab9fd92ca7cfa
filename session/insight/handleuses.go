package insight

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/handle"
)

// Use is one place where a handle stood, or was to stand.
type Use struct {
	N       uint64
	T       int64
	Session int
	What    string // method and target of the message, or words
	Place   string // path in the payload, or the name of a header
	Crossed bool
	LeftOut bool           // the message does not carry the handle, and should
	Ending  session.Ending // of what it was used for; NoEnding where it was issued, or left out
	Blamed  bool           // the error speaks of the handle
}

// SameOutcome reports whether two uses had the same outcome.
func (u *Use) SameOutcome(o *Use) bool {
	return u.Ending.Word() == o.Ending.Word() && u.Blamed == o.Blamed && u.LeftOut == o.LeftOut
}

// Worked reports whether the response shows that the other side took the handle.
func (u *Use) Worked() bool { return u.Ending == session.Served || u.Ending == session.Late }

// Locate is where the value of a use stands in the payload of its message, without
// quotes; false for one in a header or a URL, and where it is not.
func (u *Use) Locate(payload []byte, value string) (from, to int, ok bool) {
	return handle.Find(payload, u.Place, value)
}

const (
	// FirstUses is the number of first uses kept of a handle with many.
	FirstUses = 24
	lastUses  = 40
)

// useOf is a use whose outcome is not known.
type useOf struct {
	h *Handle
	u *Use
}

// note adds a use and returns it.
func (h *Handle) note(u Use) *Use {
	if u.LeftOut {
		h.LeftOut++
	} else {
		h.Times++
		h.Latest = u.N
		u.Ending = session.Waiting
	}
	if u.Crossed {
		h.Crossed++
	}
	if n := len(h.uses); n > 0 && h.uses[n-1].N == u.N && h.uses[n-1].Place == u.Place {
		return &u
	}
	u.Place = clip(u.Place, 200)
	h.uses = append(h.uses, &u)
	if at := FirstUses; len(h.uses) > FirstUses+lastUses {
		if h.uses[at] == h.good {
			at++
		}
		h.uses = slices.Delete(h.uses, at, at+1)
		h.Between++
	}
	return &u
}

// settle notes the outcome of a use, once; blamed means that the error mentions the
// handle.
func (x useOf) settle(how session.Ending, blamed bool) {
	if !x.u.Ending.Open() {
		return
	}
	x.u.Ending, x.u.Blamed = how, blamed
	switch {
	case blamed:
		x.h.Refused++
	case how.Bad():
		x.h.Failed++
	default:
		x.h.Worked++
		if x.h.good == nil || x.u.N > x.h.good.N {
			x.h.good = x.u
		}
	}
}

// maxBlame is how many bytes of an error are looked through.
const maxBlame = 16 << 10

// blamed reports whether an error refuses the handle, or fails for another reason.
func (x useOf) blamed(text []byte) bool {
	return handle.Blamed(string(text[:min(len(text), maxBlame)]), x.h.Value, x.h.Name, x.h.Kind)
}

// settle notes the outcome of every handle in a call's params; said is the response.
func (c *call) settle(how session.Ending, said []byte) {
	for _, one := range c.uses {
		one.settle(how, how.Bad() && said != nil && one.blamed(said))
	}
}

// copied is the handle as it is now.
func (h *Handle) copied() Handle {
	one := *h
	one.uses, one.good = nil, nil
	one.Uses = make([]Use, len(h.uses))
	for i, u := range h.uses {
		one.Uses[i] = *u
	}
	slices.SortStableFunc(one.Uses, func(a, b Use) int { return cmp.Compare(a.N, b.N) })
	return one
}

// Bad returns the number of failed uses.
func (h *Handle) Bad() int { return h.Refused + h.Failed }

// Break is where a handle stopped working: the last use that worked, or the
// message that issued it where none did, and the first after it that did not.
// It is false for a handle that worked to its end.
func (h *Handle) Break() (good, bad Use, ok bool) {
	good = h.From
	at := 0
	for i := range h.Uses {
		if h.Uses[i].Worked() {
			good, at = h.Uses[i], i+1
		}
	}
	for _, u := range h.Uses[at:] {
		if u.Ending.Bad() {
			return good, u, true
		}
	}
	return Use{}, Use{}, false
}

// Sessions are those that a handle went through, in order: where it was issued,
// then where it was used.
func (h *Handle) Sessions() []int {
	var out []int
	add := func(session int) {
		if session >= 0 && !slices.Contains(out, session) {
			out = append(out, session)
		}
	}
	if h.From.N != 0 {
		add(h.From.Session)
	}
	for i := range h.Uses {
		add(h.Uses[i].Session)
	}
	return out
}

// Held is a handle in a message: the number of the handle in a list, and of its
// use, -1 where the message issues it.
type Held struct{ Handle, Use int }

// ByFrame says which handles the messages hold, by frame and in the order of
// the list. A message that left a handle out does not hold it.
func ByFrame(all []Handle) map[uint64][]Held {
	out := map[uint64][]Held{}
	for i := range all {
		h := &all[i]
		if h.From.N != 0 {
			out[h.From.N] = append(out[h.From.N], Held{i, -1})
		}
		for k := range h.Uses {
			if u := &h.Uses[k]; !u.LeftOut {
				out[u.N] = append(out[u.N], Held{i, k})
			}
		}
	}
	return out
}
