package detail

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/wire"
	"midwire/ui/library"
)

// side is a request or a response that proves a finding.
type side struct {
	row        int // -1 for a frame that belongs to none
	n          uint64
	head, body uint64 // frames, 0 for none
	answer     bool
	own        bool // it is of the exchange where the finding shows, and not what it rests on
}

// Proof is what proves a finding at a frame where it shows.
type Proof struct {
	library.Located
	At    uint64
	Sides []side
	Got   Frames
	Bad   string // why some of the bytes cannot be read
	Whole bool   // nothing is folded
	Tight bool   // there is room for little: nothing but what matters most
}

// ProofOf is the proof of a finding at a frame where it shows.
func ProofOf(f library.Located, at uint64) Proof {
	p := Proof{Located: f, At: at}
	p.Sides = p.prove()
	return p
}

// Frames are those that are read for a proof.
func (p *Proof) Frames() (ns []uint64) {
	for _, one := range p.Sides {
		for _, n := range [2]uint64{one.head, one.body} {
			if m := p.Rec.Frame(n); m != nil && m.Len <= maxRead {
				ns = append(ns, n)
			}
		}
	}
	return ns
}

// prove lists what the finding rests on, without the other exchanges of the same kind, and both
// sides of the exchange where it shows, in order of time.
func (p *Proof) prove() []side {
	var out []side
	add := func(one side) {
		if !slices.ContainsFunc(out, func(o side) bool { return o.n == one.n }) {
			out = append(out, one)
		}
	}
	own := p.Rec.RowAt(p.At)
	if own < 0 {
		add(side{row: -1, n: p.At, body: p.At, own: true})
	} else {
		request, response := sides(p.Rec, own)
		request.own, response.own = true, true
		add(request)
		if response.n != 0 {
			add(response)
		}
	}
	for _, n := range p.Finding.Frames {
		i := p.Rec.RowAt(n)
		switch m := p.Rec.Frame(n); {
		case m == nil || i == own && i >= 0:
		case i < 0:
			add(side{row: -1, n: n, body: n})
		default:
			request, response := sides(p.Rec, i)
			if p.shows(request, response) {
				continue
			}
			if row := p.Rec.Tracker.Row(i); response.n != 0 && row.Kind != session.RowNotification && m.Dir != row.Dir {
				request = response
			}
			add(request)
		}
	}
	slices.SortStableFunc(out, func(a, b side) int { return cmp.Compare(a.n, b.n) })
	return out
}

func (p *Proof) shows(of ...side) bool {
	return slices.ContainsFunc(of, func(one side) bool {
		return one.n != 0 && slices.Contains(p.Shows, one.n) || one.head != 0 && slices.Contains(p.Shows, one.head)
	})
}

// bodyOf is the body that came with a head, 0 for none.
func bodyOf(rec *library.Recording, head uint64) uint64 {
	const near = 16 // frames of one message stand together
	m := rec.Frame(head)
	for n := head + 1; m != nil && n <= head+near; n++ {
		if one := rec.Frame(n); one != nil && one.X == m.X && one.Dir == m.Dir && one.Kind == wire.KindBody {
			return n
		}
	}
	return 0
}

// sides are the two sides of a row; the response has no frame while there is none.
func sides(rec *library.Recording, i int) (request, response side) {
	row := rec.Tracker.Row(i)
	headOf, headOfAnswer := HeadsOf(rec, row)
	request = side{row: i, n: uint64(row.Request), head: headOf, body: uint64(row.Request)}
	response = side{row: i, n: uint64(row.Response), head: headOfAnswer, body: uint64(row.Response), answer: true}
	for _, one := range []*side{&request, &response} {
		if one.head == one.body {
			one.body = bodyOf(rec, one.head)
		}
		one.n = cmp.Or(one.n, one.head)
	}
	return request, response
}
