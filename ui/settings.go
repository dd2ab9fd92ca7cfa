package ui

import (
	"slices"

	"midwire/ui/term"
)

// Settings are what a configuration can say besides Options. The zero value is
// how the screen is without one.
type Settings struct {
	Keys     map[string][]string // other keys, by the id of a binding; see CheckKeys
	Colours  map[string]string   // of the theme "custom", by role; see CheckColour
	NoMouse  bool
	NoFollow bool   // a live recording is read from its beginning
	Time     string // one of TimeFormats, "" for the first
	Detail   string // one of Places, "" for the first
}

// TimeFormats are the forms of the column of time.
func TimeFormats() []string { return []string{"start", "clock", "delta"} }

// Places are where the detail pane can stand.
func Places() []string { return []string{"auto", "right", "below", "off"} }

// Themes are the names of themes.
func Themes() []string { return []string{"auto", "light", "dark", "custom"} }

// configure makes the screen what the settings say.
func (m *Model) configure() {
	s := &m.opts.Settings
	if CheckKeys(s.Keys) != nil {
		s.Keys = nil
	}
	m.noMouse = s.NoMouse
	m.time = term.TimeFormat(max(0, slices.Index(TimeFormats(), s.Time)))
	m.chosen.detail = detailPlace(max(0, slices.Index(Places(), s.Detail)))
	m.list.Follow = !s.NoFollow
}

// asksBackground says whether the theme depends on that of the terminal.
func (m *Model) asksBackground() bool {
	t := m.opts.Theme
	return t == "" || t == "auto" || t == "custom"
}
