package filter

import (
	"slices"
	"strings"

	lang "midwire/session/filter"
	"midwire/session/safe"
	"midwire/session/words"
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
	facets   facets
	subject  Subject   // nil for messages
	place    term.Rect // where the lines were drawn
}

func (d *dropDown) open(h Host, f *Line) {
	if d.subject = f.of; f.of == nil {
		d.facets = newFacets(h.Scope())
	}
	d.update(f)
}

func (d *dropDown) close() { *d = dropDown{at: -1} }

// language is that of the filter, values what a key can have in it.
func (d *dropDown) language() lang.Language {
	if d.subject != nil {
		return d.subject.Language()
	}
	return lang.Messages()
}

func (d *dropDown) values(key string) []Value {
	if d.subject != nil {
		return d.subject.Values(key)
	}
	return d.facets.values(key)
}

// update offers what fits the word at the cursor.
func (d *dropDown) update(f *Line) {
	d.mode, d.at, d.top, d.items = dropWords, -1, 0, nil
	text, cursor := f.cursor()
	spot := d.language().At(text, cursor)
	d.from, d.to = spot.From, spot.To
	switch {
	case spot.Name:
		d.offerSaved(&f.kept, spot.Value)
	case spot.Key != "":
		d.offerValues(spot)
	case spot.Op == "":
		d.offerKeys(spot.Value)
		d.offerSaved(&f.kept, spot.Value)
	}
	word := text[d.from:d.to]
	d.items = slices.DeleteFunc(d.items, func(it dropItem) bool { return it.insert == word })
	d.items = d.items[:min(len(d.items), maxOffered)]
	if len(d.items) == 0 {
		d.mode = dropNone
	}
}

// refresh takes in what was counted meanwhile; the choice stays.
func (d *dropDown) refresh(f *Line) {
	if d.mode == dropKept {
		return
	}
	chosen := ""
	if d.at >= 0 && d.at < len(d.items) {
		chosen = d.items[d.at].insert
	}
	d.update(f)
	if chosen != "" {
		d.at = slices.IndexFunc(d.items, func(it dropItem) bool { return it.insert == chosen })
	}
}

// cursor is the text of the line, and the byte of it where the cursor stands.
func (f *Line) cursor() (string, int) {
	return f.Text(), len(f.input.Before())
}

func (d *dropDown) offerKeys(begin string) {
	begin = words.Fold(begin)
	for _, k := range d.language() {
		if !strings.HasPrefix(k.Name, begin) || k.Name == "rule" && begin == "" && d.subject == nil {
			continue
		}
		op := ":"
		if k.Type == lang.Latency || k.Type == lang.Size {
			op = ">"
		}
		show := safe.Line(k.Name) + safe.Line(op)
		d.items = append(d.items, dropItem{insert: k.Name + op, show: show, note: safe.Line(k.Help), more: true})
	}
	if len(begin) < 2 {
		return
	}
	for _, key := range []string{"method", "tool", "finding", "client", "is", "kind"} {
		for _, v := range d.values(key) {
			if beginsWord(words.Fold(v.Text), begin) {
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
	for _, v := range fitting(d.values(spot.Key), spot.Value) {
		d.offer(spot.Key+spot.Op, v)
	}
}

// offer adds a value. One that could not be typed, or that has no room, is
// left out.
func (d *dropDown) offer(before string, v Value) {
	if len(v.Text) > maxValue || string(safe.Line(v.Text)) != v.Text {
		return
	}
	insert := before + lang.Quote(v.Text)
	it := dropItem{insert: insert, show: safe.Line(insert)}
	if v.N > 0 {
		it.note, it.count = term.Number(v.N), true
	}
	d.items = append(d.items, it)
}

// fitting are the values that hold a text, those that begin with it first.
func fitting(all []Value, begin string) []Value {
	begin = words.Fold(begin)
	var first, then []Value
	for _, v := range all {
		switch low := words.Fold(v.Text); {
		case strings.HasPrefix(low, begin):
			first = append(first, v)
		case strings.Contains(low, begin):
			then = append(then, v)
		}
	}
	return append(first, then...)
}

func (d *dropDown) offerSaved(k *earlier, begin string) {
	for _, n := range k.names() {
		if words.HasPrefix(n, begin) {
			d.items = append(d.items, k.item(n))
		}
	}
}

// listEarlier offers the filters of before, the saved ones first and the latest last.
// What was typed already, they must hold.
func (f *Line) listEarlier(h Host) {
	d, k := &f.drop, &f.kept
	typed := f.Text()
	if d.mode == dropKept || f.Text() == f.before {
		typed = ""
	}
	d.mode, d.items, d.top = dropKept, nil, 0
	for _, n := range k.names() {
		if words.Contains("@"+n+" "+k.saved[n], typed) {
			d.items = append(d.items, k.item(n))
		}
	}
	for _, s := range k.used {
		if words.Contains(s, typed) {
			d.items = append(d.items, dropItem{insert: s, show: safe.Line(s)})
		}
	}
	if d.at = len(d.items) - 1; d.at < 0 {
		d.mode = dropNone
		h.Complain("no earlier filter; enter applies one, ctrl+s saves it under a name")
		return
	}
	d.items = d.items[max(0, len(d.items)-maxOffered):]
	d.at = len(d.items) - 1
	f.preview(h)
}

// preview shows what the chosen filter of before would do.
func (f *Line) preview(h Host) {
	f.input.Write(f.drop.items[f.drop.at].insert)
	f.apply(h)
}

// choose goes to the next line of the drop-down. In an empty line up calls
// for the filters of before.
func (f *Line) choose(h Host, up bool) {
	d := &f.drop
	calls := f.Text() == "" || up && d.mode == dropNone
	if d.mode != dropKept && calls && d.at < 0 && f.kept.any() {
		f.listEarlier(h)
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
		f.preview(h)
	}
}

// complete writes the chosen line of the drop-down, or the first; where the
// filter is wrong and the correction is obvious, the correction.
func (f *Line) complete(h Host) {
	d := &f.drop
	if f.err != nil && f.err.Fix != "" && d.at < 0 {
		text := f.Text()
		fixed := text[:f.err.From] + f.err.Fix
		f.input.SetValue(fixed + text[f.err.To:])
		f.input.SetCursor(len([]rune(fixed)))
		f.apply(h)
		d.update(f)
		return
	}
	if d.mode == dropNone || len(d.items) == 0 {
		return
	}
	f.take(h, d.items[max(d.at, 0)])
}

// take writes an item and says whether it is whole.
func (f *Line) take(h Host, it dropItem) bool {
	d := &f.drop
	if d.mode == dropKept {
		d.mode, d.at = dropNone, -1
		return true
	}
	text := f.Text()
	done := text[:d.from] + it.insert
	f.input.SetValue(done + text[min(max(d.to, d.from), len(text)):])
	f.input.SetCursor(len([]rune(done)))
	f.apply(h)
	d.update(f)
	return !it.more
}

// lines is how many lines of the drop-down have room.
func (d *dropDown) lines(room int) int {
	n := 3
	switch {
	case room >= 28:
		n = 10
	case room >= 18:
		n = 7
	case room >= 11:
		n = 4
	}
	return min(n, len(d.items))
}

// DrawOffers puts the drop-down over the screen, above the line of the filter.
func (f *Line) DrawOffers(screen []string, sc *term.Screen, foot Foot) []string {
	d := &f.drop
	d.place = term.Rect{}
	if !f.writing || d.mode == dropNone || len(d.items) == 0 {
		return screen
	}
	if f.err != nil && !foot.Below {
		return screen // what is wrong stands there
	}
	n := d.lines(foot.Y)
	d.top = term.Reveal(d.top, d.at, n, len(d.items))
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
	w = min(w, sc.Width-2, 76)
	x := 2
	if d.mode == dropWords {
		text := f.Text()
		x = 2 + term.Width(safe.Line(text[:min(d.from, len(text))]))
	}
	x = max(0, min(x, sc.Width-w))
	block := d.block(sc, n, w)
	y := max(1, foot.Top-len(block))
	d.place = term.Rect{X: x, Y: y + 1, W: w, H: n}
	return term.Over(screen, block, x, y)
}

// block draws the frame and the lines in it.
func (d *dropDown) block(sc *term.Screen, n, w int) []string {
	th, sg := sc.Theme, sc.Glyphs
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
	out := make([]string, 0, n)
	for i, it := range d.items[d.top : d.top+n] {
		l := sc.Row(w-2, d.top+i == d.at, true)
		room := w - 4
		switch note := term.Width(it.note); {
		case it.count:
			l.PutMax(term.Plain, it.show, room-note-2-l.Used).Gap(w-3-note-l.Used).Put(th.Dim, it.note)
		case note > 0:
			l.Cell(term.Plain, it.show, max(11, term.Width(it.show)+2)).PutMax(th.Dim, it.note, room-l.Used)
		default:
			l.PutMax(term.Plain, it.show, room-l.Used)
		}
		out = append(out, l.Finish())
	}
	return term.Box(th, sg, "", note, out, w)
}

// Click takes the line of the drop-down under the pointer, and says whether
// there is one.
func (f *Line) Click(h Host, x, y int) bool {
	d := &f.drop
	if !f.writing || !d.place.Has(x, y) {
		return false
	}
	d.at = d.top + y - d.place.Y
	if d.mode == dropKept {
		f.preview(h)
	} else {
		f.take(h, d.items[d.at])
	}
	return true
}
