package insight

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/view"
)

// payloads are the frames that a view shows a part of. They are read by commands
// when they are wanted.
type payloads struct {
	rec  *library.Recording
	have map[uint64]payload
}

// payload is what a frame holds: of a message its JSON, of a head its lines.
type payload struct {
	data []byte
	why  string // it could not be read
	come bool   // false while it is being read
}

// maxPayloads bounds how many frames are kept.
const maxPayloads = 64

// load reads those of the frames that are not at hand.
func (p *payloads) load(r *Reader, rec *library.Recording, frames []uint64) tea.Cmd {
	if rec != p.rec || len(p.have) > maxPayloads {
		*p = payloads{rec: rec, have: map[uint64]payload{}}
	}
	msg := payloadsMsg{to: p, rec: rec}
	open := map[uint64]func(*wire.Frame) []byte{}
	for _, n := range frames {
		if _, asked := p.have[n]; n != 0 && !asked {
			p.have[n] = payload{}
			open[n] = rec.Tracker.Decoder(uint32(n))
			msg.frames = append(msg.frames, n)
		}
	}
	if len(msg.frames) == 0 {
		return nil
	}
	return func() tea.Msg {
		for _, n := range msg.frames {
			f, err := r.Frame(rec.ID, n)
			one := payload{come: true}
			switch {
			case err != nil:
				one.why = err.Error()
			case f.HoldsMessages():
				one.data = open[n](&f)
			default:
				one.data = f.Data
			}
			msg.got = append(msg.got, one)
		}
		return msg
	}
}

// payloadsMsg brings what was read.
type payloadsMsg struct {
	to     *payloads
	rec    *library.Recording
	frames []uint64
	got    []payload
}

// Take implements view.Message.
func (msg payloadsMsg) Take(view.Host) tea.Cmd {
	if msg.to.rec == msg.rec {
		for i, n := range msg.frames {
			msg.to.have[n] = msg.got[i]
		}
	}
	return nil
}
