package waterfall

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/view"
)

type orderBy uint8

const (
	barsByStart orderBy = iota
	barsByLatency
	barsByMethod
	orders
)

func (o orderBy) text() safe.Text {
	return [...]safe.Text{"by start", "by latency", "by method"}[o]
}

// barOrder is the rows of the list in another order than that of their arrival.
// What comes after they were sorted stands at the end: nothing moves under the
// cursor.
type barOrder struct {
	by     orderBy
	edits  int       // of the list, when the sorting began
	keys   []sortKey // as far as they were gathered
	sorted []uint32  // nil until it is done
	taken  int       // how many rows of the list are in it
	fixed  int       // how many of them were sorted
	away   bool      // a command is sorting
	ready  bool
}

type sortKey struct {
	name string
	time int64
	id   uint32
}

// sortedAtOnce is how many rows are sorted without a command.
const sortedAtOnce = view.Batch

// gathering says whether keys are still to be gathered.
func (o *barOrder) gathering() bool { return o.by != barsByStart && !o.ready && !o.away }

// ids are the rows in their order.
func (o *barOrder) ids(l messages.Rows) []uint32 {
	if o.by == barsByStart || !o.ready {
		return l.IDs()
	}
	return o.sorted
}

// waiting says whether the order is not there yet.
func (o *barOrder) waiting() bool { return o.by != barsByStart && !o.ready }

// position is where the selected row of the list stands, which may be at hint.
func (o *barOrder) position(l messages.Rows, hint int) int {
	ids := o.ids(l)
	id, _ := l.Selected()
	if hint >= 0 && hint < len(ids) && ids[hint] == id {
		return hint
	}
	if o.by == barsByStart || !o.ready {
		return l.Nearest(id)
	}
	return max(0, slices.Index(ids, id))
}

// advance goes on with the work and says whether all keys are there and a
// command should sort them.
func (o *barOrder) advance(rec *library.Recording, l messages.Rows, now time.Time) bool {
	if o.by == barsByStart || o.away {
		return false
	}
	ids := l.IDs()
	if o.edits != l.Edits() && (o.ready || o.taken > len(ids)) || o.taken > len(ids) {
		*o = barOrder{by: o.by, edits: l.Edits()}
	}
	if o.taken == 0 {
		o.edits = l.Edits()
	}
	if o.ready {
		o.sorted = append(o.sorted, ids[o.taken:]...)
		o.taken = len(ids)
		return false
	}
	end := min(len(ids), o.taken+view.Batch)
	for _, id := range ids[o.taken:end] {
		o.keys = append(o.keys, o.key(rec, id, now))
	}
	if o.taken = end; end < len(ids) {
		return false
	}
	if len(o.keys) > sortedAtOnce {
		return true
	}
	o.accept(sortKeys(o.keys))
	return false
}

func (o *barOrder) accept(ids []uint32) {
	o.sorted, o.fixed, o.keys, o.ready, o.away = ids, len(ids), nil, true, false
}

// key is what a row is sorted by.
func (o *barOrder) key(rec *library.Recording, id uint32, now time.Time) sortKey {
	row := rec.Tracker.Row(int(id))
	if o.by == barsByMethod {
		return sortKey{words.Fold(rec.Tracker.Name(row.Name)), 0, id}
	}
	k := sortKey{"", 1, id} // without a latency: at the end
	switch {
	case library.Unfinished(row):
		k.time = -max(1, library.Elapsed(now, rec, row.T))
	case row.End > 0:
		k.time = -row.Latency()
	}
	return k
}

// sort sorts away from the screen.
func (o *barOrder) sort(v *View) tea.Cmd {
	o.away = true
	keys, by, edits := o.keys, o.by, o.edits
	o.keys = nil
	return func() tea.Msg { return orderMsg{v, by, edits, sortKeys(keys)} }
}

func sortKeys(keys []sortKey) []uint32 {
	slices.SortFunc(keys, func(a, b sortKey) int {
		return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.time, b.time), cmp.Compare(a.id, b.id))
	})
	ids := make([]uint32, len(keys))
	for i, k := range keys {
		ids[i] = k.id
	}
	return ids
}

// orderMsg brings rows that a command sorted.
type orderMsg struct {
	v     *View
	by    orderBy
	edits int
	ids   []uint32
}

func (s orderMsg) Take(view.Host) tea.Cmd {
	if o := &s.v.order; o.away && o.by == s.by && o.edits == s.edits {
		o.accept(s.ids)
	}
	return nil
}
