package library

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/wire"
)

// Leg is where a call of a flow is on the other side of a hub, which records its
// clients and each of its servers.
type Leg struct {
	Rec *Recording // nil for none
	Row int
	// Inner is the latency behind the hub, Outer that of the whole; 0 while it is
	// pending.
	Inner, Outer int64
}

// Frame is the one that begins the call there.
func (l Leg) Frame() uint64 { return uint64(l.Rec.Tracker.Row(l.Row).Request) }

// Names are those of the recording there and of what is called, "" for nothing.
func (l Leg) Names() (rec, target string) {
	rec, _, _ = strings.Cut(string(l.Rec.Name()), " · ")
	return rec, l.Rec.target(l.Row)
}

// maxBeside is how many rows that came while a call ran are looked at.
const maxBeside = 4096

// LegOf finds the call that row i of a recording is on the other side of its hub.
// Where several can be it, it is none.
func LegOf(all []*Recording, of *Recording, i int) (found Leg) {
	if of.Side == "" || of.Flow == "" || !isCall(of, i) {
		return Leg{}
	}
	best, several := 0, false
	take := func(in *Recording, at, n int) {
		if n > 0 && n == best {
			several = true
		} else if n > best {
			best, several, found = n, false, Leg{Rec: in, Row: at}
		}
	}
	row := of.Tracker.Row(i)
	for _, r := range all {
		if r.Flow != of.Flow || r.Side == "" || r.Side == of.Side {
			continue
		}
		begun := row.T + int64(of.Started.Sub(r.Started))
		if of.Side == "client" {
			if r.ClientSession != "" && r.ClientSession != of.sessionID(row) {
				continue
			}
			to := r.Tracker.Rows()
			if row.End > 0 {
				to = r.rowsUntil(begun+row.Latency()+nearby) + unsorted
			}
			from := max(r.rowsUntil(begun-nearby)-unsorted, 0)
			for k := from; k < min(to, from+maxBeside, r.Tracker.Rows()); k++ {
				take(r, k, sameCall(of, i, r, k))
			}
		} else {
			to := min(r.rowsUntil(begun+nearby)+unsorted, r.Tracker.Rows())
			for k := max(to-maxBeside, 0); k < to; k++ {
				take(r, k, sameCall(r, k, of, i))
			}
		}
	}
	if best == 0 || several {
		return Leg{}
	}
	found.Inner, found.Outer = row.Latency(), found.Rec.Tracker.Row(found.Row).Latency()
	if of.Side == "client" {
		found.Inner, found.Outer = found.Outer, found.Inner
	}
	return found
}

// nearby is how far the clocks of two recordings of one hub are apart at most.
const nearby = int64(1e6)

// unsorted is how many rows that came at once may stand in another order.
const unsorted = 64

// rowsUntil is how many rows had begun at t.
func (r *Recording) rowsUntil(t int64) int {
	return sort.Search(r.Tracker.Rows(), func(i int) bool { return r.Tracker.Row(i).T > t })
}

func isCall(r *Recording, i int) bool {
	row := r.Tracker.Row(i)
	return row.Kind == session.RowCall && row.Dir == wire.ToServer
}

// target is what a call asks for by name.
func (r *Recording) target(i int) string {
	w := r.Texts.Of(i)
	name, _ := w.Parts()
	return name
}

// sameCall says how sure it is that a call of a client is that of a server behind
// the hub: 0 when it is not. The hub keeps ids, but for clients that share a server.
func sameCall(client *Recording, c int, server *Recording, s int) int {
	out, in := client.Tracker.Row(c), server.Tracker.Row(s)
	method := client.Tracker.Name(out.Name)
	after := in.T + int64(server.Started.Sub(client.Started)) - out.T
	if !isCall(client, c) || !isCall(server, s) || method != server.Tracker.Name(in.Name) ||
		after < -nearby || out.End > 0 && after > out.Latency()+nearby {
		return 0
	}
	if asked, name := client.target(c), server.target(s); asked != name && !strings.HasSuffix(asked, "_"+name) {
		return 0
	}
	same := client.Tracker.Name(out.ID) == server.Tracker.Name(in.ID)
	whose := client.sessionID(out)
	switch {
	case server.ClientSession != "" && (!same || whose != server.ClientSession):
		return 0
	case same && whose != "" && (whose == server.ClientSession || whose == server.sessionID(in)):
		return 3
	case same:
		return 2
	}
	return 1
}

func (r *Recording) sessionID(row *session.Row) string {
	if s := r.Session(int(row.Session)); s != nil {
		return s.ID
	}
	return ""
}

const maxSides = 16 // recordings of one flow that are compared, those nearest in time

// Together returns the recordings of a flow that were written while one of
// those was that somebody looks at.
func Together(all []*Recording, inFlow func(*Recording) bool) []*Recording {
	var looked, group []*Recording
	for _, r := range all {
		if inFlow(r) && r.Opened && !r.OpenedBeside {
			looked = append(looked, r)
		}
	}
	if len(looked) == 0 {
		return nil
	}
	far := func(r *Recording) time.Duration { return r.Started.Sub(looked[0].Started).Abs() }
	for _, r := range all {
		if inFlow(r) && !r.Broken() && slices.ContainsFunc(looked, r.Overlaps) {
			group = append(group, r)
		}
	}
	slices.SortStableFunc(group, func(a, b *Recording) int { return cmp.Compare(far(a), far(b)) })
	return group[:min(len(group), maxSides)]
}

// Overlaps says whether two recordings were written at the same time.
func (r *Recording) Overlaps(o *Recording) bool {
	begins := func(a, b *Recording) bool { return b.Live || !a.Started.After(b.Changed) }
	return begins(r, o) && begins(o, r)
}

// Live returns those that a tap is writing.
func Live(all []*Recording) (live []*Recording) {
	for _, r := range all {
		if r.Live {
			live = append(live, r)
		}
	}
	return live
}

// IDs are the ids of recordings.
func IDs(of []*Recording) []string {
	ids := make([]string, len(of))
	for i, r := range of {
		ids[i] = r.ID
	}
	return ids
}
