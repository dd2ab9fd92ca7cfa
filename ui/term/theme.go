package term

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"midwire/session/safe"
)

// Style is the parameters of an SGR sequence, each with a semicolon before it,
// so that styles add up by concatenation.
type Style string

const (
	Plain     Style = ""
	Bold      Style = ";1"
	faint     Style = ";2"
	Underline Style = ";4"
	Reverse   Style = ";7"
)

const hueCount = 8

// Theme is the colours by role. A value is complete and never changed.
type Theme struct {
	Ok, Err, Warn, Note, Pend Style
	ToServer, ToClient        Style
	Dim, Faint, Title, Key    Style
	Frame, Focus              Style // lines and frames: any, and of what has the focus
	JSONKey, JSONString       Style
	JSONNumber, JSONWord      Style
	Placeholder               Style
	Hit, HitNow               Style // found text: hit is added to the text's own style
	Bad                       Style // a violated step of the life cycle
	Header, Field             Style // grounds: of the first line, of inputs
	Removed, Added            Style // grounds of whole rows
	RemovedWord, AddedWord    Style // what changed in them
	sel, SelDim               Style // added to a selected row: in the focused pane, elsewhere
	dimSel                    Style // instead of Dim and Faint on a selected row
	SoloSel                   bool  // a selected row shows nothing but sel
	brackets                  bool  // badges stand in brackets
	hues                      [hueCount]Style
}

// Hue is the colour of the nth session of a list, from 0.
func (t *Theme) Hue(n int) Style { return t.hues[max(n, 0)%hueCount] }

// Badge is a word that must be seen: reversed in its colour, in brackets where
// there are no colours.
func (t *Theme) Badge(st Style, text safe.Text) Seg {
	if t.brackets {
		return S(Bold, "["+text+"]")
	}
	return S(st+Reverse, " "+text+" ")
}

// Of makes a Style of one of lipgloss.
func Of(s lipgloss.Style) Style {
	params, _, _ := strings.Cut(strings.TrimPrefix(s.Render("x"), "\x1b["), "m")
	if params == "x" {
		return Plain
	}
	return Style(";" + params)
}

const grey Style = ";90" // bright black of the 16 colours

// Basic is for terminals of 16 colours, whose palette belongs to the user.
func Basic() Theme {
	return Theme{
		Ok: ";32", Err: ";91" + Bold, Warn: ";93", Note: ";36", Pend: ";35",
		ToServer: ";94", ToClient: ";33", Dim: grey, Faint: grey, Frame: grey, Focus: ";94",
		Title: Bold, Key: ";94" + Bold,
		JSONKey: ";36", JSONString: ";92", JSONNumber: ";93", JSONWord: ";35", Field: Underline,
		Removed: ";91", Added: ";32", RemovedWord: ";91" + Reverse, AddedWord: ";32" + Reverse,
		Placeholder: ";91" + Reverse, Hit: ";33" + Underline, HitNow: ";33" + Bold + Reverse, Bad: ";91" + Bold + Reverse,
		sel: Reverse + Bold, SelDim: Bold, SoloSel: true,
		hues: [hueCount]Style{";94", ";33", ";95", ";36", ";35", ";92", ";97", ";37"},
	}
}

// NoColour has no hues at all: signs and words carry the meaning.
func NoColour() Theme {
	return Theme{
		Err: Bold, Title: Bold, Key: Bold, Placeholder: Reverse, Hit: Underline,
		HitNow: Bold + Reverse, Bad: Bold + Reverse, Focus: Bold, Field: Underline,
		RemovedWord: Bold, AddedWord: Bold,
		sel: Reverse + Bold, SelDim: Bold, SoloSel: true, brackets: true,
	}
}

// Glyphs are the glyphs of the chrome, one cell each unless said otherwise.
type Glyphs struct {
	ascii                                   bool
	Ok, Err, Warn, Note, Pend, Cancel, Lost safe.Text
	Req, Ans, ReqNote, AnsNote, Band        safe.Text // arrows by direction, two cells in ASCII
	Live, Ended, Paused, Rec                safe.Text
	Folded, Open, Crumb, Arrow, Ellipsis    safe.Text
	H, V, TDown                             safe.Text
	Link, LinkEnd, Ahead, Now, Here, Bar    safe.Text
	Full, Half, Rest, Dot, Times            safe.Text
	Branch, Child                           safe.Text // before what belongs to the row above: one of several, the last
	Cut, Idle                               safe.Text // where time is left out: on an axis, in a row
	Block                                   safe.Text // a part of a bar
	Rising, Falling                         safe.Text // after what the list is ordered by
	Logo, Edge, Card, Issued, Tick          safe.Text // Card: beside a verdict; Tick: on a scroll bar
	Replay, Skipped, Changed                safe.Text
	Bars                                    []safe.Text // of rising height, the first for nothing
}

// Unicode are the glyphs of terminals that show them.
func Unicode() Glyphs {
	return Glyphs{
		Ok: "✓", Err: "✗", Warn: "!", Note: "i", Pend: "…", Cancel: "⊘", Lost: "↯",
		Req: "→", Ans: "←", ReqNote: "⇢", AnsNote: "⇠", Band: "·",
		Live: "●", Ended: "○", Paused: "‖", Rec: "●",
		Folded: "▸", Open: "▾", Crumb: "▸", Arrow: "→", Ellipsis: "…",
		H: "─", V: "│", TDown: "┬",
		Link: "──", LinkEnd: "▶", Ahead: "○", Now: "●", Here: "▲", Bar: "▌",
		Cut: "┊", Idle: "┄", Block: "▆",
		Full: "━", Half: "╸", Rest: "─", Dot: "·", Branch: "├", Child: "└", Times: "×", Rising: "▴", Falling: "▾",
		Logo: "◆", Edge: "▌", Card: "┃", Issued: "◆", Tick: "▐",
		Replay: "↻", Skipped: "–", Changed: "~",
		Bars: []safe.Text{"▁", "▁", "▂", "▃", "▄", "▅"},
	}
}

// ASCII are the glyphs of all others.
func ASCII() Glyphs {
	return Glyphs{
		ascii: true,
		Ok:    "+", Err: "x", Warn: "!", Note: "i", Pend: "~", Cancel: "-", Lost: "?",
		Req: "->", Ans: "<-", ReqNote: "=>", AnsNote: "<=", Band: ".",
		Live: "*", Ended: "o", Paused: "||", Rec: "*",
		Folded: ">", Open: "v", Crumb: ">", Arrow: "->", Ellipsis: "..",
		H: "-", V: "|", TDown: "+",
		Link: "--", LinkEnd: ">", Ahead: "o", Now: "*", Here: "^", Bar: ">",
		Cut: ":", Idle: "-", Block: "#",
		Full: "#", Half: "'", Rest: "-", Dot: ".", Branch: "|", Child: "`", Times: "x", Rising: "^", Falling: "v",
		Logo: "*", Edge: "|", Card: "|", Issued: "*", Tick: "#",
		Replay: "r", Skipped: "-", Changed: "~",
		Bars: []safe.Text{"_", ".", ":", "-", "=", "+", "*", "#"},
	}
}

// scheme is a theme by name: its colours in the order of schemeRoles, for a dark
// and for a light background. What it does not name is as in the first theme.
type scheme struct {
	name        string
	dark, light []string
}

// schemeRoles are the roles that a scheme sets: others follow from them.
var schemeRoles = []string{
	"ok", "error", "warning", "note", "pending", "dim", "faint", "frame", "key", "to-client",
	"json-key", "json-string", "selection", "selection-elsewhere", "header", "removed", "added",
}

var schemes = []scheme{
	{
		"high-contrast",
		[]string{"#5fffaf", "#ff8f8f bold", "#ffff5f", "#87d7ff", "#d7afff", "#d0d0d0", "#c0c0c0", "#9a9a9a", "#87d7ff bold", "#ffb35f", "#afd7ff", "#afffaf", "on:#004080", "on:#303030", "on:#262626", "on:#5f0000", "on:#005f2f"},
		[]string{"#004d2a", "#9b0000 bold", "#5c3a00", "#003f7f", "#46107f", "#303030", "#3a3a3a", "#767676", "#00309c bold", "#6b2e00", "#00346b", "#0a4a12", "on:#b9d7ff", "on:#e0e0e0", "on:#e8e8e8", "on:#ffd7d7", "on:#d0f5dc"},
	},
	{
		"catppuccin",
		[]string{"#a6e3a1", "#f38ba8 bold", "#f9e2af", "#89dceb", "#cba6f7", "#a6adc8", "#9399b2", "#45475a", "#89b4fa bold", "#fab387", "#89b4fa", "#a6e3a1", "on:#313244", "on:#26273a", "on:#1e1e2e", "on:#45202f", "on:#203a2c"},
		[]string{"#2f7a1f", "#c20b35 bold", "#8a5a00", "#04607f", "#7a2fd0", "#5c5f77", "#62657c", "#bcc0cc", "#1a56d6 bold", "#b04a00", "#1a56d6", "#2f7a1f", "on:#dce0e8", "on:#e6e9ef", "on:#e6e9ef", "on:#f7d9df", "on:#d9eed6"},
	},
	{
		"gruvbox",
		[]string{"#b8bb26", "#fb6a55 bold", "#fabd2f", "#8bb5a8", "#d3869b", "#bdae93", "#a89984", "#504945", "#83a598 bold", "#fe8019", "#83a598", "#b8bb26", "on:#3c3836", "on:#32302f", "on:#32302f", "on:#4a2320", "on:#34381b"},
		[]string{"#5f5a05", "#9d0006 bold", "#8a4f08", "#076678", "#8f3f71", "#665c54", "#6b6158", "#d5c4a1", "#076678 bold", "#a03c02", "#076678", "#5f5a05", "on:#ebdbb2", "on:#f2e5bc", "on:#f2e5bc", "on:#f5d5c5", "on:#e3e5b8"},
	},
	{
		"solarized",
		[]string{"#9aad00", "#f0625f bold", "#d0a215", "#4aa8e8", "#9a9ee8", "#93a1a1", "#8a9a9b", "#27515c", "#4aa8e8 bold", "#e8793f", "#4aa8e8", "#2fb3a8", "on:#073642", "on:#05303b", "on:#073642", "on:#3a2024", "on:#10382c"},
		[]string{"#5a6700", "#b3211f bold", "#7f6000", "#1a68a8", "#565bb0", "#586e75", "#5a6b72", "#d3cbb7", "#1a68a8 bold", "#a83e10", "#1a68a8", "#19756d", "on:#eee8d5", "on:#f5efdc", "on:#eee8d5", "on:#f7dcd2", "on:#e0ebc8"},
	},
}

// Names are the themes by name, besides the one without: the last is made of the
// terminal's own sixteen colours.
func Names() []string {
	var out []string
	for _, s := range schemes {
		out = append(out, s.name)
	}
	return append(out, "terminal")
}

// Named is a theme by its name, for a dark or a light background: one of Names, or
// else the one without a name.
func Named(name string, dark bool) Theme {
	if name == "terminal" {
		return Basic()
	}
	i := slices.IndexFunc(schemes, func(s scheme) bool { return s.name == name })
	if i < 0 {
		return Coloured(dark)
	}
	colours := schemes[i].light
	if dark {
		colours = schemes[i].dark
	}
	set := map[string]string{}
	for k, role := range schemeRoles {
		set[role] = colours[k]
	}
	set["to-server"], set["frame-focus"] = set["key"], set["key"]
	set["json-number"], set["json-word"] = set["warning"], set["pending"]
	set["stand-in"], set["bad"] = set["error"]+" reverse", set["error"]+" reverse"
	set["hit-now"] = set["warning"] + " bold reverse"
	return Coloured(dark).With(set)
}
