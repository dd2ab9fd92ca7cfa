package ui

import (
	"slices"
	"strconv"
	"strings"
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
	if all, err := rebind(keymap(), s.Keys); err == nil {
		m.keys = keysOf(all)
	}
	m.noMouse = s.NoMouse
	m.time = timeFormat(max(0, slices.Index(TimeFormats(), s.Time)))
	m.chosen.detail = detailPlace(max(0, slices.Index(Places(), s.Detail)))
	m.list.follow = !s.NoFollow
}

// asksBackground says whether the theme depends on that of the terminal.
func (m *Model) asksBackground() bool {
	t := m.opts.Theme
	return t == "" || t == "auto" || t == "custom"
}

// Role is a colour of the theme by what it is for.
type Role struct {
	Name, Help  string
	Dark, Light string // what it is without a configuration
}

// role leads to a colour of a theme.
type role struct {
	name, help string
	at         *style
}

func (t *theme) roles() []role {
	return []role{
		{"ok", "answered", &t.ok},
		{"error", "failed", &t.err},
		{"warning", "odd", &t.warn},
		{"note", "worth knowing", &t.note},
		{"pending", "waiting", &t.pend},
		{"to-server", "arrows of the client", &t.c2s},
		{"to-client", "arrows of the server", &t.s2c},
		{"dim", "what matters less", &t.dim},
		{"frame", "lines between panes", &t.frame},
		{"title", "titles", &t.title},
		{"key", "keys to press", &t.key},
		{"json-key", "names of members", &t.jsonKey},
		{"json-string", "strings", &t.jsonString},
		{"json-number", "numbers", &t.jsonNumber},
		{"json-word", "true, false, null", &t.jsonWord},
		{"stand-in", "what cannot be shown as it is", &t.standIn},
		{"hit", "found text", &t.hit},
		{"hit-now", "found text, where you are", &t.hitNow},
		{"bad", "a violated step of the life cycle", &t.bad},
		{"selection", "the selected row", &t.sel},
		{"selection-elsewhere", "the same in a pane without the focus", &t.selDim},
	}
}

// Roles lists the colours there are.
func Roles() []Role {
	dark, light := darkTheme(), lightTheme()
	d, l := dark.roles(), light.roles()
	out := make([]Role, len(d))
	for i := range d {
		out[i] = Role{d[i].name, d[i].help, d[i].at.words(), l[i].at.words()}
	}
	return out
}

// coloured returns the theme with other colours for some roles.
func (t theme) coloured(colours map[string]string) theme {
	for _, r := range t.roles() {
		if text, ok := colours[r.name]; ok {
			if st, ok := parseStyle(text); ok {
				*r.at = st
			}
		}
	}
	return t
}

// ColourHelp says what a colour is in a configuration.
const ColourHelp = `a colour is "#rrggbb", a number from 0 to 255 of the terminal's palette, or "default"; "on:" before it makes it the background; bold, faint, italic, underline and reverse may follow`

// CheckColour says whether a colour can be read; ColourHelp says how it must be.
func CheckColour(text string) bool {
	_, ok := parseStyle(text)
	return ok
}

// attributes pairs SGR parameters with their words.
func attributes() []string {
	return []string{"1", "bold", "2", "faint", "3", "italic", "4", "underline", "7", "reverse"}
}

// parseStyle reads "#rrggbb bold" and the like.
func parseStyle(text string) (style, bool) {
	out := plain
	words := strings.Fields(text)
	for _, w := range words {
		if i := slices.Index(attributes(), w); i >= 0 && i%2 == 1 {
			out += style(";" + attributes()[i-1])
			continue
		}
		ground := style(";38")
		if rest, ok := strings.CutPrefix(w, "on:"); ok {
			ground, w = ";48", rest
		}
		hex, isHex := strings.CutPrefix(strings.ToLower(w), "#")
		switch {
		case isHex && len(hex) == 6 && strings.Trim(hex, "0123456789abcdef") == "":
			out += ground + rgb(hex)[len(";38"):]
		case w == "default":
			out += style(";" + string(ground[1]) + "9")
		default:
			n, err := strconv.ParseUint(w, 10, 8)
			if err != nil || strconv.FormatUint(n, 10) != w {
				return plain, false
			}
			out += ground + style(";5;"+w)
		}
	}
	return out, len(words) > 0
}

// words writes a style as parseStyle reads it.
func (st style) words() string {
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
