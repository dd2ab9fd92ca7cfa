package messages

import (
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
