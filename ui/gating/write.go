package gating

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/intercept/gate"
	"midwire/session/safe"
	"midwire/ui/replaying"
	"midwire/ui/view"
)

// Writes implements view.Writer.
func (v *screen) Writes() bool { return v.mode != writesNothing }

// Write implements view.Writer.
func (v *screen) Write(h view.Host, msg tea.Msg) tea.Cmd {
	name := ""
	if k, ok := msg.(tea.KeyPressMsg); ok {
		name = k.String()
	}
	switch {
	case name == "ctrl+c" || name == "ctrl+l":
		return h.Run(map[string]string{"ctrl+c": "global.interrupt", "ctrl+l": "global.redraw"}[name])
	case name == "esc":
		v.mode = writesNothing
		return nil
	case v.mode == writesFilter:
		return v.writeFilter(h, msg, name)
	case name == "ctrl+o":
		return v.openEditor()
	case name == "ctrl+s":
		return v.send(h)
	case name == "tab" && v.mode == writesReply:
		v.sample++
		v.own = newOwn(v.answer())
		return nil
	}
	if d := v.written(); d != nil {
		d.body.take(msg)
	}
	return nil
}

// keys are what can be done with what is written, and what follows.
func (v *screen) keys() [][3]safe.Text {
	editor, stays := [3]safe.Text{"^o", "$EDITOR"}, [3]safe.Text{"esc", "never mind"}
	switch v.mode {
	case writesFilter:
		return [][3]safe.Text{{"enter", "hold that"}, stays}
	case writesDraft:
		return [][3]safe.Text{{"esc", "to the decisions"}, {"^s", "release it so"}, editor}
	}
	stays[2] = "the request stays held"
	return [][3]safe.Text{
		{"^s", "send this reply", "the server gets no request"}, {"tab", "another one", "error, tool error, result"}, editor, stays,
	}
}

// Hints implements view.Writer.
func (v *screen) Hints() (hints [][2]safe.Text) {
	for _, k := range v.keys() {
		hints = append(hints, [2]safe.Text{k[0], k[1]})
	}
	if v.g.Holds() {
		hints = append(hints, [2]safe.Text{"^g", "release all"})
	}
	return hints
}

// written is the draft that is shown: one's own, or that of what is selected.
func (v *screen) written() *draft {
	if v.mode == writesReply {
		return v.own
	}
	_, d := v.selected()
	return d
}

func (v *screen) writeFilter(h view.Host, msg tea.Msg, name string) tea.Cmd {
	if name != "enter" {
		return v.line.Take(msg)
	}
	if _, bad := ruleOf(v.line.Value()); bad != "" {
		return h.Complain(bad)
	}
	v.mode = writesNothing
	return v.g.arm(strings.TrimSpace(v.line.Value()))
}

func (v *screen) send(h view.Host) tea.Cmd {
	held, _ := v.selected()
	d := v.written()
	if bad := d.fault(); bad != "" {
		return h.Complain("it is no JSON: " + bad)
	}
	var orders []gate.Order
	var said safe.Text
	switch {
	case v.mode == writesDraft:
		orders, said = d.orders(held.ID), "released"
	case held == nil:
		return h.Complain("it is not held any more")
	default:
		orders, said = []gate.Order{{Do: "answer", ID: held.ID, Body: d.bytes()}}, "answered in the place of the server"
	}
	v.mode = writesNothing
	return v.g.order(said, orders...)
}

// reply begins a reply to the selected request.
func (v *screen) reply() {
	v.mode, v.sample = writesReply, 0
	v.own = newOwn(v.answer())
}

// answer is what a reply begins with: one of three.
func (v *screen) answer() string {
	h, _ := v.selected()
	return "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": " + h.MessID + ",\n" + [...]string{
		"  \"error\": {\n    \"code\": -32603,\n    \"message\": \"Internal error\"\n  }\n}",
		"  \"result\": {\n    \"content\": [\n      { \"type\": \"text\", \"text\": \"\" }\n    ],\n    \"isError\": true\n  }\n}",
		"  \"result\": {}\n}",
	}[v.sample%3]
}

func (v *screen) openEditor() tea.Cmd {
	d := v.written()
	if v.g.edit == nil || d == nil || v.g.control == nil {
		return nil
	}
	e := d.body
	editor := v.g.edit([]byte(e.text() + "\n"))
	return tea.Exec(editor, func(err error) tea.Msg { return edited(e, editor, err) })
}

// edited brings back what was left in the user's editor.
func edited(e *editor, from replaying.Editor, err error) view.Then {
	return func(h view.Host) tea.Cmd {
		if err != nil {
			return h.Complain("it cannot be edited: " + safe.Line(err.Error()))
		}
		e.write(string(from.Text()))
		return nil
	}
}
