package palette

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/keymap"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Done closes the box, and carries out a command where the box was called, if one was
// chosen. See view.Host.
type Done struct{ Chosen *Offer }

// How near a command is to where one is.
const (
	Here      = iota // it belongs there
	There            // it holds there too
	Beside           // on the same screen
	Elsewhere        // it cannot be carried out there
)

// Offer is a line of the palette or the help: a command, or the beginning of
// one.
type Offer struct {
	keymap.Command
	Keys  safe.Text
	Rank  int       // Here to Elsewhere
	write string    // instead of carrying something out: what the line becomes
	what  safe.Text // of what one can go to: what it is
}

// Picker is a line to type in and what fits it: the palette or the help.
type Picker struct {
	input    term.Input
	recent   *Recent
	themes   []string    // names that can be chosen
	anything bool        // it is not the palette or the help, but goes to anything
	groups   []helpGroup // of the help, nil for the palette
	all      []Offer
	items    []Offer
	at       int
	top      int       // the first line shown
	moved    bool      // something was chosen by hand
	cursor   int       // column of the line to type in
	seen     safe.Text // which lines of the help are shown, where that is not all
}

func newPicker(all []Offer, recent *Recent) (*Picker, tea.Cmd) {
	p := &Picker{input: term.NewInput(400), recent: recent, all: all, items: all}
	return p, p.input.Focus()
}

func (p *Picker) isHelp() bool { return p.groups != nil }

// Cursor is the column of the cursor, in the first line.
func (p *Picker) Cursor() int { return p.cursor }

// Title and Note are what the frame says.
func (p *Picker) Title() safe.Text {
	if p.isHelp() {
		return "Help"
	}
	if p.anything {
		return "Go to anything"
	}
	return "Command"
}

// Note is said in the frame, at the right of the title, of what Draw has drawn.
func (p *Picker) Note(h view.Host) safe.Text {
	switch {
	case !p.isHelp() && p.Width(h) < 58:
		return "esc closes"
	case p.anything:
		return "enter goes there, esc closes"
	case !p.isHelp():
		return "tab completes, enter does it, esc closes"
	case p.text() != "" || p.moved:
		return p.seen + "enter does it, esc closes"
	}
	return p.seen + "up down choose, esc closes"
}

// Width is how many cells there are inside the frame.
func (p *Picker) Width(h view.Host) int {
	w := h.Scene().Width
	if p.isHelp() {
		return min(w, 116) - 4
	}
	return min(w-2, 72) - 2
}

// Draw draws what is inside the frame.
func (p *Picker) Draw(h view.Host) []string {
	sc := &h.Scene().Screen
	if p.isHelp() {
		return p.drawHelp(sc, p.Width(h), h.Scene().Height)
	}
	return p.drawPalette(sc, p.Width(h), h.Scene().Height)
}

func (p *Picker) text() string { return p.input.Value() }

// move chooses another line; n lines further, round the ends if it is one.
func (p *Picker) move(n int) {
	if len(p.items) == 0 {
		return
	}
	switch {
	case !p.moved && n > 0:
		n--
	case n == 1 && p.at == len(p.items)-1:
		n = -p.at
	case n == -1 && p.at == 0:
		n = len(p.items) - 1
	}
	p.moved = true
	p.at = max(0, min(p.at+n, len(p.items)-1))
}

// Chosen is what enter does; ok is false when nothing fits.
func (p *Picker) Chosen() (Offer, bool) {
	if p.at < 0 || p.at >= len(p.items) {
		return Offer{}, false
	}
	return p.items[p.at], true
}

// find keeps what fits the text, the best first, and what makes no sense here
// last. Of nothing written it keeps all, what was chosen before first where one
// goes to anything.
func (p *Picker) find(text string) {
	p.at, p.top, p.moved = 0, 0, false
	switch {
	case text != "":
		p.items = best(p.all, text, p.recent)
	case p.anything:
		p.items = best(p.all, "", p.recent)
	default:
		p.items = p.all
	}
}

// Key edits the line, or chooses.
func (p *Picker) Key(h view.Host, k tea.KeyPressMsg) tea.Cmd {
	page := max(h.Scene().Height/2, 1)
	switch k.String() {
	case "esc":
		return h.Do(Done{})
	case "up", "ctrl+p", "shift+tab":
		p.move(-1)
		p.showChosen(h)
	case "down", "ctrl+n":
		p.move(1)
		p.showChosen(h)
	case "pgup", "ctrl+b":
		p.turnPage(h, -page)
	case "pgdown", "ctrl+f":
		p.turnPage(h, page)
	case "tab":
		return p.completeVerb(h)
	case "enter":
		return p.pick(h)
	default:
		return p.Update(h, k)
	}
	return nil
}

func (p *Picker) turnPage(h view.Host, n int) {
	if p.isHelp() && !p.moved && p.text() == "" {
		p.top = max(0, p.top+n)
		return
	}
	p.move(n)
	p.showChosen(h)
}

// Update takes what else there is to put in, like pasted text.
func (p *Picker) Update(h view.Host, msg tea.Msg) tea.Cmd {
	old := p.text()
	cmd := p.input.Take(msg)
	if p.text() != old {
		p.top = 0
		switch {
		case p.isHelp():
			p.find(p.text())
		case p.anything:
			p.offerAnything(h)
		default:
			p.offerCommands(h)
		}
	}
	return cmd
}

func (p *Picker) pick(h view.Host) tea.Cmd {
	c, ok := p.Chosen()
	switch {
	case !ok:
		return nil
	case p.isHelp() && p.text() == "" && !p.moved:
		return h.Do(Done{})
	case c.write != "":
		return p.completeVerb(h)
	}
	p.recent.Use(&c)
	return h.Do(Done{&c})
}

// Click does what is under the pointer, at a place inside the frame.
func (p *Picker) Click(h view.Host, x, y int) tea.Cmd {
	y-- // the line to type in
	n := -1
	switch {
	case !p.isHelp():
		n = p.top + y - 1
	case p.text() != "":
		n = p.top + y
	default:
		n = p.helpAt(h, x, p.top+y)
	}
	if y < 0 || n < 0 || n >= len(p.items) {
		return nil
	}
	p.at, p.moved = n, true
	return p.pick(h)
}

// Scrolls says whether the wheel moves the lines, as it does in the help.
func (p *Picker) Scrolls() bool { return p.isHelp() }

// Scroll moves the lines.
func (p *Picker) Scroll(n int) { p.top = max(0, p.top+n) }

// drawInput draws the line to type in, and notes where the cursor is.
func (p *Picker) drawInput(sc *term.Screen, w int, sign, empty safe.Text) string {
	l := term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Key, sign).Gap(1)
	p.input.Draw(l, w)
	p.cursor = l.Cursor
	if p.text() == "" {
		l.Put(sc.Theme.Dim, empty)
	}
	return l.Finish()
}

// Recent are the ids and titles of what was chosen before, the last first.
type Recent []string

const maxRecent = 64

// Use puts something first.
func (r *Recent) Use(o *Offer) {
	name := o.name()
	rest := slices.DeleteFunc(slices.Clone(*r), func(s string) bool { return s == name })
	*r = slices.Insert(rest[:min(len(rest), maxRecent)], 0, name)
}

// at is how long ago something was chosen: 0 for the last, the more the longer.
func (r *Recent) at(o *Offer) int {
	if i := slices.Index(*r, o.name()); i >= 0 {
		return i
	}
	return maxRecent + 1
}

// name is what tells an offer from others the next time.
func (c *Offer) name() string {
	if c.ID != "" {
		return c.ID
	}
	return string(c.Title)
}

// How well a word fits, the best first.
const (
	wholeTitle = iota // it is a word of the title
	wholeWord         // or one of the other words
	inTitle           // it begins a word of the title
	inWords
	inArea
	noFit
)

// fit says how well what was written fits an offer: the sum over its words, of
// which each must begin a word of it, in any order. ok is false when one does
// not.
func (c *Offer) fit(words []string) (n int, ok bool) {
	for _, w := range words {
		best := min(fitIn(c.Title, w, wholeTitle, inTitle), fitIn(c.Words, w, wholeWord, inWords),
			fitIn(c.Area().Name(), w, inArea, inArea))
		if best == noFit {
			return 0, false
		}
		n += best
	}
	return n, true
}

func fitIn(text safe.Text, word string, whole, begun int) int {
	best := noFit
	for _, w := range wordsOf(string(text)) {
		switch {
		case w == word:
			return whole
		case strings.HasPrefix(w, word):
			best = begun
		}
	}
	return best
}

// wordsOf are the words of a text in lower case. One with signs in it, like
// search_notes or mcp-session-id, is a word, and so are its parts.
func wordsOf(text string) (out []string) {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for w := range strings.FieldsSeq(words.Fold(text)) {
		parts := strings.FieldsFunc(w, apart)
		if w = strings.TrimFunc(w, apart); len(parts) > 1 {
			out = append(out, w)
		}
		out = append(out, parts...)
	}
	return out
}

// best keeps what fits a text, in this order: how well it does, whether it can
// be done here, how recently it was chosen, and as they were.
func best(all []Offer, text string, recent *Recent) (out []Offer) {
	type hit struct {
		Offer
		fit, at int
	}
	words := strings.Fields(words.Fold(text))
	var hits []hit
	for i := range all {
		c := &all[i]
		n, ok := c.fit(words)
		key := text != "" && string(c.Keys) == text
		if !ok && !key {
			continue
		}
		if key {
			n = -1
		}
		if c.Rank == Elsewhere {
			n += 100
		}
		hits = append(hits, hit{*c, n, recent.at(c)})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.fit != b.fit {
			return a.fit - b.fit
		}
		return a.at - b.at
	})
	for i := range hits {
		out = append(out, hits[i].Offer)
	}
	return out
}
