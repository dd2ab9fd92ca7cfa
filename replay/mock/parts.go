package mock

import (
	"cmp"
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
	frame := func(call int32) uint32 { return s.CallRow(call).Request }
	for _, some := range calls {
		slices.SortStableFunc(some, func(a, b int32) int { return cmp.Compare(frame(a), frame(b)) })
	}
	add := func(call, session int32, p part) {
		sent := s.Row(p.row).Request
		if call >= 0 {
			if end := s.CallRow(call).Response; end == 0 || sent < end {
				all.during[call] = append(all.during[call], p)
				return
			}
		} else {
			n, _ := slices.BinarySearchFunc(calls[session], sent, func(call int32, sent uint32) int { return cmp.Compare(frame(call), sent) })
			if n > 0 {
				call = calls[session][n-1]
			}
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
