package messages

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/menu"
	"midwire/ui/term"
)

const menuWidth = 44 // cells of a choice

// SortMenu offers the orders of the list.
func (l *List) SortMenu(sc *term.Screen) *menu.Menu {
	c := &menu.Menu{Title: "Sort by", Hint: "^o reverses", Names: 13, Each: menuWidth}
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
			c.Select(len(c.Items))
		}
		run := keymap.Do(func() { l.OrderBy(o.by, false) })
		c.Items = append(c.Items, menu.Item{Key: o.key, Name: name, Note: o.note, On: on, Run: run})
	}
	return c
}

// ColumnMenu offers the columns that are not always there.
func (l *List) ColumnMenu() *menu.Menu {
	c := &menu.Menu{Title: "Columns", Hint: "space on, off", Names: 13, Each: menuWidth, Stays: true}
	for i, name := range extraNames {
		on := func() bool { return *l.Extra.field(i) }
		turn := keymap.Do(func() { *l.Extra.field(i) = !on() })
		it := menu.Item{Key: name[:1], Name: safe.Line(name), Note: extraNotes[i], On: on, Run: turn}
		c.Items = append(c.Items, it)
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
