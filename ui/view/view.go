package view

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
)

// View is a screen that stands instead of the messages and shows what the list
// shows in another way, like the waterfall. The model owns it and calls it from
// Update and View only.
type View interface {
	// Area is where the view's own keys hold.
	Area() keymap.Area
	// Name is what the view is called in the line of crumbs.
	Name() safe.Text
	// Refresh takes in what is new since the last call: it is called after
	// every message, before anything is drawn. It returns the commands it needs.
	Refresh(h Host) tea.Cmd
	// Commands are what can be done here, in the order of help and footer. Moving
	// comes by Scroller.
	Commands(h Host) []keymap.Command
	// Scroller is the lines of the view, for the keys that move.
	Scroller() *Scroller
	// Draw draws exactly height lines of w cells, the title among them. It sets the
	// height of the scroller.
	Draw(h Host, sc *library.Scene, w, height int) []string
	// Click is told of a click on line y and column x of what was drawn.
	Click(h Host, x, y int) tea.Cmd
	// State sums the view up for the header, Told for the status line.
	State(h Host) []term.Seg
	Told(h Host) safe.Text
}

// What a view may also be. Each says so where it is declared, as in
// var _ view.Follower = (*Waterfall)(nil).
type (
	// Crumbed says itself what stands in the line of crumbs.
	Crumbed interface {
		Crumbs(sc *library.Scene) []safe.Text
	}
	// Split has parts that the wheel scrolls each by itself: ScrollerAt is the
	// lines of the part at column x and line y.
	Split interface {
		ScrollerAt(x, y int) *Scroller
	}
	// Writer has a text that the user writes. While it does, it takes the keys,
	// and Hints says what they do.
	Writer interface {
		Writes() bool
		Write(h Host, msg tea.Msg) tea.Cmd // a key press, or what else there is to put in
		Hints() [][2]safe.Text
	}
	// Backer has something to undo before the view is left, and says whether it had.
	Backer interface {
		Back() bool
	}
	// Follower may have the newest message on its last line.
	Follower interface {
		Follows() bool
	}
)

// Host is all that a view may know of the program, and ask of it.
type Host interface {
	// Scene is what drawing needs to know: theme, glyphs, size, time. It is
	// made anew for every call.
	Scene() *library.Scene
	// Scope says which messages the list shows.
	Scope() library.Scope
	// Rows is the list of these messages.
	Rows() messages.Rows

	// Recordings are all there are. The slice is read only.
	Recordings() []*library.Recording

	// Payloads are those of some frames of a recording that are at hand. It asks
	// for the others, which come with a later message; failed says why one of them
	// cannot be read.
	Payloads(rec *library.Recording, ns []uint64) (got map[uint64]wire.Frame, failed string, cmd tea.Cmd)

	// Select selects a message of the list by its id.
	Select(id uint32)
	// Follow begins or ends following the newest message.
	Follow(on bool)
	// Jump shows a frame of a recording among the messages; esc comes back.
	Jump(rec *library.Recording, frame uint64) tea.Cmd
	// ShowOnly shows the messages of a scope that a filter keeps, a frame among
	// them selected; esc comes back.
	ShowOnly(of library.Scope, filter string, frame uint64)
	// Open shows another view, from which esc comes back.
	Open(v View)
	// Run carries out a command of the program, by its id.
	Run(id string) tea.Cmd

	// Review arranges the findings anew, where other rules are muted.
	Review()
	// Export writes so many findings as SARIF, by recording. Exports says
	// whether there is somewhere to write to.
	Export(found map[string][]*diagnose.Finding, n int) tea.Cmd
	Exports() bool

	// Copy puts text on the clipboard and says what it is.
	Copy(text, what string) tea.Cmd
	// Say tells something for a moment, Complain until a key is pressed.
	Say(text safe.Text) tea.Cmd
	Complain(text safe.Text) tea.Cmd

	// Clicked takes note of a click on a line and says whether it is the second
	// one of a double click.
	Clicked(line uint32) (again bool)
	// Later wakes a view after a while, or after the keys had a turn.
	Later(v Sleeper, d time.Duration) tea.Cmd
}

// Message is a message that a view or what it asks sent to itself. The screen
// is drawn anew after it.
type Message interface {
	Take(h Host) tea.Cmd
}

// Sleeper is a view that has something to do later.
type Sleeper interface {
	// Wake is called when so much time has passed, before the view's refresh.
	Wake(after time.Duration)
}

// WakeMsg wakes a view.
type WakeMsg struct {
	V     Sleeper
	After time.Duration
}

// Take wakes the view.
func (msg WakeMsg) Take(Host) tea.Cmd {
	msg.V.Wake(msg.After)
	return nil
}

// Tick is how often a view is drawn that shows what grows.
const Tick = 250 * time.Millisecond

// Pace says what a view waits for.
type Pace struct {
	working bool // the rest of its work
	ticking bool // to draw what grows
}

// Wake notes that the wait is over.
func (p *Pace) Wake(after time.Duration) {
	if after == 0 {
		p.working = false
	} else {
		p.ticking = false
	}
}

// GoOn lets a view work on, and draw what grows.
func (p *Pace) GoOn(h Host, v Sleeper, more, grows bool) (cmds []tea.Cmd) {
	if more && !p.working {
		p.working = true
		cmds = append(cmds, h.Later(v, 0))
	}
	if grows && !p.ticking && !h.Scene().Frozen {
		p.ticking = true
		cmds = append(cmds, h.Later(v, Tick))
	}
	return cmds
}
