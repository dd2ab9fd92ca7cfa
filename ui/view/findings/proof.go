package findings

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/ui/detail"
	"midwire/ui/view"
)

type proof struct {
	detail.Proof
	of    proofKey
	drawn drawnKey
	text  detail.Text
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

// fetch asks for the frames that prove the selected finding.
func (p *View) fetch(h view.Host) tea.Cmd {
	p.spots.of(p.Selected())
	s := p.spots.current()
	if s == nil {
		p.proof = proof{Proof: detail.Proof{Whole: p.proof.Whole}}
		return nil
	}
	k := proofKey{f: s.Finding, n: s.n, frames: len(s.Frames)}
	if i := s.Rec.RowAt(s.n); i >= 0 {
		k.response = s.Rec.Tracker.Row(i).Response
	}
	if k != p.proof.of {
		whole := p.proof.Whole
		p.proof = proof{Proof: detail.ProofOf(s.Located, s.n), of: k, drawn: p.proof.drawn}
		p.proof.Whole = whole
		p.paper.Top = 0
	}
	got, bad, cmd := h.Payloads(s.Rec, p.proof.Frames())
	p.proof.Got, p.proof.Bad = got, bad
	return tea.Batch(cmd, p.code.find(p, s.Located))
}
