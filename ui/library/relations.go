package library

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

// RowAt is the row that frame n belongs to, -1 for none. The head of an HTTP
// message belongs to the row of its body.
func (r *Recording) RowAt(n uint64) int {
	f := r.Frame(n)
	if f == nil {
		return -1
	}
	if f.Row >= 0 || f.X == 0 {
		return int(f.Row)
	}
	const near = 64 // frames of one message stand together
	i, _ := slices.BinarySearchFunc(r.Frames, n, func(m FrameInfo, n uint64) int { return int(m.N) - int(n) })
	for j := i + 1; j < min(i+near, len(r.Frames)); j++ {
		if g := &r.Frames[j]; g.X == f.X && g.Row >= 0 {
			return int(g.Row)
		}
	}
	for j := i - 1; j >= max(i-near, 0); j-- {
		if g := &r.Frames[j]; g.X == f.X && g.Row >= 0 {
			return int(g.Row)
		}
	}
	return -1
}

// Root is the row that a row and others belong to.
func (r *Recording) Root(i int) int {
	for range 8 { // no protocol nests deeper, and a loop must end
		p := r.Tracker.Row(i).Parent
		if p < 0 || int(p) == i {
			break
		}
		i = int(p)
	}
	return i
}

// Relative is the next row that belongs to the same message as row i, the
// message itself after the last of them; -1 for none.
func (r *Recording) Relative(i int) int {
	root := r.Root(i)
	for k := max(i, root) + 1; k < r.Tracker.Rows(); k++ {
		if r.Tracker.Row(k).Parent >= 0 && r.Root(k) == root {
			return k
		}
	}
	if root != i {
		return root
	}
	for k := root - 1; k >= 0; k-- { // what came before what it belongs to
		if r.Tracker.Row(k).Parent >= 0 && r.Root(k) == root {
			return k
		}
	}
	return -1
}

// RequestHead is the head of the HTTP request that a row came in, or that its
// response did; 0 for none.
func (r *Recording) RequestHead(row *session.Row) uint64 {
	if row.Dir != wire.ToClient {
		return r.Heads[row.X].Req
	}
	if f := r.Frame(uint64(row.Response)); f != nil {
		return r.Heads[f.X].Req
	}
	return 0
}

// RowNear is the row of a frame, or of the nearest before it that has one; -1 for none.
func (r *Recording) RowNear(n uint64) int {
	for i := r.frameAt(n); i >= 0; i-- {
		if r.Frames[i].Row >= 0 {
			return int(r.Frames[i].Row)
		}
	}
	return r.RowAt(n)
}

// Located is a finding and the recording it was made in.
type Located struct {
	Rec *Recording
	*diagnose.Finding
}

// Debts are what the call of a row waits for, its own response first, then what that
// stands on; nil when nothing is owed. It is a bounded amount of work.
func (r *Recording) Debts(i int) []ledger.Debt {
	row := r.Tracker.Row(i)
	checker := r.Findings.checker
	if checker == nil || row.Kind != session.RowCall {
		return nil
	}
	chain := checker.Ledger().Chain(i)
	switch {
	case row.Ending.Open():
		return chain
	case len(chain) < 2 || chain[1].Kind == ledger.Page: // nobody need read a list to its end
		return nil
	}
	return chain
}
