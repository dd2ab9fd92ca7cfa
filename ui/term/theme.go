package term

import (
	"strconv"
	"strings"
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
	C2s, S2c                  Style
	Dim, Frame, Title, Key    Style
	JsonKey, JsonString       Style
	JsonNumber, JsonWord      Style
	StandIn                   Style
	Hit, HitNow               Style // found text: hit is added to the text's own style
	Bad                       Style // a violated step of the life cycle
	sel, SelDim               Style // added to a selected row: in the focused pane, elsewhere
	SoloSel                   bool  // a selected row shows nothing but sel
}

func rgb(hex string) Style {
	const digits = "0123456789abcdef"
	v := func(i int) int {
		return strings.IndexByte(digits, hex[i])<<4 | strings.IndexByte(digits, hex[i+1])
	}
	return Style(";38;2;" + strconv.Itoa(v(0)) + ";" + strconv.Itoa(v(2)) + ";" + strconv.Itoa(v(4)))
}

func background(hex string) Style { return ";48" + rgb(hex)[len(";38"):] }

func Dark() Theme {
	return Theme{
		Ok: rgb("4cc3a5"), Err: rgb("ff8061") + Bold, Warn: rgb("f0c750"), Note: rgb("7cc4ff"), Pend: rgb("b9a7f0"),
		C2s: rgb("7aa8ff"), S2c: rgb("f0a35e"),
		Dim: rgb("8b949e"), Frame: rgb("565d66"), Title: Bold, Key: rgb("7aa8ff") + Bold,
		JsonKey: rgb("7cc4ff"), JsonString: rgb("9fd6a0"), JsonNumber: rgb("f0c750"), JsonWord: rgb("b9a7f0"),
		StandIn: rgb("ff8061") + Reverse, Hit: background("5a4a00"), HitNow: rgb("f0c750") + Bold + Reverse, Bad: rgb("ff8061") + Bold + Reverse,
		sel: background("223a57") + Bold, SelDim: background("1c2836"),
	}
}

func Light() Theme {
	return Theme{
		Ok: rgb("00705a"), Err: rgb("b0003a") + Bold, Warn: rgb("7d6400"), Note: rgb("0a5fa8"), Pend: rgb("5b46a8"),
		C2s: rgb("1f57c3"), S2c: rgb("8f4a00"),
		Dim: rgb("5c6470"), Frame: rgb("b4bbc5"), Title: Bold, Key: rgb("1f57c3") + Bold,
		JsonKey: rgb("0a5fa8"), JsonString: rgb("2f6b2a"), JsonNumber: rgb("7d6400"), JsonWord: rgb("5b46a8"),
		StandIn: rgb("b0003a") + Reverse, Hit: background("ffe58f"), HitNow: rgb("7d6400") + Bold + Reverse, Bad: rgb("b0003a") + Bold + Reverse,
		sel: background("d6e6fb") + Bold, SelDim: background("e9eff6"),
	}
}

// Basic is for terminals of 16 colours, whose palette belongs to the user.
func Basic() Theme {
	return Theme{
		Ok: ";32", Err: ";31" + Bold, Warn: ";33", Note: ";36", Pend: ";35",
		C2s: ";34", S2c: ";33", Dim: faint, Frame: faint, Title: Bold, Key: ";36" + Bold,
		JsonKey: ";36", JsonString: ";32", JsonNumber: ";33", JsonWord: ";35",
		StandIn: ";31" + Reverse, Hit: ";33" + Underline, HitNow: ";33" + Bold + Reverse, Bad: ";31" + Bold + Reverse,
		sel: Reverse + Bold, SelDim: Bold, SoloSel: true,
	}
}

// NoColour has no hues at all: signs and words carry the meaning.
func NoColour() Theme {
	return Theme{
		Err: Bold, Title: Bold, Key: Bold, StandIn: Reverse, Hit: Underline, HitNow: Bold + Reverse, Bad: Bold + Reverse,
		sel: Reverse + Bold, SelDim: Bold, SoloSel: true,
	}
}

// Glyphs are the glyphs of the chrome, one cell each unless said otherwise.
type Glyphs struct {
	Ok, Err, Warn, Note, Pend, Cancel, Lost string
	Req, Ans, ReqNote, AnsNote, Band        string // arrows by direction, two cells in ASCII
	Live, Ended, Paused, Rec                string
	Folded, Open, Crumb, Arrow, Ellipsis    string
	H, V, TDown, TUp, tRight                string
	Link, LinkEnd, Ahead, Now, Here, Bar    string
	Full, Rest, Dot, Child, Times           string
	Rising, Falling                         string // after what the list is ordered by
	Corners                                 [4]string
}

func Unicode() Glyphs {
	return Glyphs{
		Ok: "✓", Err: "✗", Warn: "!", Note: "i", Pend: "…", Cancel: "⊘", Lost: "↯",
		Req: "→", Ans: "←", ReqNote: "⇢", AnsNote: "⇠", Band: "·",
		Live: "●", Ended: "○", Paused: "‖", Rec: "●",
		Folded: "▸", Open: "▾", Crumb: "▸", Arrow: "→", Ellipsis: "…",
		H: "─", V: "│", TDown: "┬", TUp: "┴", tRight: "├",
		Link: "──", LinkEnd: "▶", Ahead: "○", Now: "●", Here: "▲", Bar: "▌",
		Full: "━", Rest: "─", Dot: "·", Child: "└", Times: "×", Rising: "▴", Falling: "▾",
		Corners: [4]string{"┌", "┐", "└", "┘"},
	}
}

func ASCII() Glyphs {
	return Glyphs{
		Ok: "+", Err: "x", Warn: "!", Note: "i", Pend: "~", Cancel: "-", Lost: "?",
		Req: "->", Ans: "<-", ReqNote: "=>", AnsNote: "<=", Band: ".",
		Live: "*", Ended: "o", Paused: "||", Rec: "*",
		Folded: ">", Open: "v", Crumb: ">", Arrow: "->", Ellipsis: "..",
		H: "-", V: "|", TDown: "+", TUp: "+", tRight: "+",
		Link: "--", LinkEnd: ">", Ahead: "o", Now: "*", Here: "^", Bar: ">",
		Full: "#", Rest: "-", Dot: ".", Child: "`", Times: "x", Rising: "^", Falling: "v",
		Corners: [4]string{"+", "+", "+", "+"},
	}
}
