package document

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// span is a stretch of a line's text, in bytes, that is to stand out.
type span struct {
	from, to int
	now      bool // the one among many where the reader is
}

// styled is a stretch of a line's text with a style besides its own.
type styled struct {
	span
	st term.Style
}

// Pen writes a line of a document: what is scrolled out at the left is left
// out, and hits of a search stand out.
type Pen struct {
	L     *term.Line
	Th    *term.Theme
	skip  int // cells still to leave out
	spans []span
	links []styled
	pos   int // bytes of text so far
}

func (p *Pen) put(st term.Style, t safe.Text) {
	for t != "" {
		n, hit := len(t), st
		for len(p.spans) > 0 && p.spans[0].to <= p.pos {
			p.spans = p.spans[1:]
		}
		if len(p.spans) > 0 {
			switch s := p.spans[0]; {
			case s.from > p.pos:
				n = min(n, s.from-p.pos)
			default:
				n = min(n, s.to-p.pos)
				if hit = st + p.Th.Hit; s.now {
					hit = p.Th.HitNow
				}
			}
		}
		for len(p.links) > 0 && p.links[0].to <= p.pos {
			p.links = p.links[1:]
		}
		if len(p.links) > 0 {
			if s := p.links[0]; s.from > p.pos {
				n = min(n, s.from-p.pos)
			} else {
				n, hit = min(n, s.to-p.pos), hit+s.st
			}
		}
		p.out(hit, t[:n])
		p.pos += n
		t = t[n:]
	}
}

func (p *Pen) out(st term.Style, t safe.Text) {
	if w := term.Width(t); p.skip >= w {
		p.skip -= w
		return
	}
	if p.skip > 0 {
		t = term.CutLeft(t, p.skip, "")
		p.skip = 0
	}
	p.L.Put(st, t)
}

// Marked adds marked text, the stand-ins in a style of their own.
func (p *Pen) Marked(st term.Style, s string) {
	for s != "" {
		i := strings.IndexByte(s, safe.MarkOn)
		if i < 0 {
			p.put(st, safe.Unmarked(s))
			return
		}
		p.put(st, safe.Unmarked(s[:i]))
		standIn, rest, _ := strings.Cut(s[i+1:], string(rune(safe.MarkOff)))
		p.put(p.Th.Placeholder, safe.Unmarked(standIn))
		s = rest
	}
}
