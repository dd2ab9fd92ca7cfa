package intercept

import (
	"errors"
	"io"
	"sync/atomic"

	"midwire/intercept/gate"
	"midwire/session/wire"
)

// pump forwards one direction of one stream: every byte that moves through a
// tap moves in run.
type pump struct {
	tap  *Tap
	src  source
	dst  io.Writer
	to   stream
	dir  wire.Dir
	edit editor // nil when nothing can need an edit

	gated *gate.Conn // who gets the bytes in place of dst, nil for nobody; guarded by queue.mu
	plain int64      // moves when the last bytes went to dst directly; guarded by queue.mu

	// moves counts the reads and writes that are over. It is odd while bytes
	// that were read are not written yet.
	moves atomic.Int64
	last  atomic.Int64 // when bytes last came
}

// editor stands in the path where a head or an event must be changed. It is
// given what was read and returns what to write; it may hold back bytes of a
// unit that it must see whole. With errRefused nothing more is forwarded.
type editor interface {
	edit(p []byte) ([]byte, error)
	// rest returns what is held back when nothing more comes.
	rest() []byte
}

// errRefused says that an editor answered a request itself.
var errRefused = errors.New("refused by midwire")

// errWrite says that the side written to is gone.
type errWrite struct{ error }

func (e errWrite) Unwrap() error { return e.error }

// run forwards until the source ends or a side fails. It returns nil at the
// end of the source, an errWrite when the destination is gone, errRefused, and
// the error of the source otherwise.
//
// The observer is given its copy before the bytes are written: otherwise an
// answer could be observed before the question it answers. The copy is a
// memory move of some nanoseconds and waits for nothing.
func (p *pump) run() error {
	err := p.copy()
	var gone errWrite
	if c := p.tap.q.gateOf(p); c != nil && !errors.As(err, &gone) {
		c.End(p.dir, err)
	}
	if p.edit == nil || errors.As(err, &gone) || errors.Is(err, errRefused) {
		return err
	}
	// A unit that was cut off arrives as far as it came.
	if held := p.edit.rest(); len(held) > 0 {
		if _, e := p.dst.Write(held); e != nil && err == nil {
			return errWrite{e}
		}
	}
	return err
}

func (p *pump) copy() error {
	for {
		b, err := p.src.next()
		if len(b) > 0 {
			if err := p.forward(b); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			// The second is TLS that ended without saying so. Many servers do.
			return nil
		case err != nil:
			return err
		}
	}
}

func (p *pump) forward(b []byte) error {
	now := p.tap.now()
	p.last.Store(now)
	p.moves.Add(1)
	defer p.moves.Add(1)
	for c := p.tap.q.offer(p, now, b); c != nil; c = p.tap.q.offer(p, now, b) {
		if again, err := c.Feed(p.dir, b); !again {
			return err
		}
	}
	return p.write(b)
}

// write writes to the other side, by way of the editor.
func (p *pump) write(b []byte) error {
	if p.edit != nil {
		var err error
		if b, err = p.edit.edit(b); err != nil {
			return err
		}
	}
	if len(b) == 0 {
		return nil
	}
	if _, err := p.dst.Write(b); err != nil {
		return errWrite{err}
	}
	return nil
}
