package document

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// wrapper breaks segments at blanks, also where a word is of several of them.
type wrapper struct {
	w, indent int
	lines     [][]term.Seg
	now       []term.Seg
	used      int
	word      []term.Seg // that is not yet on a line
	blanks    []term.Seg // before it
}

// wrap breaks segments into lines of w cells; what continues a line is indented.
func wrap(segs []term.Seg, w, indent int) [][]term.Seg {
	x := wrapper{w: w, indent: min(indent, w/2)}
	for _, s := range segs {
		for t := s.Text; t != ""; {
			n := strings.IndexByte(string(t), ' ')
			if n < 0 {
				n = len(t)
			}
			if n > 0 {
				x.word = append(x.word, term.S(s.Style, t[:n]))
				t = t[n:]
				continue
			}
			x.flush()
			n = len(t) - len(strings.TrimLeft(string(t), " "))
			x.blanks, t = append(x.blanks, term.S(s.Style, t[:n])), t[n:]
		}
	}
	x.flush()
	for _, s := range x.blanks {
		x.put(s)
	}
	return append(x.lines, x.now)
}

// flush puts the word on the line, or on the next where it does not fit.
func (x *wrapper) flush() {
	if len(x.word) == 0 {
		return
	}
	n := term.SegsWidth(x.word)
	if len(x.now) > 0 && x.used > x.start() && x.used+term.SegsWidth(x.blanks)+n > x.w {
		x.next()
	} else {
		for _, s := range x.blanks {
			x.put(s)
		}
	}
	x.blanks = x.blanks[:0]
	for _, s := range x.word {
		for x.used+term.Width(s.Text) > x.w {
			head := term.Cut(s.Text, max(x.w-x.used, 1), "")
			if head == "" {
				break
			}
			x.put(term.S(s.Style, head))
			s.Text = s.Text[len(head):]
			x.next()
		}
		x.put(s)
	}
	x.word = x.word[:0]
}

// start is how many cells of the line are indentation.
func (x *wrapper) start() int {
	if len(x.lines) == 0 {
		return 0
	}
	return x.indent
}

func (x *wrapper) next() {
	x.lines = append(x.lines, x.now)
	x.now, x.used = nil, 0
	x.put(term.S(term.Plain, safe.Repeat(" ", x.indent)))
}

func (x *wrapper) put(s term.Seg) {
	if n := len(x.now); n > 0 && x.now[n-1].Style == s.Style {
		x.now[n-1].Text += s.Text
	} else if s.Text != "" {
		x.now = append(x.now, s)
	}
	x.used += term.Width(s.Text)
}

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
