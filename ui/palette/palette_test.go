package palette

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/intercept/gate"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// host is a screen that notes what it is asked to do.
type host struct {
	view.Host
	scene library.Scene
	did   []string
}

func newHost(w, h int) *host {
	th, sg := term.Coloured(true), term.Unicode()
	rec := library.New(wire.Recording{ID: "r", Label: "notes", Tap: "stdio", Live: true}, nil)
	for _, f := range scenes.Stdio() {
		rec.Take(&wire.Tagged{Frame: f})
	}
	screen := term.Screen{Theme: &th, Glyphs: &sg, Width: w, Height: h}
	return &host{scene: library.Scene{Screen: screen, Rec: rec, All: []*library.Recording{rec}}}
}

func (h *host) Scene() *library.Scene { return &h.scene }

func (h *host) Do(what any) tea.Cmd {
	switch what := what.(type) {
	case Done:
		if what.Chosen != nil && what.Chosen.Run != nil {
			what.Chosen.Run()
		}
	case view.SetTheme:
		h.did = append(h.did, "theme "+what.Name)
	case view.ShowScope:
		h.did = append(h.did, fmt.Sprint("shows ", what.Session))
	default:
		h.did = append(h.did, fmt.Sprintf("%T%v", what, what))
	}
	return nil
}

func (h *host) Complain(text safe.Text) tea.Cmd { return h.Do(text) }

func (h *host) keys(p *Picker, names ...string) {
	codes := map[string]rune{"enter": tea.KeyEnter, "up": tea.KeyUp, "down": tea.KeyDown, "tab": tea.KeyTab, "pgdown": tea.KeyPgDown}
	for _, k := range names {
		p.Key(h, tea.KeyPressMsg{Code: codes[k]})
	}
}

func typed(h *host, p *Picker, text string) { p.Update(h, tea.PasteMsg{Content: text}) }

// offers are commands as a screen has them.
func offers() []Offer {
	one := func(id, keys, title, words string, rank int) Offer {
		c := keymap.Command{ID: id, Key: keymap.Bind(keys, keys, title), Title: safe.Text(title), Words: safe.Text(words), Hint: "do", Group: keymap.Look}
		return Offer{Command: c, Keys: safe.Text(keys), Rank: rank}
	}
	return []Offer{
		one("messages.raw", "v", "switch between exchanges and raw frames", "", Here),
		one("global.waterfall", "w", "show the waterfall", "gantt timeline", There),
		one("global.findings", "!", "show the findings", "problems errors", There),
		one("global.compare", "d", "compare two sessions", "diff", There),
		one("detail.wrap", "b", "wrap long lines, or not", "break", Beside),
		one("waterfall.fit", "z", "zoom to the whole", "show all", Elsewhere),
	}
}

// TestFinds: beginnings of words in any order, or other words for it, the best first; what
// cannot be done here is last, and what was chosen lately goes before what fits as well.
func TestFinds(t *testing.T) {
	for _, c := range []struct{ text, recent, want string }{
		{"raw fr", "", "messages.raw"},
		{"FRAMES raw", "", "messages.raw"},
		{"gantt", "", "global.waterfall"},
		{"diff", "", "global.compare"},
		{"sho", "", "global.waterfall global.findings waterfall.fit"},
		{"sho", "global.findings", "global.findings global.waterfall waterfall.fit"},
		{"show", "waterfall.fit", "global.waterfall global.findings waterfall.fit"},
		{"waterfall", "", "global.waterfall waterfall.fit"}, // a word of the title before where it holds
		{"b", "", "detail.wrap messages.raw"},               // its key before the beginning of a word
		{"detail", "", "detail.wrap"},
		{"swf", "", ""}, // letters here and there
		{"frozen", "", ""},
	} {
		h, recent := newHost(80, 24), &Recent{}
		if c.recent != "" {
			recent.Use(&Offer{Command: keymap.Command{ID: c.recent}})
		}
		p, _ := New(offers(), nil, recent)
		typed(h, p, c.text)
		var got []string
		for _, o := range p.items {
			got = append(got, o.ID)
		}
		if ids := strings.Join(got, " "); ids != c.want {
			t.Errorf("%q after %q: %s, want %s", c.text, c.recent, ids, c.want)
		}
	}
	var r Recent
	for i := range 3 * maxRecent {
		r.Use(&Offer{Command: keymap.Command{ID: fmt.Sprint(i / 2)}})
	}
	if len(r) > maxRecent+1 || r[0] != fmt.Sprint((3*maxRecent-1)/2) || r[1] == r[0] {
		t.Errorf("%d are kept: %s", len(r), r)
	}
}

// TestVerbs: what enter does to a line with an argument.
func TestVerbs(t *testing.T) {
	for text, want := range map[string]string{
		"goto 10": "view.Goto{10}", "21": "view.Goto{21}", ":#21": "view.Goto{21}", "goto x": "", "goto -1": "",
		"filter is:error": "view.FilterBy{is:error}", "filter ": "view.FilterBy{}", "filter is:bad": "safe.Text",
		"theme li": "theme light", "theme neon": "",
		"search two words": "view.Search{two words}", "session claude": "shows 0", "session nobody": "",
		"fault delay 3s": "view.Break{delay 3s}", "fault wrong": "view.Break{wrong-version}",
	} {
		h := newHost(80, 24)
		p, _ := New(offers(), []string{"dark", "light"}, &Recent{})
		typed(h, p, text)
		h.keys(p, "enter")
		if got := strings.Join(h.did, "; "); got != want && (want != "safe.Text" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	for _, one := range gate.Presets() { // no other is carried out whose words have the name of it
		if got := faultCommands(newHost(80, 24), one.Name); len(got) == 0 || !strings.HasPrefix(string(got[0].Title), "fault "+one.Name+": ") {
			t.Errorf("fault %s offers %q first", one.Name, got[0].Title)
		}
	}
	h := newHost(80, 24)
	p, _ := New(offers(), []string{"dark", "light"}, &Recent{})
	typed(h, p, "them")
	h.keys(p, "tab")
	if p.text() != "theme " || p.items[0].Title != "theme dark" {
		t.Errorf("tab writes %q", p.text())
	}
}

// TestGoesToAnything: frames, sessions, tools and commands are in one list, and what fits
// nothing is looked for.
func TestGoesToAnything(t *testing.T) {
	for text, want := range map[string]string{
		"#10": "view.Goto{10}", "files-server session": "shows 0", "tool search_f": "view.FilterBy{tool:search_files}",
		"nowhere": "view.Search{nowhere}",
	} {
		h := newHost(120, 36)
		p, _ := NewAnything(h, offers(), &Recent{})
		typed(h, p, text)
		h.keys(p, "enter")
		if got := strings.Join(h.did, "; "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	p, _ := NewAnything(newHost(80, 24), offers(), &Recent{"global.compare"})
	if o, _ := p.Chosen(); o.ID != "global.compare" {
		t.Errorf("%s is first, not what was chosen last", o.ID)
	}
}

// TestDraw: whatever the screen, each line has the cells that there are, and what is chosen
// is among them, however far down; a click does what enter does.
func TestDraw(t *testing.T) {
	many := offers()
	for i := range 60 {
		o := Offer{Command: keymap.Command{ID: fmt.Sprint("list.c", i), Title: safe.Text(fmt.Sprintf("command %d 界", i)), Group: keymap.Act}}
		o.Rank, o.Keys = i%4, "^x"
		many = append(many, o)
	}
	for _, size := range [][2]int{{40, 8}, {80, 24}, {120, 36}, {200, 50}} {
		for kind, open := range map[string]func(h *host) (*Picker, tea.Cmd){
			"palette":  func(*host) (*Picker, tea.Cmd) { return New(many, nil, &Recent{}) },
			"help":     func(*host) (*Picker, tea.Cmd) { return NewHelp(many, &Recent{}) },
			"anything": func(h *host) (*Picker, tea.Cmd) { return NewAnything(h, many, &Recent{}) },
		} {
			h := newHost(size[0], size[1])
			p, _ := open(h)
			h.keys(p, "down")
			for range p.all {
				at, ok := drawn(t, h, p)
				want, _ := p.Chosen()
				if !ok {
					t.Fatalf("%s %v: %q is not on the screen", kind, size, want.Title)
				}
				if want.write == "" {
					p.Click(h, at%1000, at/1000)
				}
				if got, _ := p.Chosen(); got.ID != want.ID {
					t.Fatalf("%s %v: a click on %q chooses %q", kind, size, want.Title, got.Title)
				}
				h.keys(p, "down")
			}
		}
	}
}

// drawn draws a picker, and says where the bar is: 1000 times the line, and the column.
func drawn(t *testing.T, h *host, p *Picker) (at int, ok bool) {
	t.Helper()
	for y, l := range p.Draw(h) {
		if fault := scenes.Fault(l, p.Width(h)); fault != "" {
			t.Fatal(fault)
		}
		if before, _, bar := strings.Cut(ansi.Strip(l), "▌"); bar {
			at, ok = 1000*y+ansi.StringWidth(before), true
		}
	}
	return at, ok
}
