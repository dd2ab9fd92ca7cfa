package mock

import (
	"slices"

	"midwire/replay"
)

// part is a message that the server sent beside responses.
type part struct {
	row     uint32
	request bool // it is a request of the server, else a notification
}

// parts are the messages of a recorded server beside its responses, by the call
// that they belong to.
type parts struct {
	during map[int32][]part // before the response
	after  map[int32][]part // behind it
}

// partsOf sorts the messages of a server by calls. One that has none is sent
// behind the call of its session that came before it.
func partsOf(s *replay.Script) parts {
	all := parts{map[int32][]part{}, map[int32][]part{}}
	calls := make(map[int32][]int32, len(s.Sessions)) // by session
	for i := range s.Calls {
		at := s.SessionOf(int32(i))
		calls[at] = append(calls[at], int32(i))
	}
	before := map[int32]latest{}
	for session, some := range calls {
		before[session] = newLatest(some, func(call int32) uint32 { return s.CallRow(call).Request })
	}
	add := func(call, session int32, p part) {
		sent := s.Row(p.row).Request
		if call >= 0 {
			if end := s.CallRow(call).Response; end == 0 || sent < end {
				all.during[call] = append(all.during[call], p)
				return
			}
		} else {
			call = before[session].before(sent)
		}
		if call >= 0 {
			all.after[call] = append(all.after[call], p)
		}
	}
	for _, r := range s.ServerRequests {
		add(r.Call, r.Session, part{r.Row, true})
	}
	for _, n := range s.Notifications {
		add(n.Call, n.Session, part{n.Row, false})
	}
	for _, some := range all.during {
		slices.SortFunc(some, func(a, b part) int { return int(a.row) - int(b.row) })
	}
	return all
}

// latest finds the last call that began before a frame.
type latest struct {
	frames []uint32 // in order
	calls  []int32  // the last of those up to the frame at the same place
}

// newLatest indexes calls by the frame that each begins with, for which it asks
// once.
func newLatest(calls []int32, frame func(call int32) uint32) latest {
	type begun struct {
		frame uint32
		call  int32
	}
	all := make([]begun, len(calls))
	for i, call := range calls {
		all[i] = begun{frame(call), call}
	}
	slices.SortFunc(all, func(a, b begun) int { return int(a.frame) - int(b.frame) })
	var l latest
	last := int32(-1)
	for _, b := range all {
		last = max(last, b.call)
		l.frames, l.calls = append(l.frames, b.frame), append(l.calls, last)
	}
	return l
}

// before returns the last call that began before a frame, -1 for none.
func (l latest) before(frame uint32) int32 {
	i, _ := slices.BinarySearch(l.frames, frame)
	if i == 0 {
		return -1
	}
	return l.calls[i-1]
}
