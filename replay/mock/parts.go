package mock

import (
	"cmp"
	"slices"

	"midwire/replay"
)

// parts are the messages of a recorded server beside its responses, by the call
// that they belong to.
type parts struct {
	during map[int32][]replay.Sent // before the response
	after  map[int32][]replay.Sent // behind it
}

// partsOf sorts the messages of a server by calls. One that has none is sent
// behind the call of its session that came before it.
func partsOf(s *replay.Script) parts {
	all := parts{map[int32][]replay.Sent{}, map[int32][]replay.Sent{}}
	calls := make(map[int32][]int32, len(s.Sessions)) // by session
	for i := range s.Calls {
		at := s.SessionOf(int32(i))
		calls[at] = append(calls[at], int32(i))
	}
	began := func(call int32) uint32 { return s.CallRow(call).Request }
	for _, some := range calls {
		slices.SortStableFunc(some, func(a, b int32) int { return cmp.Compare(began(a), began(b)) })
	}
	byFrame := func(call int32, frame uint32) int { return cmp.Compare(began(call), frame) }
	for _, m := range slices.Concat(s.ServerRequests, s.Notifications) {
		sent, call := s.Row(m.Row).Request, m.Call
		if call >= 0 {
			if end := s.CallRow(call).Response; end == 0 || sent < end {
				all.during[call] = append(all.during[call], m)
				continue
			}
		} else if n, _ := slices.BinarySearchFunc(calls[m.Session], sent, byFrame); n > 0 {
			call = calls[m.Session][n-1]
		}
		if call >= 0 {
			all.after[call] = append(all.after[call], m)
		}
	}
	for _, some := range all.during {
		slices.SortFunc(some, func(a, b replay.Sent) int { return int(a.Row) - int(b.Row) })
	}
	return all
}
