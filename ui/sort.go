package ui

import (
	"cmp"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// sortBy is what the list is ordered by.
type sortBy uint8

const (
	byNumber sortBy = iota // which is the order of time
	byLatency
	bySize
	byMethod
	byVerdict
	sortColumns
)

func (by sortBy) String() string {
	return [...]string{"number", "latency", "size", "method", "verdict"}[by]
}

const keysPerUpdate = 50_000 // taken from rows before the keys get a turn

// order is the order of the list when that is not by number. It is a snapshot:
// rows that come or change later stay where they are until the user asks for
// the order again. While it is on, list.vis is the order, and base what the
// list would show by number.
type order struct {
	by      sortBy
	reverse bool
	on      bool
	base    []uint32 // kept up to date
	ids     []uint32 // of the snapshot, ascending
	place   []int32  // of each of them in vis
	missed  int      // rows that came since

	wanted bool // an order is asked for and not there yet
	gen    int  // of the last thing asked for
	taking *taking
}

// taking is the work on an order: keys are taken in Update, some at a time,
// and a command sorts them.
type taking struct {
	ids   []uint32
	keys  []int64
	names map[uint32]string // of methods, by the key that stands for each
	sent  bool
}

type (
	// sortMsg asks for more keys to be taken.
	sortMsg struct{}
	// sortedMsg brings an order.
	sortedMsg struct {
		gen   int
		perm  []int32 // positions in ids, in order
		place []int32 // its inverse
	}
)

// natural says whether the list is in the order of time.
func (l *list) natural() bool { return !l.order.on }

// unsort shows the list by number again.
func (l *list) unsort() {
	if l.order.on {
		l.vis = l.order.base
	}
	l.order = order{gen: l.order.gen + 1}
}

// drop forgets the snapshot and asks for a new one, when the list is about to
// be filled anew.
func (o *order) drop(l *list) {
	if o.on {
		l.vis = o.base
	}
	*o = order{by: o.by, reverse: o.reverse, wanted: o.on || o.wanted, gen: o.gen + 1}
}

// inOrder makes vis what it is by number for as long as it is changed: those
// who change it need not know of other orders. The caller calls what it
// returns when it is done.
func (l *list) inOrder() (done func()) {
	if !l.order.on {
		return func() {}
	}
	l.vis, l.order.base = l.order.base, l.vis
	n := len(l.vis)
	return func() {
		l.order.missed += max(0, len(l.vis)-n)
		l.vis, l.order.base = l.order.base, l.vis
	}
}

// sortNext orders by the next column, or the same anew when rows have come
// since.
func (l *list) sortNext() {
	o := &l.order
	by := o.by
	if o.missed == 0 {
		for by = (by + 1) % sortColumns; l.frames && (by == byLatency || by == byVerdict); {
			by = (by + 1) % sortColumns
		}
	}
	if by == o.by {
		l.sortBy(by, o.reverse)
		return
	}
	l.sortBy(by, false)
}

// reverse turns the order round.
func (l *list) reverse() { l.sortBy(l.order.by, !l.order.reverse) }

// sortBy asks for an order.
func (l *list) sortBy(by sortBy, reverse bool) {
	if l.Rec == nil {
		return
	}
	line := l.index() - l.first()
	if by == byNumber && !reverse {
		id, ok := l.selected()
		l.unsort()
		if ok {
			l.sel = id
			l.atLine(line)
		}
		return
	}
	l.pause()
	o := &l.order
	o.by, o.reverse, o.wanted, o.taking = by, reverse, true, nil
	o.gen++
}

// atLine scrolls so that the selection stands on a line of the screen, as far
// as that can be.
func (l *list) atLine(line int) {
	i := l.index()
	if i < 0 {
		return
	}
	line = max(0, min(line, l.height-1))
	top := max(0, min(i-line, len(l.vis)-l.height))
	l.top = l.vis[top]
	l.reveal()
}

// sortOn works on the order that is wanted, and says whether there was work.
func (l *list) sortOn() (cmd tea.Cmd, worked bool) {
	o := &l.order
	if !o.wanted || l.Rec == nil || l.scanned < l.total() && o.taking == nil {
		return nil, false
	}
	if o.taking == nil {
		done := l.inOrder()
		ids := slices.Clone(l.vis)
		done()
		o.taking = &taking{ids: ids, keys: make([]int64, 0, len(ids)), names: map[uint32]string{}}
		o.missed = 0
	}
	t := o.taking
	if t.sent {
		return nil, false
	}
	for end := min(len(t.ids), len(t.keys)+keysPerUpdate); len(t.keys) < end; {
		t.keys = append(t.keys, l.sortKey(t.ids[len(t.keys)], t.names))
	}
	if len(t.keys) < len(t.ids) {
		return func() tea.Msg { return sortMsg{} }, true
	}
	t.sent = true
	keys, names, by, reverse, gen := t.keys, t.names, o.by, o.reverse, o.gen
	return func() tea.Msg { return sorted(keys, names, by, reverse, gen) }, true
}

// sortKey is what an id is ordered by: the slowest, the largest, the worst
// first; what has nothing of the kind last.
func (l *list) sortKey(id uint32, names map[uint32]string) int64 {
	if l.frames {
		m := l.Rec.Frame(uint64(id))
		switch l.order.by {
		case bySize:
			return -int64(m.Len)
		case byMethod:
			names[uint32(m.Kind)] = m.Kind.String()
			return int64(m.Kind)
		}
		return int64(id)
	}
	row := l.Rec.Tracker.Row(int(id))
	switch l.order.by {
	case byLatency:
		if row.Verdict == session.VerdictPending {
			return math.MinInt64/2 + row.T // no end in sight: the longest wait first
		}
		return -row.Latency()
	case bySize:
		return -int64(row.Len) - int64(row.RLen)
	case byMethod:
		if _, ok := names[row.Name]; !ok {
			names[row.Name] = strings.ToLower(library.ShortMethod(row, l.Rec.Tracker.Name(row.Name)))
		}
		return int64(row.Name)
	case byVerdict:
		return int64(slices.Index(worstFirst[:], row.Verdict))
	}
	return int64(id)
}

var worstFirst = [...]session.Verdict{
	session.VerdictError, session.VerdictLost, session.VerdictWarning, session.VerdictPending, session.VerdictCancelled,
	session.VerdictOK, session.VerdictNone,
}

// sorted makes an order of keys. Where they are equal, time decides; what has
// no latency or size stays at the end either way.
func sorted(keys []int64, names map[uint32]string, by sortBy, reverse bool, gen int) tea.Msg {
	if by == byMethod {
		rank := ranks(names)
		for i, k := range keys {
			keys[i] = rank[uint32(k)]
		}
	}
	perm, place := make([]int32, len(keys)), make([]int32, len(keys))
	for i := range perm {
		perm[i] = int32(i)
	}
	sign := 1
	if reverse {
		sign = -1
	}
	slices.SortFunc(perm, func(a, b int32) int {
		x, y := keys[a], keys[b]
		if (by == byLatency || by == bySize) && (x == 0) != (y == 0) {
			if x == 0 {
				return 1
			}
			return -1
		}
		if by == byNumber {
			return sign * cmp.Compare(x, y)
		}
		return cmp.Or(sign*cmp.Compare(x, y), cmp.Compare(a, b))
	})
	for i, p := range perm {
		place[p] = int32(i)
	}
	return sortedMsg{gen, perm, place}
}

// ranks puts names into the order of the alphabet.
func ranks(names map[uint32]string) map[uint32]int64 {
	all := make([]string, 0, len(names))
	for _, s := range names {
		all = append(all, s)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	out := map[uint32]int64{}
	for k, s := range names {
		at, _ := slices.BinarySearch(all, s)
		out[k] = int64(at)
	}
	return out
}

// takeOrder shows an order; the selection stays on its line of the screen.
func (l *list) takeOrder(msg sortedMsg) {
	o := &l.order
	if msg.gen != o.gen || o.taking == nil {
		return
	}
	id, ok := l.selected()
	line := l.index() - l.first()
	if !o.on {
		o.base, l.vis = l.vis, nil
	}
	ids := o.taking.ids
	l.vis = make([]uint32, len(ids))
	for i, p := range msg.perm {
		l.vis[i] = ids[p]
	}
	o.ids, o.place, o.on, o.wanted, o.taking = ids, msg.place, true, false, nil
	l.unseen, l.unseenErr = 0, 0
	if ok {
		l.sel = id
		l.atLine(line)
	}
}

// placed is the position of an id in the order, or that of the nearest one
// before it by number.
func (o *order) placed(id uint32) int {
	at, found := slices.BinarySearch(o.ids, id)
	if !found && at > 0 {
		at--
	}
	if at >= len(o.place) {
		return 0
	}
	return int(o.place[at])
}

// has says whether an id is in the snapshot.
func (o *order) has(id uint32) bool {
	_, found := slices.BinarySearch(o.ids, id)
	return found
}

// sortState is what the title of the list says about the order.
func (l *list) sortState(sc *term.Screen) []term.Seg {
	o := &l.order
	if !o.on && !o.wanted {
		return nil
	}
	dot := safe.Text(" " + sc.Glyphs.Dot + " ")
	out := []term.Seg{term.S(sc.Theme.Dim, dot)}
	if o.wanted && o.taking != nil && len(o.taking.ids) > keysPerUpdate {
		return append(out, term.S(sc.Theme.Pend, "sorting "+safe.Int(100*len(o.taking.keys)/max(len(o.taking.ids), 1))+"%"))
	}
	out = append(out, term.S(sc.Theme.Note, "by "+safe.Text(o.by.String()+" ")+safe.Text(o.by.direction(sc.Glyphs, o.reverse))))
	if o.missed > 0 {
		out = append(out, term.S(sc.Theme.Warn+term.Bold, " +"+term.Number(o.missed)+" new (o)"))
	}
	return out
}

// direction is the sign of an order: up from the least to the most.
func (by sortBy) direction(sg *term.Glyphs, reverse bool) string {
	if (by == byLatency || by == bySize) == reverse {
		return sg.Rising
	}
	return sg.Falling
}

// under is the column at a cell of the list.
func (c *columns) under(x, w int, frames bool) (sortBy, bool) {
	at := 1 + c.num
	if x < at+c.time {
		return byNumber, true
	}
	at += c.time + 1 + c.dir
	switch {
	case x < at+3:
		return byVerdict, !frames
	case x < at+3+c.method:
		return byMethod, true
	}
	right := w - c.right() + c.status + c.id
	switch {
	case x >= right && x < right+c.latency:
		return byLatency, true
	case x >= right+c.latency && c.size > 0:
		return bySize, true
	}
	return byNumber, false
}
