// Package keymap is what can be done on the screen: commands with their keys,
// the areas where they hold, and how a configuration gives them other keys.
package keymap

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
)

// Area is where the keys of a command hold, and the first part of its id.
type Area string

// The areas: everywhere, the panes of the messages, menus, and full screens.
const (
	Everywhere Area = "global"
	Sessions   Area = "sessions"
	List       Area = "messages"
	Detail     Area = "detail"
	CopyMenu   Area = "copy-menu"
	Empty      Area = "empty" // nothing was recorded yet
	Findings   Area = "findings"
	Search     Area = "search"
	Replay     Area = "replay"
	Waterfall  Area = "waterfall"
	Sequence   Area = "sequence"
	Tools      Area = "tools"
	Session    Area = "session"
	Handles    Area = "handles"

	Authorization Area = "authorization"
	Gate          Area = "gate"
)

// Areas are all of them, in the order of the help.
func Areas() []Area {
	return []Area{
		Everywhere, Sessions, List, Detail, CopyMenu, Empty, Findings, Search, Replay,
		Waterfall, Sequence, Tools, Session, Handles, Authorization, Gate,
	}
}

// Pane says whether the keys of an area hold beside those that hold everywhere,
// and do not go before them.
func (in Area) Pane() bool { return in == List || in == Detail }

// Name is what people call an area.
func (in Area) Name() safe.Text { return safe.Line(strings.ReplaceAll(string(in), "-", " ")) }

// OfList says whether a view shows what the list shows, in the order of time.
func (in Area) OfList() bool { return in == Waterfall || in == Sequence }

// Holding is on which screens a command of the area everywhere holds.
type Holding uint8

// Each holds on all that those above it hold on.
const (
	OnMessages Holding = iota // with the messages
	OnList                    // and on views of what the list shows
	OnSiblings                // and on the other views that open each other
	OnAll
)

// Holding is what a command must hold on to hold in an area.
func (in Area) Holding() Holding {
	switch in {
	case Waterfall, Sequence:
		return OnList
	case Tools, Session, Handles, Authorization:
		return OnSiblings
	case Sessions, Findings, Search, Replay, Gate:
		return OnAll
	}
	return OnMessages
}

// Command is one thing that a user can do. Keys, footer, help, palette and
// configuration come from it.
type Command struct {
	ID    string           // area.action, what a configuration names
	In    Area             // of a shared command: where it holds
	Key   key.Binding      // its help is a line of the help; "" stands on that of the command before
	Title safe.Text        // for the palette, an imperative; "" for the line of the help
	Words safe.Text        // other words that the palette finds it by
	Hint  safe.Text        // a word for the footer, "" to leave it out
	Says  func() safe.Text // the same, as things are; nil for Hint
	Group safe.Text        // of the help
	On    Holding          // where it holds, when it is not of one area
	About About            // on the start screen it is about the session selected there
	Why   func() safe.Text // why not, "" when it can be done; nil when it always can
	Run   func() tea.Cmd
}

// About says whether a command is about the session that is shown.
type About uint8

// A session must be chosen for some, and read for others.
const (
	Nothing About = iota
	Chosen
	Read
)

// The groups of the help.
const Move, Look, Act = "MOVE", "LOOK", "ACT"

// Bind makes the keys of a command, as tea.KeyPressMsg.String writes them. They
// are shown to people in another way, with a line of the help.
func Bind(keys, show, help string) key.Binding {
	return key.NewBinding(key.WithKeys(strings.Fields(keys)...), key.WithHelp(show, help))
}

// Do makes what a command runs of what has nothing to wait for.
func Do(f func()) func() tea.Cmd {
	return func() tea.Cmd {
		f()
		return nil
	}
}

// When is a hint that is given when it makes sense.
func When(ok bool, hint safe.Text) safe.Text {
	if ok {
		return hint
	}
	return ""
}

// If is a hint that is given as long as it makes sense.
func If(ok func() bool, hint safe.Text) func() safe.Text {
	return func() safe.Text { return When(ok(), hint) }
}

// Except says why a command cannot be carried out, as long as it cannot.
func Except(ok func() bool, why safe.Text) func() safe.Text {
	return func() safe.Text { return Unless(ok(), why)() }
}

// Unless says why a command cannot be carried out, unless it can.
func Unless(ok bool, why safe.Text) func() safe.Text {
	return func() safe.Text {
		if ok {
			return ""
		}
		return why
	}
}

// Area is where a command holds.
func (c *Command) Area() Area {
	if c.In != "" {
		return c.In
	}
	return areaOf(c.ID)
}

// Help is the line of the help, "" where there is none.
func (c *Command) Help() safe.Text { return safe.Line(c.Key.Help().Desc) }

// Name is what the palette calls a command.
func (c *Command) Name() safe.Text {
	if c.Title != "" {
		return c.Title
	}
	return c.Help()
}

// Word is the word for the footer, "" to leave it out as things are.
func (c *Command) Word() safe.Text {
	if c.Says != nil {
		return c.Says()
	}
	return c.Hint
}

// Disabled says why a command cannot be carried out, "" when it can.
func (c *Command) Disabled() safe.Text {
	if c.Why == nil {
		return ""
	}
	return c.Why()
}

// Named is the command of an id among others.
func Named(all []Command, id string) Command {
	for i := range all {
		if all[i].ID == id {
			return all[i]
		}
	}
	panic("ui: there is no command " + id)
}

// Shared is the first part of the ids of what several views do, each in its way: a
// configuration gives them a key once.
const Shared Area = "view"

// In says that shared commands hold in an area.
func In(area Area, all []Command) []Command {
	for i := range all {
		if all[i].Area() == Shared {
			all[i].In = area
		}
	}
	return all
}

// Open goes to what is selected.
func Open(help string, hint safe.Text, why func() safe.Text, run func() tea.Cmd) Command {
	return Command{ID: "view.open", Key: Bind("enter", "enter", help), Hint: hint, Group: Move, Why: why, Run: run}
}

// Copy puts what a view is about on the clipboard.
func Copy(help string, hint safe.Text, why func() safe.Text, run func() tea.Cmd) Command {
	return Command{ID: "view.copy", Key: Bind("y", "y", help), Hint: hint, Group: Act, Why: why, Run: run}
}

// Order sorts by something else.
func Order(help string, hint safe.Text, run func()) Command {
	return Command{ID: "view.order", Key: Bind("o", "o", help), Words: "sort", Hint: hint, Group: Look, Run: Do(run)}
}

// Regroup puts lines together by something else, or folds what belongs together.
func Regroup(help string, hint safe.Text, run func()) Command {
	return Command{ID: "view.group", Key: Bind("z", "z", help), Words: "fold sections", Hint: hint, Group: Look, Run: Do(run)}
}

// Switch shows the same in another form.
func Switch(help string, hint safe.Text, run func()) Command {
	return Command{ID: "view.form", Key: Bind("v", "v", help), Hint: hint, Group: Look, Run: Do(run)}
}

// Pane gives the keys to another part of a view.
func Pane(help string, hint safe.Text, why func() safe.Text, run func()) Command {
	return Command{ID: "view.next-pane", Key: Bind("tab", "tab", help), Hint: hint, Group: Move, Why: why, Run: Do(run)}
}

// Problems go to the next and to the previous of what a view has that wants
// attention.
func Problems(what string, hint safe.Text, why func() safe.Text, run func(step int) tea.Cmd) [2]Command {
	return pair("problem", "]", "[", what, Command{Hint: hint, Group: Move, Why: why}, run)
}

// Hits go to the next and to the previous of the smaller things in a view.
func Hits(what string, hint safe.Text, why func() safe.Text, run func(step int) tea.Cmd) [2]Command {
	return pair("hit", "n", "N", what, Command{Hint: hint, Group: Move, Why: why}, run)
}

// Lanes go to the next and to the previous session, or lane.
func Lanes(what string, hint safe.Text, why func() safe.Text, run func(step int) tea.Cmd) [2]Command {
	return pair("session", "J", "K", what, Command{Hint: hint, Group: Move, Why: why}, run)
}

func pair(name, key, back, what string, c Command, run func(step int) tea.Cmd) [2]Command {
	next, previous := c, c
	next.ID, next.Key = "view.next-"+name, Bind(key, key+" "+back, "next, previous "+what)
	next.Title, next.Run = "next "+safe.Line(what), func() tea.Cmd { return run(1) }
	previous.ID, previous.Key, previous.Hint = "view.previous-"+name, Bind(back, "", ""), ""
	previous.Title, previous.Run = "previous "+safe.Line(what), func() tea.Cmd { return run(-1) }
	return [2]Command{next, previous}
}

// Step makes what a pair runs of what has nothing to wait for.
func Step(f func(step int)) func(step int) tea.Cmd {
	return func(step int) tea.Cmd {
		f(step)
		return nil
	}
}

// areaOf is the first part of an id.
func areaOf(id string) Area {
	in, _, _ := strings.Cut(id, ".")
	return Area(in)
}
