package ui

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"midwire/ui/gating"
	"midwire/ui/keymap"
	"midwire/ui/replaying"
	"midwire/ui/sessions"
	"midwire/ui/view/findings"
	"midwire/ui/view/insight"
	"midwire/ui/view/oauth"
	"midwire/ui/view/sequence"
	"midwire/ui/view/waterfall"
)

// holds says whether a command means anything where one is.
func (m *Model) holds(c *keymap.Command) bool {
	in := c.Area()
	switch {
	case in == keymap.Everywhere:
		return m.view == nil || c.On >= m.view.Area().Holding()
	case m.view != nil:
		return in == m.view.Area()
	}
	return in.Holding() == keymap.OnMessages
}

// call carries out a command, or says why not.
func (m *Model) call(c keymap.Command) tea.Cmd {
	if why := c.Disabled(); why != "" {
		return m.Complain(why)
	}
	return c.Run()
}

// press carries out what a key means where one is: first by the area, then by
// what holds everywhere.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	all := append(m.own(), m.root()...)
	for _, in := range []keymap.Area{m.area(), keymap.Everywhere} {
		for _, c := range all {
			switch {
			case c.Area() != in || !key.Matches(k, c.Key):
			case m.holds(&c):
				return m.call(c)
			default:
				return m.notHere(c)
			}
		}
	}
	return nil
}

// root are the commands of the program itself.
func (m *Model) root() []keymap.Command { return keymap.Rebound(m.commands(), m.opts.Keys) }

// own are the commands of the view that is open.
func (m *Model) own() []keymap.Command {
	if m.view == nil || len(m.recs) == 0 {
		return nil
	}
	return keymap.Rebound(m.view.Commands(m), m.opts.Keys)
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
	for _, v := range append(
		m.replay.Views(), m.home, waterfall.New(), sequence.New(),
		insight.NewTools(m.insights), insight.NewCapabilities(m.insights),
		insight.NewStreams(m.insights), insight.NewHandles(m.insights), oauth.New(), m.findings, m.gate.View(),
	) {
		if m.view != nil && m.view.Area() == v.Area() {
			v = m.view
		}
		out = append(out, v.Commands(m)...)
	}
	return keymap.Rebound(append(out, m.commands()...), m.opts.Keys)
}

// Binding is a line of the key map for those who configure it.
type Binding struct {
	ID   string
	Keys []string
	Help string
}

// shipped are all commands with the keys they have by themselves.
func shipped() []keymap.Command {
	m := &Model{opts: Options{Now: time.Now}}
	m.home = sessions.New(m)
	m.gate = gating.New(context.Background(), nil, nil)
	m.findings, m.replay = findings.New(nil, nil), replaying.New(context.Background(), m, nil)
	return m.everyCommand()
}

// Bindings lists the key map with other keys for some ids, in the order of
// the help. The keys are as CheckKeys wants them.
func Bindings(keys map[string][]string) []Binding {
	var out []Binding
	help := ""
	all := shipped()
	if CheckKeys(keys) == nil {
		all = keymap.Rebound(all, keys)
	}
	for i := range all {
		c := &all[i]
		if h := c.Key.Help(); h.Desc != "" {
			help = h.Desc
		} else if c.Area() == keymap.CopyMenu || c.Hint != "" {
			help = string(c.Hint)
		}
		out = append(out, Binding{c.ID, slices.Clone(c.Key.Keys()), help})
	}
	return out
}

// KeyError says which key of which binding cannot be.
type KeyError struct {
	ID, Why string
}

// former are ids of commands that the screen does not need any more. A configuration
// may go on naming them: they do nothing.
var former = []string{"capabilities.next-pane", "handles.left"}

// CheckKeys says what is wrong with other keys for some ids.
func CheckKeys(keys map[string][]string) *KeyError {
	if len(keys) == 0 {
		return nil
	}
	all := shipped()
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		if slices.Contains(former, id) {
			continue
		}
		if !slices.ContainsFunc(all, func(c keymap.Command) bool { return c.ID == id }) {
			return &KeyError{id, "there is no such action"}
		}
		for _, k := range keys[id] {
			if !keymap.IsKey(k) {
				return &KeyError{id, fmt.Sprintf("%q is no key; keys are single characters, enter, esc, tab, space, up, home, pgdown, f1 and the like, with ctrl+, alt+ or shift+ before them", k)}
			}
		}
	}
	return clash(keymap.Rebound(all, keys), keys)
}

// clash finds a key that would mean two things at one place. Where there is a
// screen of its own, its keys go before those that hold everywhere.
func clash(all []keymap.Command, keys map[string][]string) *KeyError {
	for _, in := range keymap.Areas() {
		seen := map[string]*keymap.Command{}
		for i := range all {
			c := &all[i]
			if c.Area() != in && (c.Area() != keymap.Everywhere || !in.Pane()) {
				continue
			}
			for _, k := range c.Key.Keys() {
				if other := seen[k]; other != nil {
					a, z := c, other
					if _, own := keys[a.ID]; !own {
						a, z = z, a
					}
					return &KeyError{a.ID, fmt.Sprintf("key %q is also that of %s; give that one another key, or none: %q = []", k, z.ID, z.ID)}
				}
				seen[k] = c
			}
		}
	}
	if own, ok := keys["global.interrupt"]; ok && !slices.Contains(own, "ctrl+c") {
		return &KeyError{"global.interrupt", "ctrl+c must be among its keys: it is the way out of everything"}
	}
	return nil
}
