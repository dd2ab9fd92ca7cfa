// Package ui is the terminal interface: sessions, their life cycle, their
// messages in words, and the bytes behind each.
//
// Model is the only tea.Model; everything else is a plain struct with methods
// that Update calls. Nothing in Update blocks: payloads and news come from a
// Source by commands. Text from the wire reaches the screen only as safe.Text.
package ui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"midwire/session/defect"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
	"midwire/session/pace"
	"midwire/session/wire"
	"midwire/ui/filter"
	"midwire/ui/gating"
	"midwire/ui/menu"
	"midwire/ui/replaying"
	"midwire/ui/term"
	"midwire/ui/view/findings"
	"midwire/ui/welcome"
)

// What a Source delivers.
type (
	Recording = wire.Recording
	Tagged    = wire.Tagged
)

// Batch is a wire.Batch, and with it the summaries of recordings that have
// ended: by id, as they come, again when one has changed.
type Batch struct {
	Recordings []Recording
	Frames     []Tagged
	Loading    map[string]float64
	Err        error
	Summaries  map[string]*summary.Recording
}

// Source delivers recordings and their frames. Its methods are called from
// commands, never from Update; Next by one command at a time.
type Source interface {
	// Next blocks until there is news or ctx ends. An error ends delivery.
	Next(ctx context.Context) (Batch, error)
	// Open asks for the frames of a recording that is listed and not loaded.
	// Live ones are delivered without being asked for.
	Open(rec string)
	// Frame returns a frame with its payload, which the caller may keep.
	Frame(rec string, n uint64) (wire.Frame, error)
}

// Summariser is a Source that makes the summaries of recordings.
type Summariser interface {
	// First says which recordings are on the screen without one: they come first.
	First(ids []string)
}

// Hints are the texts of the empty screen. Empty ones are left out.
type Hints struct {
	Folder   string // where recordings are
	HTTPURL  string // where an HTTP tap of this process listens
	Upstream string // where it forwards to
}

// Clipboard takes a text to copy. It returns what is to be written to the terminal for that, and
// to what the text went, in words. It is called from commands.
type Clipboard func(text string) (print, to string, err error)

// Options say how the interface looks and behaves. The zero value works.
type Options struct {
	Theme    string // one of Themes, "auto" by default
	NoColor  bool   // no hues: bold and reverse only
	NoBar    bool   // the terminal has no bar of progress beside its tab
	ASCII    bool   // signs and lines of ASCII only
	Now      func() time.Time
	Hints    Hints
	Title    string // for the window title and an empty header; "midwire" by default
	Version  string
	Folder   string             // where new files are written, "" where that is not known
	Filters  filter.Keeper      // nil where filters are not kept
	Exporter menu.Exporter      // nil where nothing can be written
	Replayer replaying.Replayer // nil where nothing can be replayed
	// Clipboard is nil where the terminal itself is asked to copy.
	Clipboard Clipboard
	Gates     gating.Gates         // nil where no gate can be reached
	Starter   welcome.Starter      // nil where nothing can be started
	Comparer  Comparer             // nil where recordings are not compared
	Coder     findings.Coder       // nil where code is not looked up
	Notebook  Notebook             // nil where notes are not kept
	Mask      func(string) string  // for texts that may quote credentials, nil for none
	Defect    func(*defect.Defect) // keeps a defect of midwire itself; nil where none are kept
	Told      <-chan string        // what goes on elsewhere, a line each, for the last line; nil for nothing
	Settings
	Pair         bool // two recordings were opened together: they are compared whatever their flow
	Library      bool // recordings are there to be chosen from: the start screen is the first
	TapInProcess bool // quitting ends a tap: ask first while a recording is live

	rules []*diagnose.Rule // for tests; the whole catalogue when nil
}

// Settings are what a configuration can say besides Options. The zero value is
// how the screen is without one.
type Settings struct {
	Keys     map[string][]string // other keys, by the id of a binding; see CheckKeys
	NoMouse  bool
	NoFollow bool   // a live recording is read from its beginning
	Time     string // one of TimeFormats, "" for the first
}

// TimeFormats are the forms of the column of time.
func TimeFormats() []string { return []string{"start", "clock"} }

// Themes are the names of themes.
func Themes() []string { return []string{"auto", "light", "dark"} }

func (m *Model) configure() {
	s := &m.opts.Settings
	if CheckKeys(s.Keys) != nil {
		s.Keys = nil
	}
	m.noMouse = s.NoMouse
	m.time = term.TimeFormat(max(0, slices.Index(TimeFormats(), s.Time)))
	m.list.Follow = !s.NoFollow
}

// asksBackground says whether the theme depends on that of the terminal.
func (m *Model) asksBackground() bool { return m.opts.Theme != "light" && m.opts.Theme != "dark" }

// framesPerSecond is enough for a screen that gets news twenty times a second.
const framesPerSecond = 30

// Run shows the interface on the terminal until the user leaves or ctx ends,
// and leaves the terminal as it found it. Signals are the caller's business: it
// ends ctx. The library's own handler of them waits for ever when the program
// ends at the same moment.
func Run(ctx context.Context, src Source, opts Options) error {
	program := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithFPS(framesPerSecond),
		tea.WithFilter(Filter), tea.WithoutSignalHandler(),
	}
	if opts.NoColor {
		// The library itself knows NO_COLOR only with some of its values.
		program = append(program, tea.WithColorProfile(colorprofile.ASCII))
	}
	defer pace.Memory(144<<20, 8)()
	m := New(src, opts)
	defer m.cancel()
	_, err := tea.NewProgram(m, program...).Run()
	m.flush()
	if errors.Is(err, tea.ErrProgramPanic) {
		time.Sleep(time.Second) // the library prints the fault of a command while it ends already
	}
	if errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil {
		return nil
	}
	return err
}
