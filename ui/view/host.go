package view

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/menu"
	"midwire/ui/messages"
)

// Host is all that a view, a line or a box may know of the program, and ask of it.
type Host interface {
	// Scene is what drawing needs to know: theme, glyphs, size, time, recordings. It
	// is made anew for every call.
	Scene() *library.Scene
	// Scope says which messages the list shows, Rows is this list: views may select
	// and follow in it.
	Scope() library.Scope
	Rows() *messages.List
	// Payloads are those of some frames of a recording that are at hand. It asks
	// for the others, which come with a later message; failed says why one of them
	// cannot be read.
	Payloads(rec *library.Recording, ns []uint64) (got map[uint64]wire.Frame, failed string, cmd tea.Cmd)

	// Jump shows a frame of a recording among the messages, Open another view; esc
	// comes back.
	Jump(rec *library.Recording, frame uint64) tea.Cmd
	Open(v View)
	// Run carries out a command of the program, by its id.
	Run(id string) tea.Cmd
	// Do does something else: one of the types below, or one that a package has for
	// itself.
	Do(what any) tea.Cmd

	// Copy puts text on the clipboard and says what it is.
	Copy(text, what string) tea.Cmd
	// Say tells something for a moment, Complain until a key is pressed.
	Say(text safe.Text) tea.Cmd
	Complain(text safe.Text) tea.Cmd
	// Busy says what has the keys, so that nothing else may open now.
	Busy() Busy
}

// Busy is what has the keys.
type Busy uint8

// What has the keys: the screen, the question before a replay, another box or a line.
const (
	Free Busy = iota
	InReplay
	Elsewhere
)

// What Do does.
type (
	// ShowOnly shows the messages of a scope that a filter keeps, a frame among them
	// selected; esc comes back.
	ShowOnly struct {
		library.Scope
		Filter string
		Frame  uint64
	}
	// ShowScope shows a recording or session, and has it read if need be. Choose makes
	// it what commands are about; with Read it is read if need be.
	ShowScope struct{ library.Scope }
	Choose    struct {
		library.Scope
		Read bool
	}
	// Goto shows a frame of the recording that is shown. Narrow shows one of its
	// sessions, or all.
	Goto   struct{ Frame uint64 }
	Narrow struct{ Session int }
	// FilterBy shows the messages that a filter keeps, as if it had been typed; KeepOnly
	// does so where one is, for a filter that a key stands for.
	FilterBy struct{ Text string }
	KeepOnly struct{ Text string }
	// Search looks for a text in all recordings.
	Search struct{ Text string }

	// Export writes so many findings as SARIF, by recording.
	Export struct {
		Found map[string][]*diagnose.Finding
		N     int
	}

	// AskName asks what to call what a key of notes stands for, AskDelete whether to
	// delete a recording, Menu what the list is to show.
	AskName struct {
		Rec  *library.Recording
		Of   notes.Key
		What safe.Text
	}
	AskDelete struct{ Rec *library.Recording }
	Menu      struct{ *menu.Menu }

	// SetTheme changes the theme. SetMouse takes the mouse, or gives it back to the terminal. Break
	// has the gate carry out a rule or a named fault.
	SetTheme struct{ Name string }
	SetMouse struct{ On bool }
	// CallTool asks for the arguments of a tool that frame Listed listed, and calls it.
	CallTool struct {
		Name   string
		Schema []byte
		Listed uint64
	}
	Break struct{ Line string }
)
