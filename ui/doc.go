package ui

import (
	"bytes"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
	"midwire/ui/term"
)

// docLine is one line of a document on the screen: either segments, or text
// from the wire with the marks of safe.Marked in it.
type docLine struct {
	segs []term.Seg
	raw  string
	json bool  // raw is JSON, to be coloured
	in   lexer // where in the JSON the line begins: a string may be wrapped
	goes int   // 1 + bytes of indentation before what continues the line above; 0 for a line of its own
	node int32 // 1 + the JSON value that the line is of; 0 for none
}

// doc is what a tab of the detail pane shows.
type doc struct {
	w     int // segments are wrapped here; 0 for no limit
	lines []docLine

	hex *hexDump // bytes, instead of lines

	// Of JSON, that can be folded: nil for anything else.
	nodes   []jsonNode
	sources []source
	folds   *folds
}

// add adds a line, which continues below itself when it is too long.
func (d *doc) add(segs ...term.Seg) { d.addIndented(2, segs) }

func (d *doc) addIndented(indent int, segs []term.Seg) {
	pad := term.S(term.Plain, safe.Text(strings.Repeat(" ", indent)))
	room := d.w
	var now []term.Seg
	for _, s := range segs {
		for d.w > 0 && term.Width(s.Text) > room {
			head, rest := breakText(s.Text, room, len(now) <= 1)
			if head != "" {
				now = append(now, term.S(s.Style, head))
			}
			d.lines = append(d.lines, docLine{segs: now})
			now, room, s.Text = []term.Seg{pad}, max(d.w-indent, 4), rest
		}
		now = append(now, s)
		room -= term.Width(s.Text)
	}
	d.lines = append(d.lines, docLine{segs: now})
}

// breakText cuts text so that the first part takes at most n cells: at a blank
// when there is one, else anywhere if it must.
func breakText(t safe.Text, n int, must bool) (head, rest safe.Text) {
	at := fit(string(t), max(n, 1))
	if i := strings.LastIndexByte(string(t[:at]), ' '); i > 0 {
		return t[:i], t[i+1:]
	}
	if !must || n <= 0 {
		return "", t
	}
	return t[:at], t[at:]
}

// widest is the width of the longest line; long ones are measured in bytes.
func (d *doc) widest() int {
	w := 0
	for i := range d.lines {
		if n := len(d.lines[i].raw); n > w {
			w = n
		}
	}
	return w
}

func (d *doc) blank()                          { d.lines = append(d.lines, docLine{}) }
func (d *doc) text(st term.Style, t safe.Text) { d.add(term.S(st, t)) }
func (d *doc) field(th *term.Theme, name safe.Text, segs ...term.Seg) {
	pad := safe.Text(strings.Repeat(" ", max(1, 11-len(name))))
	d.addIndented(11, append([]term.Seg{term.S(th.Dim, name+pad)}, segs...))
}

const maxShown = 2 << 20 // bytes of one payload that are laid out

// wrapped adds text from the wire, one line for each of its lines, broken
// where the pane ends.
func (d *doc) wrapped(th *term.Theme, data []byte, w int, isJSON bool) {
	more := 0
	if len(data) > maxShown {
		more = len(data) - maxShown
		data = data[:maxShown]
	}
	for len(data) > 0 {
		var one []byte
		if before, after, ok := bytes.Cut(data, []byte{'\n'}); ok {
			one, data = before, after
		} else {
			one, data = data, nil
		}
		d.wrapLine(safe.Marked(string(one)), w, isJSON)
	}
	if more > 0 {
		d.text(th.Warn, term.Size(int64(more))+" more are in the recording and not shown here")
	}
}

// wrapLine breaks one marked line at w cells. Continued lines keep the
// indentation of the first, up to a third of the width.
func (d *doc) wrapLine(s string, w int, isJSON bool) {
	w = max(w, 8)
	indent := 0
	for indent < len(s) && s[indent] == ' ' {
		indent++
	}
	pad := strings.Repeat(" ", min(indent+2, w/3))
	var lex lexer
	for first := true; first || s != ""; first = false {
		room, prefix := w, ""
		if !first {
			room, prefix = w-len(pad), pad
		}
		s = parted(s, room)
		n := fit(s, room)
		one := docLine{raw: prefix + s[:n], json: isJSON, in: lex}
		if !first {
			one.goes = 1 + len(prefix)
		}
		d.lines = append(d.lines, one)
		if isJSON && n < len(s) {
			lex.skip(s[:n])
		}
		s = s[n:]
	}
}

// parted splits a stand-in at the beginning of marked text in two when it is
// wider than w cells. Only those that are written as escapes are: ASCII.
func parted(s string, w int) string {
	if s == "" || s[0] != safe.MarkOn {
		return s
	}
	end := strings.IndexByte(s, safe.MarkOff)
	if end < 0 || term.Width(safe.Text(s[1:end])) <= w {
		return s
	}
	return s[:1+w] + string(rune(safe.MarkOff)) + string(rune(safe.MarkOn)) + s[1+w:]
}

// fit is how many bytes of marked text fill at most w cells; at least one
// character, and marks are never parted from what they mark.
func fit(s string, w int) int {
	cells := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c == safe.MarkOn {
			end := i + strings.IndexByte(s[i:], safe.MarkOff) + 1
			cells += term.Width(safe.Text(s[i+1 : end-1]))
			if cells > w && i > 0 {
				return i
			}
			i = end
			continue
		}
		n, cw := 1, 1
		if c >= 0x80 || i+1 < len(s) && s[i+1] >= 0x80 {
			cluster, clw := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
			n, cw = max(len(cluster), 1), clw
			if k := strings.IndexByte(s[i:i+n], safe.MarkOn); k > 0 {
				n = k
			}
		}
		if cells += cw; cells > w && i > 0 {
			return i
		}
		i += n
	}
	return len(s)
}

// draw writes one line of the document.
func (dl *docLine) draw(l *term.Line, th *term.Theme) { dl.drawWith(&pen{l: l, th: th}) }

func (dl *docLine) drawWith(p *pen) {
	for _, s := range dl.segs {
		p.put(s.Style, s.Text)
	}
	if dl.raw == "" {
		return
	}
	if !dl.json {
		p.marked(term.Plain, dl.raw)
		return
	}
	lex := dl.in
	lex.colour(dl.raw, func(st jsonPart, piece string) { p.marked(st.style(p.th), piece) })
}

// unmarked makes Text of a piece of marked text; a stray mark is dropped.
func unmarked(s string) safe.Text {
	return safe.Text(strings.Map(func(r rune) rune {
		if r == safe.MarkOn || r == safe.MarkOff {
			return -1
		}
		return r
	}, s))
}
