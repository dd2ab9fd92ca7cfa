package keymap

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// A shared command holds where its view is, and has other keys there.
func TestSharedCommands(t *testing.T) {
	at := 0
	pair := Problems("finding", "next", nil, Step(func(step int) { at += step }))
	all := Rebound(In(Findings, []Command{pair[0], pair[1], Open("the message", "open", nil, func() tea.Cmd { return nil })}),
		map[string][]string{"view.next-problem": {"x"}})
	all[0].Run()
	all[0].Run()
	all[1].Run()
	if at != 1 || all[0].Area() != Findings || all[0].Key.Keys()[0] != "x" || all[0].Name() != "next finding" {
		t.Errorf("at %d: %+v", at, all[0])
	}
	if all[0].Key.Help().Key != "x [" || all[1].Word() != "" || all[2].Word() != "open" {
		t.Errorf("%q %q %q", all[0].Key.Help().Key, all[1].Word(), all[2].Word())
	}
}

// Check finds keys that would mean two things, ids that nothing has, and what is no key.
func TestCheck(t *testing.T) {
	all := func() []Command {
		return []Command{{ID: "global.quit", Key: Bind("q", "q", "quit")}, {ID: "messages.sort", Key: Bind("o", "o", "sort")}}
	}
	for want, keys := range map[string]map[string][]string{
		"":                      {"messages.sort": {"s"}},
		"also that of":          {"messages.sort": {"q"}},
		"no such action":        {"messages.none": {"q"}},
		"is no key":             {"messages.sort": {"qq"}},
		"way out of everything": {"global.interrupt": {"x"}},
	} {
		err := Check(append(all(), Command{ID: "global.interrupt", Key: Bind("ctrl+c", "^c", "quit")}), keys)
		switch {
		case err == nil && want != "":
			t.Errorf("%v is accepted", keys)
		case err != nil && (want == "" || !strings.Contains(err.Why, want)):
			t.Errorf("%v: %q", keys, err.Why)
		}
	}
}
