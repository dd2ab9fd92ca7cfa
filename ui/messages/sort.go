package messages

import (
	"cmp"
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/term"
)

// Column is what the list is ordered by.
type Column uint8

const (
	ByNumber Column = iota // which is the order of time
	byLatency
	bySize
)

// String names a column for people.
func (by Column) String() string {
	return [...]string{"number", "latency", "size"}[by]
}

// heading is the name of the column that says it.
func (by Column) heading() safe.Text { return [...]safe.Text{"", "LATENCY", "SIZE"}[by] }

const keysPerUpdate = 50_000 // taken from rows before the keys get a turn

// Order is the order of the list when that is not by number. It is a snapshot:
// rows that come or change later stay where they are until the user asks for
// the order again. While it is on, list.vis is the order, and base what the
// list would show by number.
type Order struct {
	By     Column
	On     bool
	Base   []uint32 // kept up to date
	ids    []uint32 // of the snapshot, ascending
	place  []int32  // of each of them in vis
	missed int      // rows that came since

	Wanted bool // an order is asked for and not there yet
	toTop  bool // it is shown from its top
	Gen    int  // of the last thing asked for
	Taking *taking
}

// taking is the work on an order: keys are taken in Update, some at a time,
// and a command sorts them.
type taking struct {
	ids  []uint32
	Keys []int64
	Sent bool
}

type (
	// KeysMsg asks for more keys to be taken.
	KeysMsg struct{}
	// OrderMsg brings an order.
	OrderMsg struct {
		gen   int
		perm  []int32 // positions in ids, in order
		place []int32 // its inverse
	}
)

// ByTime says whether the list is in the order of time.
func (l *List) ByTime() bool { return !l.Order.On && !l.Grouped() }

// OrderByTime shows the list by number again.
func (l *List) OrderByTime() {
	if l.Order.On {
		l.Visible = l.Order.Base
	}
	l.Order = Order{Gen: l.Order.Gen + 1}
}

// drop forgets the snapshot and asks for a new one, when the list is about to
// be filled anew.
func (o *Order) drop(l *List) {
	if o.On {
		l.Visible = o.Base
	}
	*o = Order{By: o.By, Wanted: o.On || o.Wanted, toTop: o.toTop, Gen: o.Gen + 1}
}

// inOrder makes vis what it is by number for as long as it is changed: those
// who change it need not know of other orders. The caller calls what it
// returns when it is done.
func (l *List) inOrder() (done func()) {
	if !l.Order.On {
		return func() {}
	}
	l.Visible, l.Order.Base = l.Order.Base, l.Visible
	n := len(l.Visible)
	return func() {
		l.Order.missed += max(0, len(l.Visible)-n)
		l.Visible, l.Order.Base = l.Order.Base, l.Visible
	}
}

// OrderBy asks for an order.
func (l *List) OrderBy(by Column) {
	if l.Rec == nil {
		return
	}
	line := l.SelectedLine() - l.FirstIndex()
	l.groups.On = false
	if by == ByNumber {
		id, ok := l.Selected()
		l.OrderByTime()
		if ok {
			l.Selection = id
			l.PutOnLine(line)
		}
		return
	}
	l.Pause()
	o := &l.Order
	o.By, o.Wanted, o.toTop, o.Taking = by, true, true, nil
	o.Gen++
}

// PutOnLine scrolls so that the selection stands on a line of the screen, as far
// as that can be.
func (l *List) PutOnLine(line int) {
	i := l.SelectedLine()
	if i < 0 {
		return
	}
	line = max(0, min(line, l.Height-1))
	l.setTop(max(0, min(i-line, l.Lines()-l.Height)))
	l.Reveal()
}

// OrderStep works on the order that is wanted, and says whether there was work.
func (l *List) OrderStep() (cmd tea.Cmd, worked bool) {
	o := &l.Order
	if !o.Wanted || l.Rec == nil || l.Scanned < l.Total() && o.Taking == nil {
		return nil, false
	}
	if o.Taking == nil {
		done := l.inOrder()
		ids := slices.Clone(l.Visible)
		done()
		o.Taking = &taking{ids: ids, Keys: make([]int64, 0, len(ids))}
		o.missed = 0
	}
	t := o.Taking
	if t.Sent {
		return nil, false
	}
	for end := min(len(t.ids), len(t.Keys)+keysPerUpdate); len(t.Keys) < end; {
		t.Keys = append(t.Keys, l.sortKey(t.ids[len(t.Keys)]))
	}
	if len(t.Keys) < len(t.ids) {
		return func() tea.Msg { return KeysMsg{} }, true
	}
	t.Sent = true
	keys, gen := t.Keys, o.Gen
	return func() tea.Msg { return Sorted(keys, gen) }, true
}

// sortKey is what an id is ordered by: the slowest, the largest first; what has nothing of
// the kind last.
func (l *List) sortKey(id uint32) int64 {
	row := l.Rec.Tracker.Row(int(id))
	switch {
	case l.Order.By == bySize:
		return -int64(row.Len) - int64(row.RLen)
	case row.Ending.Open():
		return math.MinInt64/2 + row.T // no end in sight: the longest wait first
	}
	return -row.Latency()
}

// Sorted makes an order of keys. Where they are equal, time decides.
func Sorted(keys []int64, gen int) tea.Msg {
	perm, place := make([]int32, len(keys)), make([]int32, len(keys))
	for i := range perm {
		perm[i] = int32(i)
	}
	slices.SortFunc(perm, func(a, b int32) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
	for i, p := range perm {
		place[p] = int32(i)
	}
	return OrderMsg{gen, perm, place}
}

// TakeOrder shows an order from its top, which is what somebody asked for: the
// slowest, the largest, the worst. An order that is made anew for other reasons
// leaves the selection on its line of the screen.
func (l *List) TakeOrder(msg OrderMsg) {
	o := &l.Order
	if msg.gen != o.Gen || o.Taking == nil {
		return
	}
	id, ok := l.Selected()
	line := l.SelectedIndex() - l.FirstIndex()
	if !o.On {
		o.Base, l.Visible = l.Visible, nil
	}
	ids := o.Taking.ids
	l.Visible = make([]uint32, len(ids))
	for i, p := range msg.perm {
		l.Visible[i] = ids[p]
	}
	o.ids, o.place, o.On, o.Wanted, o.Taking = ids, msg.place, true, false, nil
	l.Unseen, l.UnseenErr = 0, 0
	switch {
	case o.toTop:
		o.toTop = false
		l.Go(0)
	case ok:
		l.Selection = id
		l.PutOnLine(line)
	}
}

// placed is the position of an id in the order, or that of the nearest one
// before it by number.
func (o *Order) placed(id uint32) int {
	at, found := slices.BinarySearch(o.ids, id)
	if !found && at > 0 {
		at--
	}
	if at >= len(o.place) {
		return 0
	}
	return int(o.place[at])
}

// Has says whether an id is in the snapshot.
func (o *Order) Has(id uint32) bool {
	_, found := slices.BinarySearch(o.ids, id)
	return found
}

// OrderState is what the title of the list says about the order.
func (l *List) OrderState(sc *term.Screen) []term.Seg {
	o := &l.Order
	if o.Wanted && o.Taking != nil && len(o.Taking.ids) > keysPerUpdate {
		return []term.Seg{term.S(sc.Theme.Pend, "sorting "+safe.Int(100*len(o.Taking.Keys)/max(len(o.Taking.ids), 1))+"%")}
	}
	out := []term.Seg{
		term.S(sc.Theme.Dim, "sort "), term.S(sc.Theme.Key, safe.Line(o.By.String())+" "+sc.Glyphs.Falling),
	}
	if o.missed > 0 {
		out = append(out, term.S(sc.Theme.Warn+term.Bold, " +"+term.Number(o.missed)+" new (o)"))
	}
	return out
}
