package ui

import (
	"fmt"
	"maps"
	"slices"

	"midwire/ui/layout"
	"midwire/ui/term"
)

// StateKeeper keeps how the screen was left from one run to the next. Run calls it
// before the first picture and after the last.
type StateKeeper interface {
	Load() map[string]string
	Keep(map[string]string) error
}

// state is how the screen is left, by names that stay. What the configuration says
// is not in it.
func (m *Model) state() map[string]string {
	return map[string]string{
		"detail": Places()[m.layoutOptions.Detail],
		"time":   TimeFormats()[m.time],
		"theme":  m.opts.Theme,
		"sizes":  fmt.Sprintln(m.layoutOptions.Grown[0], m.layoutOptions.Grown[1], m.layoutOptions.Wider),
	}
}

// recall makes the screen what it was when it was left, as far as the configuration
// says nothing else. Values that are not known are passed over.
func (m *Model) recall(kept map[string]string) {
	set := &m.opts.Settings
	if i := slices.Index(Places(), kept["detail"]); i >= 0 && set.Detail == "" {
		m.layoutOptions.Detail = layout.Place(i)
	}
	if i := slices.Index(TimeFormats(), kept["time"]); i >= 0 && set.Time == "" {
		m.time = term.TimeFormat(i)
	}
	a := m.layoutOptions
	if n, _ := fmt.Sscan(kept["sizes"], &a.Grown[0], &a.Grown[1], &a.Wider); n == 3 {
		m.layoutOptions = a
	}
	if theme := kept["theme"]; m.opts.Theme == "" && slices.Contains(Themes(), theme) && theme != "custom" {
		m.opts.Theme = theme
		m.dark = theme != "light"
		m.applyTheme()
	}
}

// remembered runs the screen between reading and keeping how it was left.
func (m *Model) remembered(run func() error) error {
	by := m.opts.State
	if by == nil {
		return run()
	}
	m.recall(by.Load())
	before := m.state()
	err := run()
	if now := m.state(); !maps.Equal(before, now) {
		by.Keep(now) // the screen is gone, and nothing depends on it
	}
	return err
}
