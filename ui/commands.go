package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
)

// command is something that can be done, as the palette and the help list it.
type command struct {
	do    action
	in    area
	title safe.Text
	keys  safe.Text
	group safe.Text
	rank  int                  // 0 belongs to where one is, 1 holds there too, 2 on the same screen, 3 elsewhere
	run   func(*Model) tea.Cmd // instead of do
	write string               // instead of both: what the line of the palette becomes
}

// commands lists what the key map has, what belongs here first.
func (m *Model) commands() []command {
	var out []command
	var pair []safe.Text // names of what the next keys do
	for _, b := range m.keys.all {
		var title safe.Text
		switch {
		case b.in == inCopy:
			title = "copy " + b.hint
		case b.help != "":
			pair = split(b.help)
			title, pair = pair[0], pair[1:]
		case len(pair) > 0 && b.hint == "":
			title, pair = pair[0], pair[1:]
		}
		if title == "" {
			continue
		}
		out = append(out, command{do: b.do, in: b.in, title: title, keys: keyName(b.key()), group: b.group, rank: m.rank(b)})
	}
	slices.SortStableFunc(out, func(a, b command) int { return a.rank - b.rank })
	return out
}

func (m *Model) rank(b binding) int {
	_, chosen := m.list.Selected()
	switch {
	case b.in == inCopy && chosen && m.view == nil:
		return 2
	case b.in == inCopy || !m.holdsHere(b):
		return 3
	case b.in == m.area():
		return 0
	case b.in == everywhere:
		return 1
	}
	return 2
}

// keyName is a key as a person reads it.
func keyName(k string) safe.Text {
	return safe.Line(strings.NewReplacer("ctrl+", "^", "pgdown", "page down", "pgup", "page up").Replace(k))
}

// split gives each of the keys that share a line of the help a name of its own.
func split(help safe.Text) []safe.Text {
	h := string(help)
	switch h {
	case "line down, up":
		return []safe.Text{"line down", "line up"}
	case "half a page", "page":
		return []safe.Text{help + " down", help + " up"}
	case "sessions, messages, detail":
		return []safe.Text{"go to the sessions", "go to the messages", "go to the detail"}
	case "mark a row, only marked":
		return []safe.Text{"mark a row", "only marked rows"}
	case "send the call again, edited":
		return []safe.Text{"send the call again", "edit the call, send it"}
	case "errors, warnings, notes":
		return []safe.Text{"show errors, or not", "show warnings, or not", "show notes, or not"}
	case "tab, or scroll sideways":
		return []safe.Text{"tab, or scroll left", "tab, or scroll right"}
	}
	if what, ok := strings.CutPrefix(h, "next, previous "); ok {
		return []safe.Text{"next " + safe.Line(what), "previous " + safe.Line(what)}
	}
	if what, ok := strings.CutPrefix(h, "previous, next "); ok {
		return []safe.Text{"previous " + safe.Line(what), "next " + safe.Line(what)}
	}
	return []safe.Text{help}
}

// areaName says where keys hold.
func areaName(in area) safe.Text { return safe.Line(strings.ReplaceAll(in.word(), "-", " ")) }

// execute carries out a command where the palette or the help was called.
func (m *Model) execute(c command) tea.Cmd {
	m.over = overlay{}
	switch {
	case c.run != nil:
		return c.run(m)
	case c.rank == 3:
		return m.complain(c.title + ": not here" + m.whereText(c))
	case c.in == inCopy:
		return m.copy(c.do)
	case c.rank == 2:
		m.focusPane(map[area]pane{inTree: paneTree, inList: paneList, inDetail: paneDetail}[c.in])
	}
	return m.press(c.do)
}

func (m *Model) whereText(c command) safe.Text {
	if name := areaName(c.in); name != "" {
		return ", but in: " + name
	}
	return ", but with the messages"
}

// press carries out what a key means where one is.
func (m *Model) press(a action) tea.Cmd {
	if m.view != nil {
		if cmd, mine := m.viewDo(a); mine {
			return cmd
		}
	}
	return m.do(a)
}
