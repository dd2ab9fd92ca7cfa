package term

import (
	"strings"

	"midwire/session/safe"

	"charm.land/lipgloss/v2"
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

// Theme is the colours by role. A value is complete and never changed.
type Theme struct {
	Ok, Err, Warn, Note, Pend Style
	ToServer, ToClient        Style
	Dim, Frame, Title, Key    Style
	JSONKey, JSONString       Style
	JSONNumber, JSONWord      Style
	Placeholder               Style
	Hit, HitNow               Style // found text: hit is added to the text's own style
	Bad                       Style // a violated step of the life cycle
	sel, SelDim               Style // added to a selected row: in the focused pane, elsewhere
	SoloSel                   bool  // a selected row shows nothing but sel
}

// Of makes a Style of one of lipgloss.
func Of(s lipgloss.Style) Style {
	params, _, _ := strings.Cut(strings.TrimPrefix(s.Render("x"), "\x1b["), "m")
	if params == "x" {
		return Plain
	}
	return Style(";" + params)
}

// Basic is for terminals of 16 colours, whose palette belongs to the user.
func Basic() Theme {
	return Theme{
		Ok: ";32", Err: ";31" + Bold, Warn: ";33", Note: ";36", Pend: ";35",
		ToServer: ";34", ToClient: ";33", Dim: faint, Frame: faint, Title: Bold, Key: ";36" + Bold,
		JSONKey: ";36", JSONString: ";32", JSONNumber: ";33", JSONWord: ";35",
		Placeholder: ";31" + Reverse, Hit: ";33" + Underline, HitNow: ";33" + Bold + Reverse, Bad: ";31" + Bold + Reverse,
		sel: Reverse + Bold, SelDim: Bold, SoloSel: true,
	}
}

// NoColour has no hues at all: signs and words carry the meaning.
func NoColour() Theme {
	return Theme{
		Err: Bold, Title: Bold, Key: Bold, Placeholder: Reverse, Hit: Underline,
		HitNow: Bold + Reverse, Bad: Bold + Reverse,
		sel: Reverse + Bold, SelDim: Bold, SoloSel: true,
	}
}

// Glyphs are the glyphs of the chrome, one cell each unless said otherwise.
type Glyphs struct {
	ascii                                   bool
	Ok, Err, Warn, Note, Pend, Cancel, Lost safe.Text
	Req, Ans, ReqNote, AnsNote, Band        safe.Text // arrows by direction, two cells in ASCII
	Live, Ended, Paused, Rec                safe.Text
	Folded, Open, Crumb, Arrow, Ellipsis    safe.Text
	H, V, TDown, TUp, tRight                safe.Text
	Link, LinkEnd, Ahead, Now, Here, Bar    safe.Text
	Full, Rest, Dot, Child, Times           safe.Text
	Rising, Falling                         safe.Text // after what the list is ordered by
}

// Unicode are the glyphs of terminals that show them.
func Unicode() Glyphs {
	return Glyphs{
		Ok: "✓", Err: "✗", Warn: "!", Note: "i", Pend: "…", Cancel: "⊘", Lost: "↯",
		Req: "→", Ans: "←", ReqNote: "⇢", AnsNote: "⇠", Band: "·",
		Live: "●", Ended: "○", Paused: "‖", Rec: "●",
		Folded: "▸", Open: "▾", Crumb: "▸", Arrow: "→", Ellipsis: "…",
		H: "─", V: "│", TDown: "┬", TUp: "┴", tRight: "├",
		Link: "──", LinkEnd: "▶", Ahead: "○", Now: "●", Here: "▲", Bar: "▌",
		Full: "━", Rest: "─", Dot: "·", Child: "└", Times: "×", Rising: "▴", Falling: "▾",
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
		H: "-", V: "|", TDown: "+", TUp: "+", tRight: "+",
		Link: "--", LinkEnd: ">", Ahead: "o", Now: "*", Here: "^", Bar: ">",
		Full: "#", Rest: "-", Dot: ".", Child: "`", Times: "x", Rising: "^", Falling: "v",
	}
}
