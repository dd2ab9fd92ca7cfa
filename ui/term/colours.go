package term

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"midwire/session/words"
)

// Role is a colour of the theme by what it is for.
type Role struct {
	Name, Help  string
	Dark, Light string // what it is without a configuration, as ParseStyle reads it
	of          func(*Theme) *Style
}

// Roles lists the colours there are.
func Roles() []Role {
	roles := []Role{
		{"ok", "success", "#4cc3a5", "#0a6b54", func(t *Theme) *Style { return &t.Ok }},
		{"error", "failed", "#ff8061 bold", "#b3261e bold", func(t *Theme) *Style { return &t.Err }},
		{"warning", "odd, slow, held, changed", "#f0c750", "#805300", func(t *Theme) *Style { return &t.Warn }},
		{"note", "worth knowing", "#7cc4ff", "#0a5fa8", func(t *Theme) *Style { return &t.Note }},
		{"pending", "waiting", "#b9a7f0", "#5b46a8", func(t *Theme) *Style { return &t.Pend }},
		{"to-server", "arrows of the client", "#7aa8ff", "#1f4fbf", func(t *Theme) *Style { return &t.ToServer }},
		{"to-client", "arrows of the server", "#f0a35e", "#a04a00", func(t *Theme) *Style { return &t.ToClient }},
		{"dim", "what matters less", "#949ea9", "#57606a", func(t *Theme) *Style { return &t.Dim }},
		{"dim-selected", "the same on the selected row", "#b4bfcb", "#47505a", func(t *Theme) *Style { return &t.dimSel }},
		{"faint", "titles of columns, labels, not seen", "#7f8995", "#656d76", func(t *Theme) *Style { return &t.Faint }},
		{"frame", "frames and lines", "#3a4454", "#c3ccd6", func(t *Theme) *Style { return &t.Frame }},
		{"frame-focus", "the frame of what has the keys", "#6cb6ff", "#0b62b0", func(t *Theme) *Style { return &t.Focus }},
		{"title", "titles, what to do", "#f2f5f8 bold", "#000000 bold", func(t *Theme) *Style { return &t.Title }},
		{"key", "keys to press, places to go to", "#7aa8ff bold", "#1f4fbf bold", func(t *Theme) *Style { return &t.Key }},
		{"header", "the first line", "on:#161f2e", "on:#eef3f9", func(t *Theme) *Style { return &t.Header }},
		{"field", "where text is written", "on:#16202e", "on:#f3f7fb", func(t *Theme) *Style { return &t.Field }},
		{"json-key", "names of members", "#8fb8e8", "#0b4f8a", func(t *Theme) *Style { return &t.JSONKey }},
		{"json-string", "strings, arguments", "#9fd6a0", "#1d6b2f", func(t *Theme) *Style { return &t.JSONString }},
		{"json-number", "numbers", "#f0c750", "#805300", func(t *Theme) *Style { return &t.JSONNumber }},
		{"json-word", "true, false, null", "#b9a7f0", "#5b46a8", func(t *Theme) *Style { return &t.JSONWord }},
		{"stand-in", "what cannot be shown as it is", "#ff8061 reverse", "#b3261e reverse", func(t *Theme) *Style { return &t.Placeholder }},
		{"hit", "found text", "on:#5a4a00", "on:#ffe58f", func(t *Theme) *Style { return &t.Hit }},
		{"hit-now", "found text, where you are", "#f0c750 bold reverse", "#805300 bold reverse", func(t *Theme) *Style { return &t.HitNow }},
		{"bad", "a violated step of the life cycle", "#ff8061 bold reverse", "#b3261e bold reverse", func(t *Theme) *Style { return &t.Bad }},
		{"selection", "the selected row", "on:#223a57", "on:#d6e6fb", func(t *Theme) *Style { return &t.sel }},
		{"selection-elsewhere", "the same in a pane without the focus", "on:#18222f", "on:#eef3f9", func(t *Theme) *Style { return &t.SelDim }},
		{"removed", "rows that are gone, or failed", "on:#3a1d1c", "on:#fdecea", func(t *Theme) *Style { return &t.Removed }},
		{"added", "rows that are new, or where something is issued", "on:#123028", "on:#e3f5ec", func(t *Theme) *Style { return &t.Added }},
		{"removed-word", "changed words in a removed row", "#f2f5f8 on:#6e2a22", "#000000 on:#f6c1ba", func(t *Theme) *Style { return &t.RemovedWord }},
		{"added-word", "changed words in an added row", "#f2f5f8 on:#1b5a48", "#000000 on:#a9e0c8", func(t *Theme) *Style { return &t.AddedWord }},
	}
	for i, hue := range hues {
		roles = append(roles, Role{
			"session-" + strconv.Itoa(i+1), "a session and what belongs to it", hue[0], hue[1],
			func(t *Theme) *Style { return &t.hues[i] },
		})
	}
	return roles
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

// Coloured is the theme for a dark or a light background.
func Coloured(dark bool) Theme {
	t := Theme{}
	for _, r := range Roles() {
		text := r.Light
		if dark {
			text = r.Dark
		}
		*r.of(&t), _ = ParseStyle(text)
	}
	return t
}

// With returns the theme with other colours for some roles.
func (t Theme) With(colours map[string]string) Theme {
	for _, r := range Roles() {
		if st, ok := ParseStyle(colours[r.Name]); ok {
			*r.of(&t) = st
		}
	}
	return t
}

// ColourHelp says what a colour is in a configuration.
const ColourHelp = `a colour is "#rrggbb", a number from 0 to 255 of the terminal's palette, or "default"; "on:" before it makes it the background; bold, faint, italic, underline and reverse may follow`

// ParseStyle reads "#rrggbb bold" and the like.
func ParseStyle(text string) (Style, bool) {
	s := lipgloss.NewStyle()
	words := strings.Fields(text)
	for _, w := range words {
		switch w {
		case "bold":
			s = s.Bold(true)
		case "faint":
			s = s.Faint(true)
		case "italic":
			s = s.Italic(true)
		case "underline":
			s = s.Underline(true)
		case "reverse":
			s = s.Reverse(true)
		default:
			colour, behind := strings.CutPrefix(w, "on:")
			switch {
			case !isColour(colour):
				return Plain, false
			case colour == "default": // what stands in no style has it
			case behind:
				s = s.Background(lipgloss.Color(colour))
			default:
				s = s.Foreground(lipgloss.Color(colour))
			}
		}
	}
	return Of(s), len(words) > 0
}

func isColour(s string) bool {
	if hex, ok := strings.CutPrefix(words.Fold(s), "#"); ok {
		return len(hex) == 6 && strings.Trim(hex, "0123456789abcdef") == ""
	}
	n, err := strconv.ParseUint(s, 10, 8)
	return s == "default" || err == nil && strconv.FormatUint(n, 10) == s
}
