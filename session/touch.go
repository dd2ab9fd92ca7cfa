package session

import (
	"encoding/json"
	"slices"

	"midwire/session/wire"
	"midwire/session/words"
)

// Touch is an action of a tap's gate on a row's message.
type Touch uint16

// What a gate does.
const (
	TouchHeld Touch = 1 << iota
	TouchDelayed
	TouchEdited
	TouchDropped
	TouchAnswered   // the gate answered instead of the server
	TouchMade       // the gate made the message
	TouchDuplicated // the message came more than once
	TouchCut        // its response was ended
	TouchKilled     // its server was killed
)

// Deed is one thing that the gate of a tap did to a message of a row.
type Deed struct {
	What  string // as gate frames name it
	Frame uint64 // of the gate
	Dir   wire.Dir
	T     int64  // when, in nanoseconds
	MS    int64  // how long the message had waited, or will
	Count int    // times that it came more
	Who   string // the fault or the rule that did it, "" for a person
	How   string
	Why   string
	Less  int // bytes that an edit took away
	More  int // and put in their place
}

// Fate is what became of a message at the gate, as gate frames name it: GateHold while
// it waits there, GateDrop when it went no further, GateAnswer when the gate answered
// it; "" when it continued.
func (t *Tracker) Fate(row *Row, d wire.Dir) (fate string) {
	for _, x := range t.deeds[row.Request] {
		switch {
		case x.Dir != d:
		case x.What == wire.GateHold, x.What == wire.GateDelay, x.What == wire.GateAnswer, x.What == wire.GateDrop:
			fate = x.What
		case x.What == wire.GateGone:
			fate = wire.GateDrop
		case x.What == wire.GateRelease:
			fate = ""
		}
	}
	if fate == wire.GateDelay {
		fate = wire.GateHold
	}
	return fate
}

// Waited is how long the messages of a row waited at the gate, in nanoseconds: no peer
// needed that time.
func (t *Tracker) Waited(row *Row) (ns int64) {
	for _, x := range t.deeds[row.Request] {
		if x.What == wire.GateRelease {
			ns += x.MS * 1e6
		}
	}
	return ns
}

// mostDeeds is how many are kept of a row.
const mostDeeds = 32

// Deeds returns the gate's actions on a row's messages, in order: the first of them.
func (t *Tracker) Deeds(row *Row) []Deed { return t.deeds[row.Request] }

var touches = map[string]Touch{
	wire.GateHold: TouchHeld, wire.GateDelay: TouchDelayed, wire.GateEdit: TouchEdited,
	wire.GateDrop: TouchDropped, wire.GateGone: TouchDropped, wire.GateAnswer: TouchAnswered,
	wire.GateDuplicate: TouchDuplicated, wire.GateCut: TouchCut, wire.GateKill: TouchKilled,
	wire.GateRelease: 0, wire.GateInject: TouchMade,
}

// Touched returns the gate's actions on a row; 0 for none.
func (t *Tracker) Touched(row int) Touch { return t.touched[int32(row)] }

// ByGate reports whether one of the frames belongs to what the gate of a tap touched: what
// they show may be its doing, not a peer's fault.
func (t *Tracker) ByGate(frames []uint64) bool {
	if len(t.gated) == 0 && len(t.touched) == 0 {
		return false
	}
	for _, n := range frames {
		if t.gated[n] {
			return true
		}
	}
	for row := range t.touched {
		r := t.rows.row(int(row))
		is := func(n uint64) bool { return n == uint64(r.Request) || n == uint64(r.Response) && n != 0 }
		if slices.ContainsFunc(frames, is) {
			return true
		}
	}
	return false
}

// touchedBy takes what a gate frame says and returns the row that it speaks of, -1
// for none.
func (t *Tracker) touchedBy(f *wire.Frame) int32 {
	var e wire.Gate
	if json.Unmarshal(f.Data, &e) != nil {
		return -1
	}
	t.gate(f.N)
	if d := f.Dir; e.Made > 0 {
		if e.What == wire.GateAnswer {
			d = d.Opposite()
		}
		t.making[side(d)] += e.Made
	}
	row := int32(-1)
	next := e.What == wire.GateInject && e.Made > 0 // of what follows, not of the frame
	if what, ok := touches[e.What]; ok && e.Frame != 0 && !next {
		if row = t.rowOf(e.Frame); row >= 0 {
			t.touches(row, what)
			t.did(row, f, &e)
			t.changed(row)
		}
		t.gate(e.Frame)
	}
	switch {
	case e.What == wire.GateKill:
		t.killed = true
	case e.What == wire.GateEdit && row >= 0:
		t.renamed(row, f.Dir, e.Now)
	}
	return row
}

// gate notes a frame that belongs to what the gate touched, touches a row.
func (t *Tracker) gate(n uint64) {
	if len(t.gated) < maxGated {
		t.gated[n] = true
	}
}

func (t *Tracker) touches(row int32, what Touch) {
	if _, known := t.touched[row]; known || len(t.touched) < maxGated {
		t.touched[row] |= what
	}
}

// did keeps what a gate frame says of a row.
func (t *Tracker) did(row int32, f *wire.Frame, e *wire.Gate) {
	of := t.rows.row(int(row)).Request
	if kept := len(t.deeds[of]); kept == mostDeeds || kept == 0 && len(t.deeds) >= maxGated {
		return
	}
	who := "fault " + e.Fault
	if e.Fault == "" {
		who = e.Rule
	}
	t.deeds[of] = append(t.deeds[of], Deed{
		What: e.What, Frame: f.N, Dir: f.Dir, T: f.T, MS: e.MS, Count: e.Count, Who: words.Clip(who, 120),
		How: words.Clip(e.How, 120), Why: words.Clip(e.Why, 120), Less: e.Less, More: e.More,
	})
}

// renamed: a request that is forwarded with another id is answered by that id.
func (t *Tracker) renamed(row int32, d wire.Dir, now []byte) {
	r := t.rows.row(int(row))
	m, ok := wire.ScanMessage(now)
	g := t.groupAt(r.Session)
	if !ok || g == nil || r.Kind != RowCall || r.Dir != d || m.Kind != wire.MsgRequest || t.hasID(r, m.ID) {
		return
	}
	g.scope.add(d, clipID(m.ID), row)
}

// recent is how far back the row of a frame is looked for.
const recent = 1 << 12

// rowOf is the latest row with a frame, -1 for none.
func (t *Tracker) rowOf(n uint64) int32 {
	for i := t.rows.n - 1; i >= max(0, t.rows.n-recent); i-- {
		if r := t.rows.row(i); uint64(r.Request) == n || uint64(r.Response) == n && n != 0 {
			return int32(i)
		}
	}
	return -1
}

// made marks the rows of a message that the gate announced as its own.
func (t *Tracker) made(f *wire.Frame) {
	left := &t.making[side(f.Dir)]
	if *left == 0 || !f.HoldsMessages() || f.Part == wire.More {
		return
	}
	*left--
	t.gate(f.N)
	for i := range t.step.Added {
		t.touches(int32(t.step.First+i), TouchMade)
	}
}

// fell marks what was lost because the gate killed the server.
func (t *Tracker) fell(f *wire.Frame) {
	if !t.killed {
		return
	}
	t.killed = false
	t.gate(f.N)
	for _, row := range t.process.scope.pending() {
		t.touches(row, TouchKilled)
	}
}
