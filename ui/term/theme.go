package term

import (
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

// Steel is the colour of what was only seen: no cause is known.
func (t *Theme) Steel() Style { return t.hues[hueCount-1] }

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
	Logo, Edge, Card, Issued, Tick          safe.Text // Card: beside a verdict; Tick: a part of a call
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
