package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"midwire/session/gcpace"
)

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
	defer gcpace.Pace(144<<20, 8)()
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
