package ui

import "strings"

// style is the parameters of an SGR sequence, each with a semicolon before it,
// so that styles add up by concatenation.
type style string

const (
	plain     style = ""
	bold      style = ";1"
	faint     style = ";2"
	underline style = ";4"
	reverse   style = ";7"
)

// theme is the colours by role. A value is complete and never changed.
type theme struct {
	ok, err, warn, note, pend style
	c2s, s2c                  style
	dim, frame, title, key    style
	jsonKey, jsonString       style
	jsonNumber, jsonWord      style
	standIn                   style
	hit, hitNow               style // found text: hit is added to the text's own style
	bad                       style // a violated step of the life cycle
	sel, selDim               style // added to a selected row: in the focused pane, elsewhere
	soloSel                   bool  // a selected row shows nothing but sel
}

func rgb(hex string) style {
	const digits = "0123456789abcdef"
	v := func(i int) int {
		return strings.IndexByte(digits, hex[i])<<4 | strings.IndexByte(digits, hex[i+1])
	}
	return style(";38;2;" + itoa(v(0)) + ";" + itoa(v(2)) + ";" + itoa(v(4)))
}

func background(hex string) style { return ";48" + rgb(hex)[len(";38"):] }

func darkTheme() theme {
	return theme{
		ok: rgb("4cc3a5"), err: rgb("ff8061") + bold, warn: rgb("f0c750"), note: rgb("7cc4ff"), pend: rgb("b9a7f0"),
		c2s: rgb("7aa8ff"), s2c: rgb("f0a35e"),
		dim: rgb("8b949e"), frame: rgb("565d66"), title: bold, key: rgb("7aa8ff") + bold,
		jsonKey: rgb("7cc4ff"), jsonString: rgb("9fd6a0"), jsonNumber: rgb("f0c750"), jsonWord: rgb("b9a7f0"),
		standIn: rgb("ff8061") + reverse, hit: background("5a4a00"), hitNow: rgb("f0c750") + bold + reverse, bad: rgb("ff8061") + bold + reverse,
		sel: background("223a57") + bold, selDim: background("1c2836"),
	}
}

func lightTheme() theme {
	return theme{
		ok: rgb("00705a"), err: rgb("b0003a") + bold, warn: rgb("7d6400"), note: rgb("0a5fa8"), pend: rgb("5b46a8"),
		c2s: rgb("1f57c3"), s2c: rgb("8f4a00"),
		dim: rgb("5c6470"), frame: rgb("b4bbc5"), title: bold, key: rgb("1f57c3") + bold,
		jsonKey: rgb("0a5fa8"), jsonString: rgb("2f6b2a"), jsonNumber: rgb("7d6400"), jsonWord: rgb("5b46a8"),
		standIn: rgb("b0003a") + reverse, hit: background("ffe58f"), hitNow: rgb("7d6400") + bold + reverse, bad: rgb("b0003a") + bold + reverse,
		sel: background("d6e6fb") + bold, selDim: background("e9eff6"),
	}
}

// basicTheme is for terminals of 16 colours, whose palette belongs to the user.
func basicTheme() theme {
	return theme{
		ok: ";32", err: ";31" + bold, warn: ";33", note: ";36", pend: ";35",
		c2s: ";34", s2c: ";33", dim: faint, frame: faint, title: bold, key: ";36" + bold,
		jsonKey: ";36", jsonString: ";32", jsonNumber: ";33", jsonWord: ";35",
		standIn: ";31" + reverse, hit: ";33" + underline, hitNow: ";33" + bold + reverse, bad: ";31" + bold + reverse,
		sel: reverse + bold, selDim: bold, soloSel: true,
	}
}

// bareTheme has no hues at all: signs and words carry the meaning.
func bareTheme() theme {
	return theme{
		err: bold, title: bold, key: bold, standIn: reverse, hit: underline, hitNow: bold + reverse, bad: bold + reverse,
		sel: reverse + bold, selDim: bold, soloSel: true,
	}
}

// signs are the glyphs of the chrome, one cell each unless said otherwise.
type signs struct {
	ok, err, warn, note, pend, cancel, lost string
	req, ans, reqNote, ansNote, band        string // arrows by direction, two cells in ASCII
	live, ended, paused, rec                string
	folded, open, crumb, arrow, ellipsis    string
	h, v, tDown, tUp, tRight                string
	link, linkEnd, ahead, now, here, bar    string
	full, rest, dot, child, times           string
	rising, falling                         string // after what the list is ordered by
	corners                                 [4]string
}

func prettySigns() signs {
	return signs{
		ok: "✓", err: "✗", warn: "!", note: "i", pend: "…", cancel: "⊘", lost: "↯",
		req: "→", ans: "←", reqNote: "⇢", ansNote: "⇠", band: "·",
		live: "●", ended: "○", paused: "‖", rec: "●",
		folded: "▸", open: "▾", crumb: "▸", arrow: "→", ellipsis: "…",
		h: "─", v: "│", tDown: "┬", tUp: "┴", tRight: "├",
		link: "──", linkEnd: "▶", ahead: "○", now: "●", here: "▲", bar: "▌",
		full: "━", rest: "─", dot: "·", child: "└", times: "×", rising: "▴", falling: "▾",
		corners: [4]string{"┌", "┐", "└", "┘"},
	}
}

func asciiSigns() signs {
	return signs{
		ok: "+", err: "x", warn: "!", note: "i", pend: "~", cancel: "-", lost: "?",
		req: "->", ans: "<-", reqNote: "=>", ansNote: "<=", band: ".",
		live: "*", ended: "o", paused: "||", rec: "*",
		folded: ">", open: "v", crumb: ">", arrow: "->", ellipsis: "..",
		h: "-", v: "|", tDown: "+", tUp: "+", tRight: "+",
		link: "--", linkEnd: ">", ahead: "o", now: "*", here: "^", bar: ">",
		full: "#", rest: "-", dot: ".", child: "`", times: "x", rising: "^", falling: "v",
		corners: [4]string{"+", "+", "+", "+"},
	}
}
