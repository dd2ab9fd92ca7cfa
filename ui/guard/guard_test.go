package guard

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"midwire/session/defect"
	"midwire/session/safe"
)

// guarded is a guard with what it said and kept.
func guarded() (g *Guard, said *[]string, kept *[]string) {
	said, kept = new([]string), new([]string)
	g = &Guard{
		Say:  func(s safe.Text) tea.Cmd { *said = append(*said, string(s)); return nil },
		Keep: func(d *defect.Defect) { *kept = append(*kept, d.Unit) },
	}
	return g, said, kept
}

// TestDo: what panics is left out, said once and kept once; the rest comes.
func TestDo(t *testing.T) {
	g, said, kept := guarded()
	var done []string
	for range 3 {
		for _, row := range []string{"one", "two", "three"} {
			ok := g.Do("a row", func() {
				if row == "two" {
					panic("\x1b[2J lost its way")
				}
				done = append(done, row)
			})
			if ok != (row != "two") {
				t.Errorf("%s: %v", row, ok)
			}
		}
	}
	if got := strings.Join(done, " "); got != "one three one three one three" {
		t.Errorf("done: %s", got)
	}
	if len(*said) != 1 || !strings.Contains((*said)[0], "defect") || strings.Contains((*said)[0], "\x1b") {
		t.Errorf("said: %q", *said)
	}
	if len(*kept) != 0 {
		t.Error("a file is written while the screen is drawn")
	}
	for range 2 {
		if cmd := g.Flush(); cmd != nil {
			cmd()
		}
	}
	if len(*kept) != 1 || (*kept)[0] != "a row" {
		t.Errorf("kept: %q", *kept)
	}
}

// TestBound: defects without end are not all kept.
func TestBound(t *testing.T) {
	g, said, _ := guarded()
	for i := range 3 * maxDefects {
		g.Note(&defect.Defect{Unit: "a command", What: fmt.Sprint(i)})
	}
	if len(*said) > maxDefects || len(g.due) > maxDefects {
		t.Errorf("%d said, %d to be kept", len(*said), len(g.due))
	}
	g.Keep = nil
	if g.Flush() != nil {
		t.Error("what is kept nowhere asks for a command")
	}
}

// TestCommand: a command that panics comes to a message, alone or in a batch within a
// batch, and the others of the batch come to theirs.
func TestCommand(t *testing.T) {
	broken := func() tea.Msg { panic("a command that lost its way") }
	well := func() tea.Msg { return "well" }
	if Command(nil) != nil {
		t.Error("no command is one")
	}
	var got []string
	var run func(tea.Cmd)
	run = func(cmd tea.Cmd) {
		switch msg := Command(cmd)().(type) {
		case tea.BatchMsg:
			for _, one := range msg {
				run(one)
			}
		case Msg:
			got = append(got, msg.Unit)
		case string:
			got = append(got, msg)
		}
	}
	run(tea.Batch(broken, well, tea.Batch(well, broken)))
	if all := strings.Join(got, "; "); all != "a command of the screen; well; well; a command of the screen" {
		t.Error(all)
	}
}
