package ui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
)

// area is where the keys of a command hold, and the first part of its id.
type area string

const (
	everywhere  area = "global"
	inTree      area = "sessions"
	inList      area = "messages"
	inDetail    area = "detail"
	inCopy      area = "copy-menu"
	inEmpty     area = "empty" // nothing was recorded yet
	inReport    area = "findings"
	inReplay    area = "replay"
	inDiff      area = "differences"
	inWaterfall area = "waterfall"
	inSequence  area = "sequence"
	inTools     area = "tools"
	inCaps      area = "capabilities"
	inStreams   area = "streams"
	inHandles   area = "handles"
)

// areas are all of them, in the order of the help.
func areas() []area {
	return []area{
		everywhere, inTree, inList, inDetail, inCopy, inEmpty, inReport, inReplay, inDiff,
		inWaterfall, inSequence, inTools, inCaps, inStreams, inHandles,
	}
}

// pane says whether the keys of an area hold beside those that hold everywhere,
// and do not go before them.
func (in area) pane() bool { return in == inTree || in == inList || in == inDetail }

// name is what people call an area.
func (in area) name() safe.Text { return safe.Line(strings.ReplaceAll(string(in), "-", " ")) }

// ofList says whether a view shows what the list shows, in the order of time.
func (in area) ofList() bool { return in == inWaterfall || in == inSequence }

// holding is on which screens a command of the area everywhere holds.
type holding uint8

const (
	onMessages holding = iota // with the messages
	onList                    // and on views of what the list shows
	onSiblings                // and on the other views that open each other
	onAll
)

// holding is what a command must hold on to hold in an area.
func (in area) holding() holding {
	switch in {
	case inWaterfall, inSequence:
		return onList
	case inTools, inCaps, inStreams, inHandles:
		return onSiblings
	case inReport, inReplay, inDiff:
		return onAll
	}
	return onMessages
}

// command is one thing that a user can do. Keys, footer, help, palette and
// configuration come from it.
type command struct {
	id    string           // area.action, what a configuration names; it never changes
	key   key.Binding      // its help is a line of the help; "" stands on that of the command before
	title safe.Text        // for the palette, "" for the line of the help
	hint  safe.Text        // a word for the footer, "" to leave it out as things are
	group safe.Text        // of the help
	on    holding          // where it holds, when it is not of one area
	why   func() safe.Text // why not, "" when it can be done; nil when it always can
	run   func() tea.Cmd
}

// The groups of the help.
const move, look, act = "MOVE", "LOOK", "ACT"

// bind makes the keys of a command, as tea.KeyPressMsg.String writes them. They
// are shown to people in another way, with a line of the help.
func bind(keys, show, help string) key.Binding {
	return key.NewBinding(key.WithKeys(strings.Fields(keys)...), key.WithHelp(show, help))
}

// do makes what a command runs of what has nothing to wait for.
func do(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return nil
	}
}

// when is a hint that is given when it makes sense.
func when(ok bool, hint safe.Text) safe.Text {
	if ok {
		return hint
	}
	return ""
}

// unless says why a command cannot be carried out, unless it can.
func unless(ok bool, why safe.Text) func() safe.Text {
	return func() safe.Text {
		if ok {
			return ""
		}
		return why
	}
}

// area is where a command holds.
func (c *command) area() area {
	in, _, _ := strings.Cut(c.id, ".")
	return area(in)
}

// help is the line of the help, "" where there is none.
func (c *command) help() safe.Text { return safe.Line(c.key.Help().Desc) }

// name is what the palette calls a command.
func (c *command) name() safe.Text {
	if c.title != "" {
		return c.title
	}
	return c.help()
}

// disabled says why a command cannot be carried out, "" when it can.
func (c *command) disabled() safe.Text {
	if c.why == nil {
		return ""
	}
	return c.why()
}

// named is the command of an id among others.
func named(all []command, id string) command {
	for i := range all {
		if all[i].id == id {
			return all[i]
		}
	}
	panic("ui: there is no command " + id)
}

// holds says whether a command means anything where one is.
func (m *Model) holds(c *command) bool {
	in := c.area()
	switch {
	case in == everywhere:
		return m.view == nil || c.on >= m.view.area().holding()
	case m.view != nil:
		return in == m.view.area()
	}
	return in.holding() == onMessages
}

// call carries out a command, or says why not.
func (m *Model) call(c command) tea.Cmd {
	if why := c.disabled(); why != "" {
		return m.complain(why)
	}
	return c.run()
}

// press carries out what a key means where one is: first by the area, then by
// what holds everywhere.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	all := append(m.own(), m.root()...)
	for _, in := range []area{m.area(), everywhere} {
		for _, c := range all {
			switch {
			case c.area() != in || !key.Matches(k, c.key):
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
func (m *Model) root() []command { return rebound(m.commands(), m.opts.Keys) }

// own are the commands of the view that is open.
func (m *Model) own() []command {
	if m.view == nil || len(m.recs) == 0 {
		return nil
	}
	return rebound(m.view.commands(m), m.opts.Keys)
}

// notHere says where a command holds instead.
func (m *Model) notHere(c command) tea.Cmd {
	where := ", but in: " + c.area().name()
	if c.area() == everywhere {
		where = ", but with the messages"
	}
	return m.complain(c.name() + ": not here" + where)
}

// everyCommand lists all commands there are: of the view that is open, of those
// that are not, and of the program.
func (m *Model) everyCommand() (out []command) {
	compare := &compareView{runs: m, result: &Comparison{}}
	insights := insightView{reader: m.insights}
	for _, v := range []screenView{
		compare, &diffView{of: compare, at: -1}, newWaterfall(), newSequence(),
		newTools(insights), newCaps(insights), newStreams(insights), newHandles(insights), m.findings,
	} {
		if m.view != nil && m.view.area() == v.area() {
			v = m.view
		}
		out = append(out, v.commands(m)...)
	}
	return rebound(append(out, m.commands()...), m.opts.Keys)
}
