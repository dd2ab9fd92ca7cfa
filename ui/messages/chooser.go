package messages

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Chooser is a small menu: a letter for each line, or a cursor and enter.
type Chooser struct {
	Title, Note safe.Text
	items       []choice
	at          int
	stays       bool // what is chosen is turned on or off, and the menu stays
}

type choice struct {
	key        string
	name, note safe.Text
	on         func() bool
	run        func()
}

// Key takes a key and says whether the menu is done.
func (c *Chooser) Key(name string) (done bool) {
	switch name {
	case "down", "j", "tab":
		c.at = (c.at + 1) % len(c.items)
	case "up", "k", "shift+tab":
		c.at = (c.at + len(c.items) - 1) % len(c.items)
	case "space":
		c.items[c.at].run()
		return !c.stays
	case "enter":
		if !c.stays {
			c.items[c.at].run()
		}
		return true
	case "esc", "q":
		return true
	default:
		for i := range c.items {
			if c.items[i].key == name {
				c.at = i
				c.items[i].run()
				return !c.stays
			}
		}
	}
	return false
}

// Click chooses the line at a place, and says whether the menu is done.
func (c *Chooser) Click(line int) (done bool) {
	if line < 0 || line >= len(c.items) {
		return true
	}
	c.at = line
	c.items[line].run()
	return !c.stays
}

// ChooserWidth is how wide the frame of a menu is.
const ChooserWidth = 46

// Draw draws the lines of the menu.
func (c *Chooser) Draw(sc *library.Scene, w int) (out []string) {
	for i := range c.items {
		it := &c.items[i]
		l := term.NewLine(w, sc.Glyphs)
		if i == c.at {
			l.Selected(sc.Theme, true)
		}
		sign := safe.Text("")
		if it.on() {
			sign = sc.Glyphs.Ok
		}
		l.Gap(1).Cell(sc.Theme.Key, safe.Line(it.key), 3).Cell(sc.Theme.Ok, sign, 2).Cell(term.Plain, it.name, 13)
		out = append(out, l.Put(sc.Theme.Dim, it.note).Finish())
	}
	return out
}

// SortChooser offers the orders of the list.
func (l *List) SortChooser(sc *term.Screen) *Chooser {
	c := &Chooser{Title: "Sort by", Note: "O reverses"}
	for _, o := range []struct {
		by   Column
		key  string
		note safe.Text
	}{
		{byLatency, "l", "the slowest first"},
		{bySize, "s", "the largest first"},
		{byMethod, "m", "by the alphabet"},
		{byVerdict, "v", "what failed first"},
		{ByNumber, "t", "as it came"},
	} {
		if l.RawFrames && (o.by == byLatency || o.by == byVerdict) {
			continue
		}
		name := safe.Line(o.by.String())
		on := func() bool { return o.by == l.Order.By && (l.Order.On || l.Order.Wanted || o.by == ByNumber) }
		if o.by == ByNumber {
			name = "time"
		} else if on() {
			name += " " + o.by.direction(sc.Glyphs, l.Order.Reverse)
		}
		if on() {
			c.at = len(c.items)
		}
		c.items = append(c.items, choice{o.key, name, o.note, on, func() { l.OrderBy(o.by, false) }})
	}
	return c
}

// ColumnChooser offers the columns that are not always there.
func (l *List) ColumnChooser() *Chooser {
	c := &Chooser{Title: "Columns", Note: "space on, off", stays: true}
	for i, name := range extraNames {
		on := func() bool { return *l.Extra.field(i) }
		turn := func() { *l.Extra.field(i) = !on() }
		c.items = append(c.items, choice{name[:1], safe.Line(name), extraNotes[i], on, turn})
	}
	return c
}

var (
	extraNames = [...]string{"status", "id", "bytes"}
	extraNotes = [...]safe.Text{"of the HTTP response", "of the JSON-RPC request", "of request and response"}
)

func (e *Extra) field(i int) *bool { return [...]*bool{&e.Status, &e.ID, &e.Size}[i] }

// Names lists the columns that are on, for keeping them.
func (e *Extra) Names() (out []string) {
	for i, name := range extraNames {
		if *e.field(i) {
			out = append(out, name)
		}
	}
	return out
}

// SetNames turns on the columns of these names, and the others off. What is
// unknown is nothing.
func (e *Extra) SetNames(names []string) {
	all := " " + strings.Join(names, " ") + " "
	for i, name := range extraNames {
		*e.field(i) = strings.Contains(all, " "+name+" ")
	}
}
