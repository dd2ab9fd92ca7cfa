package insight

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/handle"
	"midwire/session/wire"
)

// Use is one place where a handle stood, or was to stand.
type Use struct {
	N       uint64
	T       int64
	Session int
	What    string // method and target of the message, or words
	Place   string // path in the payload, or the name of a header
	Crossed bool
	Outcome Outcome // of where it was issued: Unanswered
}

// In is where the value of a use stands in the payload of its message, without
// quotes; false for one in a header or a URL, and where it is not.
func (u *Use) In(payload []byte, value string) (from, to int, ok bool) {
	return handle.Find(payload, u.Place, value)
}

// Outcome is what came of a use.
type Outcome uint8

// The outcomes.
const (
	Unanswered Outcome = iota // there is no response, or none yet
	Worked                    // the response is a result
	Refused                   // it is an error that speaks of the handle
	Failed                    // it is an error that does not say whether it is because of the handle
	LeftOut                   // the message does not carry the handle, and should
)

// Bad says whether a use did not work.
func (o Outcome) Bad() bool { return o == Refused || o == Failed }

const (
	// FirstUses is how many of the first uses are kept of a handle that has many.
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
	if u.Outcome == LeftOut {
		h.LeftOut++
	} else {
		h.Times++
		h.Latest = u.N
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

// settle notes what came of a use, once.
func (x useOf) settle(o Outcome) {
	if x.u.Outcome != Unanswered {
		return
	}
	switch x.u.Outcome = o; o {
	case Worked:
		x.h.Worked++
		if x.h.good == nil || x.u.N > x.h.good.N {
			x.h.good = x.u
		}
	case Refused:
		x.h.Refused++
	case Failed:
		x.h.Failed++
	}
}

// maxBlame is how many bytes of an error are looked through.
const maxBlame = 16 << 10

// blame says whether an error refuses the handle, or fails for another reason.
func (x useOf) blame(text []byte) Outcome {
	if handle.Blamed(string(text[:min(len(text), maxBlame)]), x.h.Value, x.h.Name, x.h.Kind) {
		return Refused
	}
	return Failed
}

// responded settles what the params of a call used.
func (c *call) responded(e *session.Event) {
	for _, one := range c.uses {
		switch m := &e.Message; {
		case m.Kind == wire.MsgError:
			one.settle(one.blame(m.Error))
		case string(wire.Get(m.Result, "isError")) == "true":
			one.settle(one.blame(m.Result))
		default:
			one.settle(Worked)
		}
	}
}

// refused settles what a call used that HTTP refused.
func (c *call) refused() {
	for _, one := range c.uses {
		one.settle(Failed)
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

// Bad is how many uses did not work.
func (h *Handle) Bad() int { return h.Refused + h.Failed }

// Break is where a handle stopped working: the last use that worked, or the
// message that issued it where none did, and the first after it that did not.
// It is false for a handle that worked to its end.
func (h *Handle) Break() (good, bad Use, ok bool) {
	good = h.From
	at := 0
	for i := range h.Uses {
		if h.Uses[i].Outcome == Worked {
			good, at = h.Uses[i], i+1
		}
	}
	for _, u := range h.Uses[at:] {
		if u.Outcome.Bad() {
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
			if u := &h.Uses[k]; u.Outcome != LeftOut {
				out[u.N] = append(out[u.N], Held{i, k})
			}
		}
	}
	return out
}
