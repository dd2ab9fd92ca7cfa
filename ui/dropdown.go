package ui

import (
	"slices"
	"strings"

	lang "midwire/session/filter"
	"midwire/session/safe"
	"midwire/ui/query"
	"midwire/ui/term"
)

type dropMode uint8

const (
	dropNone  dropMode = iota
	dropWords          // what can be written at the cursor
	dropKept           // filters of before
)

const (
	maxOffered = 60 // lines, of which a few are on the screen
	maxValue   = 80 // bytes of a value that is offered
)

// dropItem is one line of the drop-down.
type dropItem struct {
	insert string
	show   safe.Text
	note   safe.Text
	more   bool // a value must follow
	count  bool // the note is a number
}

// dropDown offers what can be written, above the line of the filter.
type dropDown struct {
	mode     dropMode
	items    []dropItem
	at       int // chosen, -1 for none
	top      int
	from, to int // what an item takes the place of, in bytes
	census   census
	place    term.Rect // where the lines were drawn
}

func (d *dropDown) open(m *Model) {
	d.census = newCensus(m.list.Scope)
	d.update(m)
}

func (d *dropDown) close() { *d = dropDown{at: -1} }

// update offers what fits the word at the cursor.
func (d *dropDown) update(m *Model) {
	d.mode, d.at, d.top, d.items = dropWords, -1, 0, nil
	text, cursor := m.filter.cursor()
	spot := lang.At(text, cursor)
	d.from, d.to = spot.From, spot.To
	switch {
	case spot.Name:
		d.offerSaved(m, spot.Value)
	case spot.Key != "":
		d.offerValues(spot)
	case spot.Op == "":
		d.offerKeys(spot.Value)
		d.offerSaved(m, spot.Value)
	}
	word := text[d.from:d.to]
	d.items = slices.DeleteFunc(d.items, func(it dropItem) bool { return it.insert == word })
	d.items = d.items[:min(len(d.items), maxOffered)]
	if len(d.items) == 0 {
		d.mode = dropNone
	}
}

// refresh takes in what was counted meanwhile; the choice stays.
func (d *dropDown) refresh(m *Model) {
	if d.mode == dropKept {
		return
	}
	chosen := ""
	if d.at >= 0 && d.at < len(d.items) {
		chosen = d.items[d.at].insert
	}
	d.update(m)
	if chosen != "" {
		d.at = slices.IndexFunc(d.items, func(it dropItem) bool { return it.insert == chosen })
	}
}

// cursor is the text of the line, and the byte of it where the cursor stands.
func (f *filterLine) cursor() (string, int) {
	text := f.input.Value()
	runes := []rune(text)
	return text, len(string(runes[:min(f.input.Position(), len(runes))]))
}

func (d *dropDown) offerKeys(begin string) {
	begin = strings.ToLower(begin)
	for _, k := range lang.Keys() {
		if !strings.HasPrefix(k.Name, begin) || k.Name == "rule" && begin == "" {
			continue
		}
		op := ":"
		if k.Type == lang.Latency || k.Type == lang.Size {
			op = ">"
		}
		d.items = append(d.items, dropItem{insert: k.Name + op, show: safe.Line(k.Name) + safe.Line(op), note: safe.Line(k.Help), more: true})
	}
	if len(begin) < 2 {
		return
	}
	for _, key := range []string{"method", "tool", "finding", "client", "is", "kind"} {
		for _, v := range d.census.values(key) {
			if beginsWord(strings.ToLower(v.value), begin) {
				d.offer(key+":", v)
			}
		}
	}
}

// beginsWord says whether a text stands at the beginning of a word.
func beginsWord(s, begin string) bool {
	for i := strings.Index(s, begin); i >= 0; {
		if i == 0 || strings.IndexByte("/_-. ", s[i-1]) >= 0 {
			return true
		}
		next := strings.Index(s[i+1:], begin)
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func (d *dropDown) offerValues(spot lang.Spot) {
	if spot.Op == "~" {
		return
	}
	for _, v := range fitting(d.census.values(spot.Key), spot.Value) {
		d.offer(spot.Key+spot.Op, v)
	}
}

// offer adds a value. One that could not be typed, or that has no room, is
// left out.
func (d *dropDown) offer(before string, v counted) {
	if len(v.value) > maxValue || string(safe.Line(v.value)) != v.value {
		return
	}
	insert := before + lang.Quote(v.value)
	it := dropItem{insert: insert, show: safe.Line(insert)}
	if v.n > 0 {
		it.note, it.count = term.Number(v.n), true
	}
	d.items = append(d.items, it)
}

// fitting are the values that hold a text, those that begin with it first.
func fitting(all []counted, begin string) []counted {
	begin = strings.ToLower(begin)
	var first, then []counted
	for _, v := range all {
		switch low := strings.ToLower(v.value); {
		case strings.HasPrefix(low, begin):
			first = append(first, v)
		case strings.Contains(low, begin):
			then = append(then, v)
		}
	}
	return append(first, then...)
}

func (d *dropDown) offerSaved(m *Model, begin string) {
	begin = strings.ToLower(begin)
	for _, n := range m.filter.kept.names() {
		if strings.HasPrefix(strings.ToLower(n), begin) {
			d.items = append(d.items, dropItem{insert: "@" + n, show: safe.Line("@" + n), note: safe.Line(m.filter.kept.saved[n])})
		}
	}
}

// list offers the filters of before, the saved ones first and the latest last.
// What was typed already, they must hold.
func (d *dropDown) list(m *Model) {
	k := &m.filter.kept
	typed := strings.ToLower(m.filter.input.Value())
	if d.mode == dropKept || m.filter.input.Value() == m.filter.before {
		typed = ""
	}
	d.mode, d.items, d.top = dropKept, nil, 0
	for _, n := range k.names() {
		if query.Contains("@"+n+" "+k.saved[n], typed) {
			d.items = append(d.items, dropItem{insert: "@" + n, show: safe.Line("@" + n), note: safe.Line(k.saved[n])})
		}
	}
	for _, s := range k.used {
		if query.Contains(s, typed) {
			d.items = append(d.items, dropItem{insert: s, show: safe.Line(s)})
		}
	}
	if d.at = len(d.items) - 1; d.at < 0 {
		d.mode = dropNone
		m.complain("no earlier filter; enter keeps one, ctrl+s saves it under a name")
		return
	}
	d.items = d.items[max(0, len(d.items)-maxOffered):]
	d.at = len(d.items) - 1
	m.filter.preview(m)
}

// preview shows what the chosen filter of before would do.
func (f *filterLine) preview(m *Model) {
	f.input.SetValue(f.drop.items[f.drop.at].insert)
	f.input.CursorEnd()
	f.apply(m)
}

// choose goes to the next line of the drop-down. In an empty line up calls
// for the filters of before.
func (f *filterLine) choose(m *Model, up bool) {
	d := &f.drop
	if d.mode != dropKept && (f.input.Value() == "" || up && d.mode == dropNone) && d.at < 0 && len(f.kept.used)+len(f.kept.saved) > 0 {
		d.list(m)
		return
	}
	n := len(d.items)
	if d.mode == dropNone || n == 0 {
		return
	}
	switch {
	case up && d.at < 0:
		d.at = n - 1
	case up:
		d.at = (d.at + n - 1) % n
	default:
		d.at = (d.at + 1) % n
	}
	if d.mode == dropKept {
		f.preview(m)
	}
}

// complete writes the chosen line of the drop-down, or the first; where the
// filter is wrong and the correction is obvious, the correction.
func (f *filterLine) complete(m *Model) {
	d := &f.drop
	if f.err != nil && f.err.Fix != "" && d.at < 0 {
		text := f.input.Value()
		fixed := text[:f.err.From] + f.err.Fix
		f.input.SetValue(fixed + text[f.err.To:])
		f.input.SetCursor(len([]rune(fixed)))
		f.apply(m)
		d.update(m)
		return
	}
	if d.mode == dropNone || len(d.items) == 0 {
		return
	}
	f.take(m, d.items[max(d.at, 0)])
}

// take writes an item and says whether it is whole.
func (f *filterLine) take(m *Model, it dropItem) bool {
	d := &f.drop
	if d.mode == dropKept {
		d.mode, d.at = dropNone, -1
		return true
	}
	text := f.input.Value()
	done := text[:d.from] + it.insert
	f.input.SetValue(done + text[min(max(d.to, d.from), len(text)):])
	f.input.SetCursor(len([]rune(done)))
	f.apply(m)
	d.update(m)
	return !it.more
}

// lines is how many lines of the drop-down have room.
func (d *dropDown) lines(m *Model) int {
	n := 3
	switch h := m.lay.status.Y; {
	case h >= 28:
		n = 10
	case h >= 18:
		n = 7
	case h >= 11:
		n = 4
	}
	return min(n, len(d.items))
}

// draw puts the drop-down over the screen, above the line of the filter.
func (d *dropDown) draw(screen []string, m *Model) []string {
	d.place = term.Rect{}
	if m.entry != &m.filter || d.mode == dropNone || len(d.items) == 0 || m.lay.tiny {
		return screen
	}
	if m.filter.err != nil && m.lay.hints.H == 0 {
		return screen // what is wrong stands there
	}
	n := d.lines(m)
	if d.at >= 0 {
		d.top = max(min(d.top, d.at), d.at-n+1)
	}
	d.top = max(0, min(d.top, len(d.items)-n))
	shown, note := 0, 0
	for _, it := range d.items[d.top : d.top+n] {
		shown, note = max(shown, term.Width(it.show)), max(note, term.Width(it.note))
		if it.note != "" && !it.count {
			shown = max(shown, 11) // a column
		}
	}
	w := max(shown+note+8, 24)
	if d.mode == dropKept {
		w = max(w, 40)
	}
	w = min(w, m.w-2, 76)
	x := 2
	if d.mode == dropWords {
		text := m.filter.input.Value()
		x = 2 + term.Width(safe.Line(text[:min(d.from, len(text))]))
	}
	x = max(0, min(x, m.w-w))
	block := d.block(m, n, w)
	bottom := m.lay.status.Y
	if m.lay.rule.H > 0 {
		bottom = m.lay.rule.Y
	}
	y := max(1, bottom-len(block))
	d.place = term.Rect{X: x, Y: y + 1, W: w, H: n}
	return term.Over(screen, block, x, y)
}

// block draws the frame and the lines in it.
func (d *dropDown) block(m *Model, n, w int) []string {
	c := m.sg.Corners
	frame := func(left, right, note safe.Text) string {
		l := term.NewLine(w, &m.sg).Put(m.th.Frame, left)
		if note != "" {
			l.Fill(m.th.Frame, m.sg.H, w-term.Width(note)-4).Gap(1).Put(m.th.Dim, note).Gap(1)
		}
		return l.Fill(m.th.Frame, m.sg.H, w-1).Put(m.th.Frame, right).Finish()
	}
	note := safe.Text("")
	if d.mode == dropKept {
		note = "earlier filters, ^x forgets one"
	}
	if rest := len(d.items) - n; rest > 0 {
		note += safe.Repeat("  ", min(1, len(note))) + term.Number(rest) + " more"
	}
	if term.Width(note) > w-6 {
		note = ""
	}
	out := []string{frame(c[0], c[1], note)}
	side := term.NewLine(1, &m.sg).Put(m.th.Frame, m.sg.V).Finish()
	for i, it := range d.items[d.top : d.top+n] {
		l := term.NewLine(w-2, &m.sg)
		if d.top+i == d.at {
			l.Selected(&m.th, true)
			l.Put(m.th.Key, m.sg.Bar)
		}
		l.Gap(1 - l.Used)
		room := w - 4
		switch note := term.Width(it.note); {
		case it.count:
			l.PutMax(term.Plain, it.show, room-note-2-l.Used).Gap(w-3-note-l.Used).Put(m.th.Dim, it.note)
		case note > 0:
			l.Cell(term.Plain, it.show, max(11, term.Width(it.show)+2)).PutMax(m.th.Dim, it.note, room-l.Used)
		default:
			l.PutMax(term.Plain, it.show, room-l.Used)
		}
		out = append(out, side+l.Finish()+side)
	}
	return append(out, frame(c[2], c[3], ""))
}

// click takes the line under the pointer.
func (d *dropDown) click(m *Model, x, y int) bool {
	if m.entry != &m.filter || !d.place.Has(x, y) {
		return false
	}
	d.at = d.top + y - d.place.Y
	if d.mode == dropKept {
		m.filter.preview(m)
	} else {
		m.filter.take(m, d.items[d.at])
	}
	return true
}
