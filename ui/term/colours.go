package term

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Coloured is the theme for a dark or a light background.
func Coloured(dark bool) Theme {
	t := Theme{}
	for _, r := range []struct {
		of          *Style
		dark, light string // as style reads it
	}{
		{&t.Ok, "#4cc3a5", "#0a6b54"},                                // success
		{&t.Err, "#ff8061 bold", "#b3261e bold"},                     // failed
		{&t.Warn, "#f0c750", "#805300"},                              // odd, slow, held, changed
		{&t.Note, "#7cc4ff", "#0a5fa8"},                              // worth knowing
		{&t.Pend, "#b9a7f0", "#5b46a8"},                              // waiting
		{&t.ToServer, "#7aa8ff", "#1f4fbf"},                          // arrows of the client
		{&t.ToClient, "#f0a35e", "#a04a00"},                          // arrows of the server
		{&t.Dim, "#949ea9", "#57606a"},                               // what matters less
		{&t.dimSel, "#b4bfcb", "#47505a"},                            // the same on the selected row
		{&t.Faint, "#7f8995", "#656d76"},                             // titles of columns, labels, not seen
		{&t.Frame, "#3a4454", "#c3ccd6"},                             // frames and lines
		{&t.Focus, "#6cb6ff", "#0b62b0"},                             // the frame of what has the keys
		{&t.Title, "#f2f5f8 bold", "#000000 bold"},                   // titles, what to do
		{&t.Key, "#7aa8ff bold", "#1f4fbf bold"},                     // keys to press, places to go to
		{&t.Header, "on:#161f2e", "on:#eef3f9"},                      // the first line
		{&t.Field, "on:#16202e", "on:#f3f7fb"},                       // where text is written
		{&t.JSONKey, "#8fb8e8", "#0b4f8a"},                           // names of members
		{&t.JSONString, "#9fd6a0", "#1d6b2f"},                        // strings, arguments
		{&t.JSONNumber, "#f0c750", "#805300"},                        // numbers
		{&t.JSONWord, "#b9a7f0", "#5b46a8"},                          // true, false, null
		{&t.Placeholder, "#ff8061 reverse", "#b3261e reverse"},       // what cannot be shown as it is
		{&t.Hit, "on:#5a4a00", "on:#ffe58f"},                         // found text
		{&t.HitNow, "#f0c750 bold reverse", "#805300 bold reverse"},  // found text, where you are
		{&t.Bad, "#ff8061 bold reverse", "#b3261e bold reverse"},     // a violated step of the life cycle
		{&t.sel, "on:#223a57", "on:#d6e6fb"},                         // the selected row
		{&t.SelDim, "on:#18222f", "on:#eef3f9"},                      // the same in a pane without the focus
		{&t.Removed, "on:#3a1d1c", "on:#fdecea"},                     // rows that are gone, or failed
		{&t.Added, "on:#123028", "on:#e3f5ec"},                       // rows that are new, or where something is issued
		{&t.RemovedWord, "#f2f5f8 on:#6e2a22", "#000000 on:#f6c1ba"}, // changed words in a removed row
		{&t.AddedWord, "#f2f5f8 on:#1b5a48", "#000000 on:#a9e0c8"},   // changed words in an added row
	} {
		*r.of = style(pick(dark, r.dark, r.light))
	}
	for i, hue := range hues {
		t.hues[i] = style(pick(dark, hue[0], hue[1]))
	}
	return t
}

func pick(dark bool, of, other string) string {
	if dark {
		return of
	}
	return other
}

// hues tell sessions apart, on a dark and on a light background. None is red:
// that is for what failed.
var hues = [hueCount][2]string{
	{"#6cb6ff", "#0b62b0"},
	{"#e3b341", "#7a5a00"},
	{"#c297ff", "#6b3fb5"},
	{"#4fd1c5", "#00706b"},
	{"#ff9bce", "#a3236b"},
	{"#a5d66f", "#4a6b12"},
	{"#d8b898", "#7b5531"},
	{"#9fb4cc", "#46607c"},
}

// style reads "#rrggbb bold" and the like; "on:" before a colour makes it the ground.
func style(text string) Style {
	s := lipgloss.NewStyle()
	for w := range strings.FieldsSeq(text) {
		colour, behind := strings.CutPrefix(w, "on:")
		switch {
		case w == "bold":
			s = s.Bold(true)
		case w == "reverse":
			s = s.Reverse(true)
		case behind:
			s = s.Background(lipgloss.Color(colour))
		default:
			s = s.Foreground(lipgloss.Color(colour))
		}
	}
	return Of(s)
}
