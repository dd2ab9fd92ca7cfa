package welcome

import (
	"slices"
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/term"
)

// Draw draws h lines of w cells.
func (s *Screen) Draw(sc *term.Screen, w, h int) []string {
	var out []string
	if h >= 28 {
		out = append(append(out, term.Blanks(1, w)...), s.drawing(sc, w))
	}
	if h >= 18 {
		out = append(append(append(out, term.Blanks(1, w)...), s.sentence(sc, w)), term.Blanks(1, w)...)
	}
	watch := 0
	if h >= 22 {
		watch = 5
	}
	room := h - len(out) - watch
	if sc.Boxed {
		out = append(out, s.beside(sc, w, min(room, 22))...)
	} else {
		out = append(out, s.below(sc, w, room)...)
	}
	if watch > 0 {
		out = append(out, s.watching(sc, w, watch)...)
	}
	return append(out, term.Blanks(max(h-len(out), 0), w)...)[:h]
}

// drawing says in one row what midwire is.
func (s *Screen) drawing(sc *term.Screen, w int) string {
	th, arrow := sc.Theme, term.S(sc.Theme.Focus, " "+safe.Line(strings.Repeat(string(sc.Glyphs.H), 7))+sc.Glyphs.Req+" ")
	return centred(sc, w, []term.Seg{
		term.S(th.Dim, "your client"), arrow, term.S(th.Key, sc.Glyphs.Logo+" midwire"), arrow, term.S(th.Dim, "its server"),
	})
}

func (s *Screen) sentence(sc *term.Screen, w int) string {
	return centred(sc, w, []term.Seg{
		term.S(sc.Theme.Title, "Nothing recorded yet. "), term.S(sc.Theme.Key, "midwire wrap"),
		term.S(term.Plain, " lists your clients and wraps a server. Or:"),
	})
}

func centred(sc *term.Screen, w int, segs []term.Seg) string {
	return term.NewLine(w, sc.Glyphs).Gap(max((w-term.SegsWidth(segs))/2, 1)).Segs(segs).Finish()
}

func (s *Screen) panel(sc *term.Screen, card int) *term.Panel {
	names := [cards]safe.Text{"Play the demo", "A server your client starts", "A server with a URL"}
	kinds := [cards]safe.Text{"", "stdio", "HTTP"}
	keys := [cards]safe.Text{"d", "c", "h"}
	p := &term.Panel{
		Name:  []term.Seg{term.S(sc.Theme.Key, keys[card]+" "), term.S(sc.Theme.Title, names[card])},
		Focus: s.card == card,
	}
	if kinds[card] != "" {
		p.State = []term.Seg{term.S(sc.Theme.Dim, kinds[card])}
	}
	return p
}

func (s *Screen) beside(sc *term.Screen, w, h int) []string {
	demo, url := max(w*46/120, 32), max(w*33/120, 32)
	widths := [cards]int{demo, w - demo - url, url}
	out := make([]string, h)
	for card, width := range widths {
		for i, line := range s.panel(sc, card).Draw(sc, width, h, s.body(sc, card, width-2, h-2)) {
			out[i] += line
		}
	}
	return out
}

// below draws the cards as one line each, and of the chosen one all.
func (s *Screen) below(sc *term.Screen, w, h int) (out []string) {
	for card := range cards {
		n := 1
		if card == s.card {
			n = max(h-cards+1, 1)
		}
		out = append(out, s.panel(sc, card).Draw(sc, w, n, s.body(sc, card, w, n-1))...)
	}
	return out
}

func (s *Screen) body(sc *term.Screen, card, w, h int) []string {
	if h <= 0 {
		return nil
	}
	var top, foot []string
	switch card {
	case Demo:
		top, foot = s.demo(sc, w, h)
	case Stdio:
		top, foot = s.stdio(sc, w)
	default:
		top, foot = s.http(sc, w)
	}
	if over := len(top) + len(foot) - h; over > 0 { // blank lines give way first
		blank := strings.Repeat(" ", w)
		top = slices.DeleteFunc(top, func(l string) bool { over--; return over >= 0 && l == blank })
	}
	top = top[:max(min(len(top), h-len(foot)), 0)]
	return append(append(top, term.Blanks(max(h-len(top)-len(foot), 0), w)...), foot...)
}

// next is the key to the next card.
var next = [2]safe.Text{"tab", "next"}

// hints is the last line of a card: its keys.
func hints(sc *term.Screen, w int, keys ...[2]safe.Text) []string {
	l := term.NewLine(w, sc.Glyphs)
	for _, k := range keys {
		l.Hint(sc.Theme, k[0], k[1])
	}
	return []string{l.Finish()}
}

func text(sc *term.Screen, w int, st term.Style, words ...safe.Text) []string {
	d := document.Doc{Width: w - 2}
	for _, s := range words {
		d.AddIndented(0, []term.Seg{term.S(st, s)})
	}
	return d.All(sc, w, 1)
}

func (s *Screen) demo(sc *term.Screen, w, h int) (top, foot []string) {
	if len(s.Plays) == 0 {
		return text(sc, w, term.Plain, "midwire demo plays it in a shell, midwire demo --list lists classic failures."),
			hints(sc, w, [2]safe.Text{"y", "copy"})
	}
	top = append(text(sc, w, term.Plain, "A built-in client and server talk, with midwire in between. Nothing of yours is touched."),
		term.Blanks(1, w)...)
	n := max(min(h-len(top)-2, len(s.Plays)), 1)
	from := term.Reveal(max(s.play-n+1, 0), s.play, n, len(s.Plays))
	for i := from; i < from+n; i++ {
		l := sc.Row(w, i == s.play, s.card == Demo).Put(term.Plain, safe.Line(s.Plays[i].Title))
		top = append(top, l.Finish())
	}
	if more := len(s.Plays) - from - n; more > 0 {
		top[len(top)-1] = term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, safe.Int(more+1)+" more").Finish()
		if s.play == from+n-1 {
			top[len(top)-1] = sc.Row(w, true, s.card == Demo).Put(term.Plain, safe.Line(s.Plays[s.play].Title)).Finish()
		}
	}
	return top, hints(sc, w, [2]safe.Text{"enter", "play"}, [2]safe.Text{"j k", "choose"}, next)
}

func (s *Screen) stdio(sc *term.Screen, w int) (top, foot []string) {
	th, c := sc.Theme, known()[s.client]
	l := term.NewLine(w, sc.Glyphs).Gap(1).Put(th.Key, "<").Gap(1).Put(th.Title, safe.Line(c.name)).Gap(1).Put(th.Key, ">")
	l.Gap(3).Put(th.Dim, safe.Int(s.client+1)+" of "+safe.Int(len(known())))
	top = append(top, l.Finish(), term.NewLine(w, sc.Glyphs).Gap(1).Put(th.Dim, safe.Line(c.file)).Finish())
	top = append(top, term.Blanks(1, w)...)
	for line := range strings.SplitSeq(c.entry, "\n") {
		top = append(top, drawEntry(sc, w, line))
	}
	top = append(append(top, term.Blanks(1, w)...), text(sc, w, th.Dim, `Your own command comes after "--".`)...)
	arrows := safe.Text("← →")
	if sc.ASCII {
		arrows = "<- ->"
	}
	return top, hints(sc, w, [2]safe.Text{"y", "copy"}, [2]safe.Text{arrows, "another client"}, next)
}

// drawEntry draws a line of an entry, with the words that are midwire's marked.
func drawEntry(sc *term.Screen, w int, line string) string {
	l := term.NewLine(w, sc.Glyphs)
	mark := slices.ContainsFunc(own, func(word string) bool { return strings.Contains(line, word) })
	if mark {
		l.On(sc.Theme.Field)
		l.Put(sc.Theme.Key, sc.Glyphs.Bar)
	}
	l.Gap(1 - l.Used)
	for line != "" {
		at, word := len(line), ""
		for _, o := range own {
			if i := strings.Index(line, o); i >= 0 && i < at {
				at, word = i, o
			}
		}
		l.Put(term.Plain, safe.Line(line[:at])).Put(sc.Theme.Key, safe.Line(word))
		line = line[at+len(word):]
	}
	return l.Finish()
}

func (s *Screen) http(sc *term.Screen, w int) (top, foot []string) {
	th := sc.Theme
	line := func(st term.Style, t safe.Text) string {
		return term.NewLine(w, sc.Glyphs).Gap(1).Put(st, t).Finish()
	}
	if s.Address != "" {
		return []string{line(th.Faint, "clients use"), line(th.Title, safe.Line(s.Address))}, hints(sc, w, [2]safe.Text{"y", "copy"})
	}
	field := term.NewLine(w, sc.Glyphs).Gap(1).On(th.Field)
	s.url.Draw(field, w-2)
	if s.card == HTTP {
		field.Put(th.Key, "_")
	}
	top = append(top, line(th.Faint, "its URL"), field.Finish())
	top = append(append(top, term.Blanks(1, w)...), line(th.Faint, "clients then use"),
		line(th.Title, "http://127.0.0.1:PORT/mcp"), line(th.Dim, "a free port, said when it runs"))
	top = append(top, term.Blanks(1, w)...)
	top = append(top, text(sc, w, th.Dim,
		"midwire forwards every byte and records what passes: Streamable HTTP of every version, and HTTP+SSE.")...)
	top = append(append(top, term.Blanks(1, w)...), line(th.Faint, "in the shell"), line(th.JSONString, "midwire http URL"))
	return top, hints(sc, w, [2]safe.Text{"enter", "start here"}, [2]safe.Text{"esc", "back"})
}

// watching says that midwire looks for recordings, and where.
func (s *Screen) watching(sc *term.Screen, w, h int) []string {
	th := sc.Theme
	p := term.Panel{Name: []term.Seg{term.S(th.Title, "Watching")}, State: []term.Seg{term.S(th.Dim, safe.Line(s.Folder))}}
	iw, _ := p.Inner(sc, w, h)
	l := term.NewLine(iw, sc.Glyphs).Gap(1).Put(th.Ok, sc.Glyphs.Live).Put(term.Bold, " waits for the first message")
	return p.Draw(sc, w, h, []string{
		l.Finish(),
		term.NewLine(iw, sc.Glyphs).Gap(1).Put(term.Plain, "A session opens here by itself as soon as a client connects.").Finish(),
		term.NewLine(iw, sc.Glyphs).Gap(1).Put(th.Dim, "Nothing happens? Restart the client: most start their servers only once.").Finish(),
	})
}
