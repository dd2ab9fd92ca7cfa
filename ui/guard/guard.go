// Package guard keeps a panic in one unit of the screen from ending the screen, and a
// proxy in the same process.
package guard

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/defect"
	"midwire/session/safe"
)

// Guard is the panics of midwire itself on the screen. A unit that panics is left out
// of what it was part of: a message of an update, a part of a picture, a row of a list,
// a command.
type Guard struct {
	// Say tells the user of a defect, once for each.
	Say func(safe.Text) tea.Cmd
	// Keep writes a defect to a file; nil where none are kept.
	Keep func(*defect.Defect)

	known map[string]bool  // by key
	due   []*defect.Defect // to be kept
}

// maxDefects bounds how many different defects are kept.
const maxDefects = 64

// Msg is what a command comes to that panicked.
type Msg struct{ *defect.Defect }

// Do does a unit of work and says whether it came to its end.
func (g *Guard) Do(unit string, do func()) bool {
	d := defect.Guard(unit, 0, do)
	if d != nil {
		g.Note(d)
	}
	return d == nil
}

// Note takes a defect that showed elsewhere.
func (g *Guard) Note(d *defect.Defect) {
	if k := d.Key(); !g.known[k] && len(g.known) < maxDefects {
		if g.known == nil {
			g.known = map[string]bool{}
		}
		g.known[k] = true
		g.due = append(g.due, d)
		g.Say(safe.Line(d.Error()))
	}
}

// Flush is the command that keeps defects that are new, nil for none.
func (g *Guard) Flush() tea.Cmd {
	due := g.due
	if g.due = nil; len(due) == 0 || g.Keep == nil {
		return nil
	}
	return func() tea.Msg {
		for _, d := range due {
			g.Keep(d)
		}
		return nil
	}
}

// Command makes a panic of a command, or of one of a batch, a Msg.
func Command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer defect.Recover("a command of the screen", 0, func(d *defect.Defect) { msg = Msg{d} })
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			safely := make(tea.BatchMsg, len(batch))
			for i, one := range batch {
				safely[i] = Command(one)
			}
			msg = safely
		}
		return msg
	}
}
