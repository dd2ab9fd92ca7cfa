package ui

import (
	"context"
	"iter"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"midwire/ui/gating"
	"midwire/ui/keymap"
	"midwire/ui/replaying"
	"midwire/ui/sessions"
	"midwire/ui/view"
	"midwire/ui/view/findings"
	"midwire/ui/view/insight"
	"midwire/ui/view/oauth"
	"midwire/ui/view/sequence"
	"midwire/ui/view/waterfall"
)

func (m *Model) holds(c *keymap.Command) bool {
	in := c.Area()
	switch {
	case in == keymap.Everywhere:
		return m.view == nil || c.On >= m.view.Area().Holding() || c.About != keymap.Nothing && m.view == m.home
	case m.view != nil:
		return in == m.view.Area()
	}
	return in.Holding() == keymap.OnMessages
}

// call carries out a command, or says why not. On the start screen it is about the
// session that is selected there.
func (m *Model) call(c keymap.Command) tea.Cmd {
	var chosen tea.Cmd
	if c.About != keymap.Nothing && m.view == m.home {
		var ok bool
		if chosen, ok = m.home.ChooseSelected(c.About == keymap.Read); !ok {
			return m.Complain("choose a session")
		}
	}
	if why := c.Disabled(); why != "" {
		return tea.Batch(chosen, m.Complain(why))
	}
	return tea.Batch(chosen, c.Run())
}

// press carries out what a key means where one is: first by the area, then by
// what holds everywhere.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	own := m.own()
	for _, in := range []keymap.Area{m.area(), keymap.Everywhere} {
		for c := range m.bound(k, own) {
			switch {
			case c.Area() != in:
			case m.holds(c):
				return m.call(*c)
			default:
				return m.notHere(*c)
			}
		}
	}
	return nil
}

// bound are the commands that a key is bound to: those of the view, then of the
// program.
func (m *Model) bound(k tea.KeyPressMsg, own []keymap.Command) iter.Seq[*keymap.Command] {
	return func(yield func(*keymap.Command) bool) {
		for i := range own {
			if key.Matches(k, own[i].Key) && !yield(&own[i]) {
				return
			}
		}
		m.root()
		for _, i := range m.byKey[k.String()] {
			if !yield(&m.program[i]) {
				return
			}
		}
	}
}

// root are the commands of the program itself. They are made once: what depends on
// what is shown, they ask when they are called.
func (m *Model) root() []keymap.Command {
	if m.program == nil {
		m.program, m.byKey = keymap.Rebound(m.commands(), m.opts.Keys), map[string][]int{}
		for i := range m.program {
			for _, k := range m.program[i].Key.Keys() {
				m.byKey[k] = append(m.byKey[k], i)
			}
		}
	}
	return m.program
}

func (m *Model) own() []keymap.Command {
	if m.view == nil || len(m.recs) == 0 {
		return nil
	}
	return keymap.Rebound(m.commandsOf(m.view), m.opts.Keys)
}

// commandsOf are the commands of a view, and what it shares with the list: its
// filter, and the keys that go in and out where they mean nothing else.
func (m *Model) commandsOf(v view.View) []keymap.Command {
	all, in := v.Commands(m), v.Area()
	if in.OfList() {
		filter := keymap.Named(m.root(), "messages.filter")
		filter.In = in
		all = append(all, filter)
	}
	sideways := in.Holding() == keymap.OnSiblings || in == keymap.Replay
	if i := slices.IndexFunc(all, func(c keymap.Command) bool { return c.ID == "view.open" }); i >= 0 &&
		(sideways || in == keymap.Sessions) {
		c := all[i]
		c.ID, c.Key, c.Hint = "view.into", keymap.Bind("l right", "", ""), ""
		all = slices.Insert(all, i+1, c)
	}
	if sideways {
		all = append(all, keymap.Command{
			ID: "view.close", Key: keymap.Bind("h left", "h", "close the view"), Group: keymap.Move, Run: keymap.Do(m.back),
		})
	}
	return keymap.In(in, all)
}

// notHere says where a command holds instead.
func (m *Model) notHere(c keymap.Command) tea.Cmd {
	where := ", but in: " + c.Area().Name()
	if c.Area() == keymap.Everywhere {
		where = ", but with the messages"
	}
	return m.Complain(c.Name() + ": not here" + where)
}

// everyCommand lists all commands there are: of the view that is open, of those
// that are not, and of the program.
func (m *Model) everyCommand() (out []keymap.Command) {
	for _, v := range []view.View{
		m.replay.View(), m.home, waterfall.New(), sequence.New(),
		insight.NewTools(m.insights), insight.NewSession(m.insights),
		insight.NewHandles(m.insights), oauth.New(), m.findings, m.gate.View(),
	} {
		if m.view != nil && m.view.Area() == v.Area() {
			v = m.view
		}
		out = append(out, m.commandsOf(v)...)
	}
	return append(keymap.Rebound(out, m.opts.Keys), m.root()...)
}

func shipped() []keymap.Command {
	m := &Model{opts: Options{Now: time.Now}}
	m.home = sessions.New(m)
	m.gate = gating.New(context.Background(), nil, nil)
	m.findings, m.replay = findings.New(nil, nil), replaying.New(context.Background(), m, nil)
	return m.everyCommand()
}

// Bindings lists the key map with other keys for some ids, in the order of
// the help. The keys are as CheckKeys wants them.
func Bindings(keys map[string][]string) []keymap.Binding {
	if CheckKeys(keys) != nil {
		keys = nil
	}
	return keymap.Bindings(keymap.Rebound(shipped(), keys))
}

// CheckKeys says what is wrong with other keys for some ids.
func CheckKeys(keys map[string][]string) *keymap.KeyError {
	if len(keys) == 0 {
		return nil
	}
	return keymap.Check(shipped(), keys)
}
