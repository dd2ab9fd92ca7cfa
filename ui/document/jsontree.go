package document

import (
	"bytes"
	"unicode/utf8"

	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// jsonNode is one JSON value of a document. Nodes stand in the order of their
// beginnings; offsets are in the node's source.
type jsonNode struct {
	Parent            int32 // -1 for none
	Src               int32 // which of the document's sources it is in
	From, To          int32 // the value
	key, keyEnd       int32 // its name with the quotes; nothing for one that has none
	index             int32 // in its parent, from 0
	count             int32 // how many values it has
	first, head, last int32 // lines: its first, the last that stays when it is folded, its last
	open              byte  // '{' or '[', 0 for a value without parts
	shut              bool  // folded until somebody asks
	above             bool  // shown above in other words
	Stands            bool  // a string shown as what it stands for, not as it is written
	Cut               bool  // there is more of it than is laid out
}

type source struct {
	Data  []byte
	owner int32 // node of the string that it is in; -1 for the payload itself
}

const (
	maxJSON  = 128 << 20 // longer JSON is shown as it is
	maxInner = 3         // JSON in a string in a string
	tabWidth = 2
)

// Body adds a payload: JSON indented, anything else as lines. The text is that
// of json.Indent, as far as it is laid out, with characters instead of escapes.
func (d *Doc) Body(th *term.Theme, data []byte, w int) {
	if len(data) > maxJSON || !wire.Valid(data) {
		d.Wrapped(th, data, w)
		return
	}
	if d.Folds == nil {
		d.Folds = &folds{}
	}
	left, scan := maxShown, maxJSON
	x := walker{d: d, th: th, w: w, at: -1, of: -1, left: &left, scan: &scan}
	end := len(bytes.TrimRight(data, " \t\r\n"))
	if done := x.walk(data[:end], -1); done < end {
		d.Text(th.Warn, term.Size(int64(len(data)-done))+" more are in the recording and not shown here")
		return
	}
	for i, rest := range bytes.Split(bytes.TrimSuffix(data[end:], []byte{'\n'}), []byte{'\n'}) {
		if i == 0 {
			x.line = append(x.line, rest...)
			x.flush()
			continue
		}
		d.WrapLine(safe.Marked(string(rest)), w, true)
	}
}

// walker lays out valid JSON. The line it is at waits for the comma that may
// follow.
type walker struct {
	d       *Doc
	th      *term.Theme
	w       int // cells of a line
	data    []byte
	src     int32
	at      int32 // node that the next value is in
	depth   int   // of the next value
	key     [2]int32
	line    []byte
	of      int32 // node of the line; -1 for no line
	closing bool  // the line ends its node
	left    *int  // bytes that are still to be laid out
	scan    *int  // bytes that may be looked at for the sake of one value
	inner   int   // how deep in strings
	num     int32 // of the line, in the unfolded text
	note    safe.Text
}

// walk lays out data, which is one value without blanks around it, and returns
// how far it came. Its last line is left waiting.
func (x *walker) walk(data []byte, owner int32) int {
	x.data, x.src = data, int32(len(x.d.Sources))
	x.d.Sources = append(x.d.Sources, source{data, owner})
	x.at = owner
	for i := 0; i < len(data); {
		if *x.left <= 0 {
			x.flush()
			x.stop(owner)
			return i
		}
		switch c := data[i]; c {
		case ' ', '\t', '\r', '\n', ':':
			i++
		case ',':
			x.line = append(x.line, ',')
			i++
		case '}', ']':
			x.shut(int32(i + 1))
			i++
		case '{', '[':
			i = x.enter(i)
		case '"':
			end := stringEnd(data, i)
			if x.wantsKey() {
				x.key = [2]int32{int32(i), int32(end)}
			} else {
				x.value(i, end, 0)
			}
			i = end
		default:
			end := i
			for end < len(data) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(data[end])) {
				end++
			}
			x.value(i, end, 0)
			i = end
		}
	}
	return len(data)
}

func (x *walker) wantsKey() bool {
	return x.at >= 0 && x.d.Nodes[x.at].open == '{' && x.key[1] == 0
}

// enter begins an object or an array; an empty one is over at once.
func (x *walker) enter(i int) int {
	end := i + 1
	for end < len(x.data) && bytes.IndexByte([]byte(" \t\r\n"), x.data[end]) >= 0 {
		end++
	}
	if x.data[end] == x.data[i]+2 { // the closing bracket is the next but one in ASCII
		x.value(i, end+1, 0)
		return end + 1
	}
	x.at = x.value(i, i+1, x.data[i])
	x.depth++
	return i + 1
}

// shut ends the object or array at hand.
func (x *walker) shut(end int32) {
	x.flush()
	n := &x.d.Nodes[x.at]
	n.To = end
	x.depth--
	x.of, x.closing = x.at, true
	x.begin()
	x.line = append(x.line, x.data[end-1])
	x.at = n.Parent
}

func (x *walker) value(from, to int, open byte) int32 {
	x.flush()
	n := jsonNode{
		Parent: x.at, Src: x.src, From: int32(from), To: int32(to),
		key: x.key[0], keyEnd: x.key[1], open: open,
	}
	if x.at >= 0 {
		p := &x.d.Nodes[x.at]
		n.index = p.count
		p.count++
	}
	x.of, x.closing = int32(len(x.d.Nodes)), false
	x.d.Nodes = append(x.d.Nodes, n)
	x.begin()
	if n.keyEnd > 0 {
		x.line = append(append(x.line, x.fitting(x.data[n.key:n.keyEnd])...), ": "...)
	}
	x.key = [2]int32{}
	if text := x.data[from:to]; open != 0 || text[0] != '{' && text[0] != '[' {
		x.line = append(x.line, x.fitting(text)...)
	} else {
		x.line = append(x.line, text[0], text[len(text)-1])
	}
	return x.of
}

func (x *walker) fitting(text []byte) []byte {
	room := max(*x.left, 64)
	if len(text) <= room {
		return text
	}
	for room > 0 && !utf8.RuneStart(text[room]) {
		room--
	}
	x.note = term.Size(int64(len(text)-room)) + " more of it are in the recording and not shown here"
	return text[:room]
}

func (x *walker) begin() {
	for range x.depth * tabWidth {
		x.line = append(x.line, ' ')
	}
}

// flush lays out the line at hand, and what its string stands for.
func (x *walker) flush() {
	if x.of < 0 {
		return
	}
	d, of, from := x.d, x.of, len(x.d.Lines)
	var r reading
	if !x.closing {
		d.Nodes[of].first = int32(from)
		r = x.read(&d.Nodes[of])
	}
	if r.head != "" {
		*x.left -= len(r.head) + 8
		x.stand(of, r)
	} else {
		d.WrapLine(safe.Marked(ReadableJSON(string(x.line))), x.w, true)
		if x.note != "" {
			d.Text(x.th.Warn, x.note)
		}
		*x.left -= len(x.line) + 8
	}
	if x.inner == 0 {
		x.num++
		d.Lines[from].num = x.num
	}
	x.line, x.of, x.note = x.line[:0], -1, ""
	d.belong(from, of)
	n := &d.Nodes[of]
	n.last = int32(len(d.Lines) - 1)
	if !x.closing && !n.Stands {
		n.head = n.last
	}
}

func (d *Doc) belong(from int, of int32) {
	for i := from; i < len(d.Lines); i++ {
		if d.Lines[i].node == 0 {
			d.Lines[i].node = of + 1
		}
	}
}

// stop ends everything that is open where there is no more room.
func (x *walker) stop(owner int32) {
	for i := x.at; i >= 0 && i != owner; i = x.d.Nodes[i].Parent {
		n := &x.d.Nodes[i]
		n.last, n.To, n.Cut = int32(len(x.d.Lines)-1), int32(len(x.data)), true
	}
}

// stringEnd is the index behind the string that begins at i, in valid JSON.
func stringEnd(b []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		slashes := 0
		for k := i + n; k > i && b[k-1] == '\\'; k-- {
			slashes++
		}
		if i += n; slashes%2 == 0 {
			return i + 1
		}
	}
}
