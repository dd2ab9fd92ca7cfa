package term

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// Role is a colour of the theme by what it is for.
type Role struct {
	Name, Help  string
	Dark, Light string // what it is without a configuration, as CheckColour reads it
	of          func(*Theme) *Style
}

// Roles lists the colours there are.
func Roles() []Role {
	return []Role{
		{"ok", "success", "#4cc3a5", "#00705a", func(t *Theme) *Style { return &t.Ok }},
		{"error", "failed", "#ff8061 bold", "#b0003a bold", func(t *Theme) *Style { return &t.Err }},
		{"warning", "odd", "#f0c750", "#7d6400", func(t *Theme) *Style { return &t.Warn }},
		{"note", "worth knowing", "#7cc4ff", "#0a5fa8", func(t *Theme) *Style { return &t.Note }},
		{"pending", "waiting", "#b9a7f0", "#5b46a8", func(t *Theme) *Style { return &t.Pend }},
		{"to-server", "arrows of the client", "#7aa8ff", "#1f57c3", func(t *Theme) *Style { return &t.ToServer }},
		{"to-client", "arrows of the server", "#f0a35e", "#8f4a00", func(t *Theme) *Style { return &t.ToClient }},
		{"dim", "what matters less", "#8b949e", "#5c6470", func(t *Theme) *Style { return &t.Dim }},
		{"frame", "lines between panes", "#565d66", "#b4bbc5", func(t *Theme) *Style { return &t.Frame }},
		{"title", "titles", "bold", "bold", func(t *Theme) *Style { return &t.Title }},
		{"key", "keys to press", "#7aa8ff bold", "#1f57c3 bold", func(t *Theme) *Style { return &t.Key }},
		{"json-key", "names of members", "#7cc4ff", "#0a5fa8", func(t *Theme) *Style { return &t.JSONKey }},
		{"json-string", "strings", "#9fd6a0", "#2f6b2a", func(t *Theme) *Style { return &t.JSONString }},
		{"json-number", "numbers", "#f0c750", "#7d6400", func(t *Theme) *Style { return &t.JSONNumber }},
		{"json-word", "true, false, null", "#b9a7f0", "#5b46a8", func(t *Theme) *Style { return &t.JSONWord }},
		{"stand-in", "what cannot be shown as it is", "#ff8061 reverse", "#b0003a reverse", func(t *Theme) *Style { return &t.Placeholder }},
		{"hit", "found text", "on:#5a4a00", "on:#ffe58f", func(t *Theme) *Style { return &t.Hit }},
		{"hit-now", "found text, where you are", "#f0c750 bold reverse", "#7d6400 bold reverse", func(t *Theme) *Style { return &t.HitNow }},
		{"bad", "a violated step of the life cycle", "#ff8061 bold reverse", "#b0003a bold reverse", func(t *Theme) *Style { return &t.Bad }},
		{"selection", "the selected row", "on:#223a57 bold", "on:#d6e6fb bold", func(t *Theme) *Style { return &t.sel }},
		{"selection-elsewhere", "the same in a pane without the focus", "on:#1c2836", "on:#e9eff6", func(t *Theme) *Style { return &t.SelDim }},
	}
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

// CheckColour says whether a colour can be read; ColourHelp says how it must be.
func CheckColour(text string) bool {
	_, ok := ParseStyle(text)
	return ok
}

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

// isColour says whether lipgloss reads a colour as ColourHelp says it.
func isColour(s string) bool {
	if hex, ok := strings.CutPrefix(strings.ToLower(s), "#"); ok {
		return len(hex) == 6 && strings.Trim(hex, "0123456789abcdef") == ""
	}
	n, err := strconv.ParseUint(s, 10, 8)
	return s == "default" || err == nil && strconv.FormatUint(n, 10) == s
}
