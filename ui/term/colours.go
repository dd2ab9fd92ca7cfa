package term

import (
	"slices"
	"strconv"
	"strings"
)

// Role is a colour of the theme by what it is for.
type Role struct {
	Name, Help  string
	Dark, Light string // what it is without a configuration
}

// role leads to a colour of a theme.
type role struct {
	Name, help string
	At         *Style
}

func (t *Theme) Roles() []role {
	return []role{
		{"ok", "answered", &t.Ok},
		{"error", "failed", &t.Err},
		{"warning", "odd", &t.Warn},
		{"note", "worth knowing", &t.Note},
		{"pending", "waiting", &t.Pend},
		{"to-server", "arrows of the client", &t.C2s},
		{"to-client", "arrows of the server", &t.S2c},
		{"dim", "what matters less", &t.Dim},
		{"frame", "lines between panes", &t.Frame},
		{"title", "titles", &t.Title},
		{"key", "keys to press", &t.Key},
		{"json-key", "names of members", &t.JsonKey},
		{"json-string", "strings", &t.JsonString},
		{"json-number", "numbers", &t.JsonNumber},
		{"json-word", "true, false, null", &t.JsonWord},
		{"stand-in", "what cannot be shown as it is", &t.StandIn},
		{"hit", "found text", &t.Hit},
		{"hit-now", "found text, where you are", &t.HitNow},
		{"bad", "a violated step of the life cycle", &t.Bad},
		{"selection", "the selected row", &t.sel},
		{"selection-elsewhere", "the same in a pane without the focus", &t.SelDim},
	}
}

// Roles lists the colours there are.
func Roles() []Role {
	dark, light := Dark(), Light()
	d, l := dark.Roles(), light.Roles()
	out := make([]Role, len(d))
	for i := range d {
		out[i] = Role{d[i].Name, d[i].help, d[i].At.Words(), l[i].At.Words()}
	}
	return out
}

// Coloured returns the theme with other colours for some roles.
func (t Theme) Coloured(colours map[string]string) Theme {
	for _, r := range t.Roles() {
		if text, ok := colours[r.Name]; ok {
			if st, ok := ParseStyle(text); ok {
				*r.At = st
			}
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

// attributes pairs SGR parameters with their words.
func attributes() []string {
	return []string{"1", "bold", "2", "faint", "3", "italic", "4", "underline", "7", "reverse"}
}

// ParseStyle reads "#rrggbb bold" and the like.
func ParseStyle(text string) (Style, bool) {
	out := Plain
	words := strings.Fields(text)
	for _, w := range words {
		if i := slices.Index(attributes(), w); i >= 0 && i%2 == 1 {
			out += Style(";" + attributes()[i-1])
			continue
		}
		ground := Style(";38")
		if rest, ok := strings.CutPrefix(w, "on:"); ok {
			ground, w = ";48", rest
		}
		hex, isHex := strings.CutPrefix(strings.ToLower(w), "#")
		switch {
		case isHex && len(hex) == 6 && strings.Trim(hex, "0123456789abcdef") == "":
			out += ground + rgb(hex)[len(";38"):]
		case w == "default":
			out += Style(";" + string(ground[1]) + "9")
		default:
			n, err := strconv.ParseUint(w, 10, 8)
			if err != nil || strconv.FormatUint(n, 10) != w {
				return Plain, false
			}
			out += ground + Style(";5;"+w)
		}
	}
	return out, len(words) > 0
}

// Words writes a style as parseStyle reads it.
func (st Style) Words() string {
	var out []string
	p := strings.Split(strings.TrimPrefix(string(st), ";"), ";")
	for i := 0; i < len(p); i++ {
		on := ""
		if strings.HasPrefix(p[i], "4") && len(p[i]) == 2 {
			on = "on:"
		}
		switch {
		case len(p[i]) == 2 && p[i][1] == '9':
			out = append(out, on+"default")
		case len(p[i]) == 2 && i+2 < len(p) && p[i+1] == "5":
			out = append(out, on+p[i+2])
			i += 2
		case len(p[i]) == 2 && i+4 < len(p):
			var hex strings.Builder
			hex.WriteString("#")
			for _, v := range p[i+2 : i+5] {
				n, _ := strconv.Atoi(v)
				hex.WriteString(strconv.FormatInt(int64(n>>4), 16) + strconv.FormatInt(int64(n&15), 16))
			}
			out = append(out, on+hex.String())
			i += 4
		default:
			if k := slices.Index(attributes(), p[i]); k >= 0 && k%2 == 0 {
				out = append(out, attributes()[k+1])
			}
		}
	}
	return strings.Join(out, " ")
}
