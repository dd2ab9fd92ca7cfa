package gating

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/intercept/gate"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/term"
	"midwire/ui/view"
)

type mode uint8

const (
	writesNothing mode = iota
	writesFilter
	writesDraft
	writesReply // in the place of the server
)

// screen is the gate as a view: what it holds, the messages that follow, and what
// is decided about the one that is selected.
type screen struct {
	g      *Gate
	at     int // id of what is selected, 0 for nothing
	list   view.Scroller
	mode   mode
	drafts map[int]*draft
	line   term.Input // the filter
	own    *draft     // a reply
	sample int        // which one it began with
	loaded map[int]bool
	heldAt int // the line of the view where what is held begins
}

var _ view.Writer = (*screen)(nil)

func newScreen(g *Gate) *screen {
	v := &screen{g: g, line: term.NewInput(4 << 10)}
	v.forget()
	return v
}

func (v *screen) forget() {
	v.at, v.mode, v.own = 0, writesNothing, nil
	v.drafts, v.loaded = map[int]*draft{}, map[int]bool{}
}

func (v *screen) Area() keymap.Area          { return keymap.Gate }
func (v *screen) Name() safe.Text            { return "gate" }
func (v *screen) Scroller() *view.Scroller   { return &v.list }
func (v *screen) Told(view.Host) safe.Text   { return "" }
func (v *screen) State(view.Host) []term.Seg { return nil }

// take takes in what is held now. What is written about what is gone is gone.
func (v *screen) take() {
	all := v.g.state.Held
	for id := range v.drafts {
		if v.g.held(id) == nil {
			delete(v.drafts, id)
		}
	}
	if v.g.held(v.at) == nil {
		if v.mode == writesDraft || v.mode == writesReply {
			v.mode = writesNothing
		}
		v.at = 0
		if len(all) > 0 {
			v.at = all[min(v.list.Sel, len(all)-1)].ID
		}
	}
	for i := range all {
		h := &all[i]
		if d := v.drafts[h.ID]; d == nil || d.payload != h.Payload && !d.changed() && d.whole == !h.Cut {
			v.drafts[h.ID] = newDraft(h)
		}
	}
	v.list.Lines = len(all)
	v.list.Sel = max(v.index(), 0)
}

// index is the position of what is selected, -1 for nothing.
func (v *screen) index() int {
	return slices.IndexFunc(v.g.state.Held, func(h gate.Held) bool { return h.ID == v.at })
}

// selected is the message that is selected, nil for none.
func (v *screen) selected() (*gate.Held, *draft) {
	if h := v.g.held(v.at); h != nil {
		return h, v.drafts[v.at]
	}
	return nil, nil
}

// Refresh implements view.View. The keys that move have moved the scroller.
func (v *screen) Refresh(view.Host) tea.Cmd {
	if all := v.g.state.Held; v.list.Sel < len(all) && v.mode == writesNothing {
		v.at = all[v.list.Sel].ID
	}
	h, d := v.selected()
	if h == nil || d.whole || v.loaded[h.ID] {
		return nil
	}
	v.loaded[h.ID] = true
	g, c, id := v.g, v.g.control, h.ID
	return func() tea.Msg {
		whole, err := c.Show(id)
		return view.Then(func(h view.Host) tea.Cmd {
			if err != nil {
				return h.Complain(safe.Line(err.Error()))
			}
			if g.held(id) != nil {
				v.drafts[id] = newDraft(&whole)
			}
			return nil
		})
	}
}

// next selects the next message that is held, or the one before.
func (v *screen) next(n int) {
	if all := len(v.g.state.Held); all > 0 {
		v.list.Sel = (max(v.index(), 0) + n + all) % all
		v.at = v.g.state.Held[v.list.Sel].ID
	}
}

// Click implements view.View: a click on a held message selects it.
func (v *screen) Click(_ view.Host, _, y int) tea.Cmd {
	if v.mode == writesNothing {
		v.list.PickLine(y - v.heldAt)
	}
	return nil
}

// Commands implements view.View.
func (v *screen) Commands(h view.Host) []keymap.Command {
	return append(v.decisions(h), v.others(h)...)
}

func (v *screen) decisions(h view.Host) []keymap.Command {
	held, d := v.selected()
	one := keymap.Unless(held != nil, "nothing is held")
	when := func(hint safe.Text) safe.Text { return keymap.When(held != nil, hint) }
	id := 0
	if held != nil {
		id = held.ID
	}
	return []keymap.Command{
		{
			ID: "gate.release", Key: keymap.Bind("a", "a", "release it"), Title: "release the held message", Words: "send continue forward resume accept",
			Hint: when("release"), Group: keymap.Act, Why: one, Run: func() tea.Cmd {
				if bad := d.fault(); bad != "" {
					return h.Complain("it is no JSON: " + bad + ". A releases it as it was")
				}
				return v.g.order("released", d.orders(id)...)
			},
		},
		{
			ID: "gate.as-received", Key: keymap.Bind("A", "A", "release it as it was received"), Title: "release the held message as it was received", Words: "revert forget unedited", Group: keymap.Act, Why: one,
			Run: func() tea.Cmd {
				return v.g.order("released as it was received", gate.Order{Do: "release", ID: id, AsReceived: true})
			},
		},
		{
			ID: "gate.edit", Key: keymap.Bind("e enter", "e", "edit it"), Title: "edit the held message", Words: "change write JSON body", Hint: when("edit"), Group: keymap.Act,
			Why: v.whyNotEdit, Run: keymap.Do(func() {
				v.mode = writesDraft
				if _, d := v.selected(); d.body.row == 0 {
					d.body.toArgument()
				}
			}),
		},
		{
			ID: "gate.editor", Key: keymap.Bind("E", "E", "edit it in $EDITOR"), Title: "edit the held message in $EDITOR", Words: "vi nano external", Group: keymap.Act, Why: v.whyNotEdit,
			Run: func() tea.Cmd { return v.openEditor() },
		},
		{
			ID: "gate.drop", Key: keymap.Bind("X", "X", "drop it: it goes no further"), Title: "drop the held message", Words: "delete discard lose", Hint: when("drop"), Group: keymap.Act, Why: one,
			Run: func() tea.Cmd { return v.g.order("dropped", gate.Order{Do: "drop", ID: id}) },
		},
		{
			ID: "gate.reply", Key: keymap.Bind("r", "r", "reply in the place of the server"), Title: "reply to the held request", Words: "answer error result mock", Hint: when("reply"), Group: keymap.Act,
			Why: v.whyNotReply, Run: keymap.Do(v.reply),
		},
		{
			ID: "gate.next", Key: keymap.Bind("]", "] [", "next, previous held message"), Title: "next held message",
			Hint: keymap.When(len(v.g.state.Held) > 1, "next held"), Group: keymap.Move, Why: one,
			Run: keymap.Do(func() { v.next(1) }),
		},
		{ID: "gate.previous", Key: keymap.Bind("[", "", ""), Title: "previous held message", Why: one, Run: keymap.Do(func() { v.next(-1) })},
	}
}

// others are what else can be done with the gate.
func (v *screen) others(h view.Host) []keymap.Command {
	g := v.g
	on := keymap.Unless(g.control != nil, "no gate is controlled: I with the messages does")
	arm, hint := safe.Text("arm the hold again"), safe.Text("arm")
	if g.own() != nil {
		arm, hint = "disarm: hold nothing any longer", "disarm"
	}
	return []keymap.Command{
		{
			ID: "gate.release-all", Key: keymap.Bind("ctrl+g", "^g", "release everything"), Title: "release everything that is held", Words: "all continue resume",
			Hint: keymap.When(g.Holds(), "release all"), Group: keymap.Act, Why: on, Run: func() tea.Cmd { return g.ReleaseAll(h) },
		},
		{
			ID: "gate.arm", Key: keymap.Bind("I", "I", "disarm, arm again"), Title: arm, Words: "hold stop intercept off on", Hint: keymap.When(g.control != nil, hint),
			Group: keymap.Act, Why: on,
			Run: func() tea.Cmd {
				if g.own() != nil {
					return g.disarm()
				}
				return g.arm(g.filter)
			},
		},
		{
			ID: "gate.filter", Key: keymap.Bind("/", "/", "hold something else"), Title: "change what is held", Words: "filter rule fault delay drop", Hint: keymap.When(g.control != nil, "filter"),
			Group: keymap.Act, Why: on, Run: func() tea.Cmd {
				v.mode = writesFilter
				v.line.Write(g.filter)
				return v.line.Focus()
			},
		},
		{
			ID: "gate.back", Key: keymap.Bind("esc", "esc", "back to the list"), Title: "back to the list", Hint: "back to list", Group: keymap.Move,
			Run: func() tea.Cmd { return h.Run("global.back") },
		},
	}
}

func (v *screen) whyNotEdit() safe.Text {
	h, d := v.selected()
	if h == nil {
		return "nothing is held"
	}
	return d.closed()
}

func (v *screen) whyNotReply() safe.Text {
	h, _ := v.selected()
	switch {
	case h == nil:
		return "nothing is held"
	case h.Kind != "request" || h.MessID == "":
		return "only a request can be answered; e edits what this is"
	}
	return ""
}

func toServer(h *gate.Held) bool { return h.Dir == string(wire.ToServer) }
