package gating

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/intercept/gate"
	"midwire/session/mcp"
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
	case name == "tab" && v.mode == writesDraft:
		v.turnHead()
		return nil
	case name == "tab":
		v.turnSample()
		return nil
	}
	if d := v.written(); d != nil {
		d.now().take(msg)
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
		keys := [][3]safe.Text{{"esc", "to the decisions"}, {"^s", "release it so"}, editor}
		if _, d := v.selected(); d != nil && d.head != nil {
			keys = append(keys, [3]safe.Text{"tab", "head"})
		}
		return keys
	case writesReply:
		stays[2] = "the request stays held"
		return [][3]safe.Text{
			{"^s", "send this reply", "the server gets no request"}, {"tab", "another one", "error, tool error, result"}, editor, stays,
		}
	}
	to := safe.Text("to the client")
	if v.server {
		to = "to the server"
	}
	return [][3]safe.Text{{"^s", "send it", to}, {"tab", "to the other side"}, editor, stays}
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
	if v.mode == writesReply || v.mode == writesInject {
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
	case v.mode == writesReply && held == nil:
		return h.Complain("it is not held any more")
	case v.mode == writesReply:
		orders, said = []gate.Order{{Do: "answer", ID: held.ID, Body: d.bytes()}}, "answered in the place of the server"
	default:
		orders = []gate.Order{{Do: "inject", Body: d.bytes(), ToServer: v.server, Session: v.session(h)}}
		if said = "sent to the client"; v.server {
			said = "sent to the server"
		}
	}
	v.mode = writesNothing
	return v.g.order(said, orders...)
}

// session is the session of the message that is selected in the list, "" where that
// has none.
func (v *screen) session(h view.Host) string {
	rec, rows := v.g.rec, h.Rows()
	if held, _ := v.selected(); held != nil && held.Session != "" {
		return held.Session
	}
	id, ok := rows.Selected()
	if !ok || h.Scope().Rec != rec || int(id) >= rec.Tracker.Rows() {
		return ""
	}
	if s := rec.Session(int(rec.Tracker.Row(int(id)).Session)); s != nil {
		return s.ID
	}
	return ""
}

func (v *screen) begin(m mode) {
	v.mode, v.sample, v.server = m, 0, false
	v.own = newOwn(v.samples()[0])
}

func (v *screen) samples() []string {
	if v.mode == writesInject {
		return []string{"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"" + mcp.NotifyToolsListChanged + "\"\n}"}
	}
	h, _ := v.selected()
	head := "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": " + h.MessID + ",\n"
	return []string{
		head + "  \"error\": {\n    \"code\": -32603,\n    \"message\": \"Internal error\"\n  }\n}",
		head + "  \"result\": {\n    \"content\": [\n      { \"type\": \"text\", \"text\": \"\" }\n    ],\n    \"isError\": true\n  }\n}",
		head + "  \"result\": {}\n}",
	}
}

// turnSample begins with another reply, or sends to the other side.
func (v *screen) turnSample() {
	if v.mode == writesInject {
		v.server = !v.server
		return
	}
	all := v.samples()
	v.sample = (v.sample + 1) % len(all)
	v.own = newOwn(all[v.sample])
}

// away is the user's editor while a gate is controlled: it goes on holding.
type away struct {
	replaying.Editor
	c Controller
}

func (a away) Run() error {
	a.c.Away(true)
	defer a.c.Away(false)
	return a.Editor.Run()
}

func (v *screen) openEditor() tea.Cmd {
	d := v.written()
	if v.g.edit == nil || d == nil || v.g.control == nil {
		return nil
	}
	e := d.now()
	editor := v.g.edit([]byte(e.text() + "\n"))
	return tea.Exec(away{editor, v.g.control}, func(err error) tea.Msg { return edited(e, editor, err) })
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
