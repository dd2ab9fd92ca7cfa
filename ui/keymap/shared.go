package keymap

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
)

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
