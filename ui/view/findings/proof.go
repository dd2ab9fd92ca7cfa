package findings

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/ui/detail"
	"midwire/ui/library"
	"midwire/ui/view"
)

// side is a request or a response that proves a finding.
type side struct {
	row        int // -1 for a frame that belongs to none
	n          uint64
	head, body uint64 // frames, 0 for none
	answer     bool
	own        bool // it is of the exchange where the finding shows, and not what it rests on
}

type proof struct {
	whole bool // nothing is folded
	of    proofKey
	sides []side
	got   map[uint64]wire.Frame
	bad   string // why some of the bytes cannot be read
	drawn drawnKey
	text  text
	own   int // line where the exchange itself begins
	hits  []hit
}

// proofKey changes when the proof is made of other frames.
type proofKey struct {
	f        *diagnose.Finding
	n        uint64
	frames   int
	response uint32
}

type drawnKey struct {
	proofKey
	w, look, got int
	whole        bool
	tight        bool // there is room for little: nothing but what matters most
	bad          string
	timing       any
}

// maxRead bounds what is read of a message for the proof, in bytes.
const maxRead = 1 << 20

// fetch asks for the frames that prove the selected finding.
func (p *View) fetch(h view.Host) tea.Cmd {
	p.spots.of(p.Selected())
	s := p.spots.current()
	if s == nil {
		p.proof = proof{whole: p.proof.whole}
		return nil
	}
	k := proofKey{f: s.Finding, n: s.n, frames: len(s.Frames)}
	if i := s.Rec.RowAt(s.n); i >= 0 {
		k.response = s.Rec.Tracker.Row(i).Response
	}
	if k != p.proof.of {
		p.proof = proof{whole: p.proof.whole, of: k, sides: sidesOf(s), drawn: p.proof.drawn}
		p.paper.Top = 0
	}
	var ns []uint64
	for _, one := range p.proof.sides {
		for _, n := range [2]uint64{one.head, one.body} {
			if m := s.Rec.Frame(n); m != nil && m.Len <= maxRead {
				ns = append(ns, n)
			}
		}
	}
	got, bad, cmd := h.Payloads(s.Rec, ns)
	p.proof.got, p.proof.bad = got, bad
	return tea.Batch(cmd, p.code.find(p, s.Located))
}

// sidesOf lists what proves a finding at a place in order of time: what it rests
// on, without the other exchanges of the same kind, and both sides of the
// exchange itself.
func sidesOf(s *spot) []side {
	var out []side
	add := func(one side) {
		if !slices.ContainsFunc(out, func(o side) bool { return o.n == one.n }) {
			out = append(out, one)
		}
	}
	own := s.Rec.RowAt(s.n)
	if own < 0 {
		add(side{row: -1, n: s.n, body: s.n, own: true})
	} else {
		request, response := sides(s.Rec, own)
		request.own, response.own = true, true
		add(request)
		if response.n != 0 {
			add(response)
		}
	}
	for _, n := range s.Frames {
		i := s.Rec.RowAt(n)
		switch m := s.Rec.Frame(n); {
		case m == nil || i == own && i >= 0:
		case i < 0:
			add(side{row: -1, n: n, body: n})
		default:
			request, response := sides(s.Rec, i)
			if shows(s, request, response) {
				continue
			}
			if row := s.Rec.Tracker.Row(i); response.n != 0 && row.Kind != session.RowNotification && m.Dir != row.Dir {
				request = response
			}
			add(request)
		}
	}
	slices.SortStableFunc(out, func(a, b side) int { return cmp.Compare(a.n, b.n) })
	return out
}

func shows(s *spot, of ...side) bool {
	return slices.ContainsFunc(of, func(one side) bool {
		return one.n != 0 && slices.Contains(s.Shows, one.n) || one.head != 0 && slices.Contains(s.Shows, one.head)
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
	headOf, headOfAnswer := detail.HeadsOf(rec, row)
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
