package doctor

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"midwire/session/words"
	screen "midwire/ui/term"
)

// narrow and low say from where on the screen has room for two panes.
const narrow, flat = 80, 24

func (c *check) terminal() {
	fd := int(c.Out.Fd())
	if !term.IsTerminal(fd) {
		c.say(Note, "this goes to no terminal, so nothing is known of one", "call midwire doctor where the screen is to be")
		return
	}
	name := c.Getenv("TERM")
	if (name == "" || name == "dumb") && c.GOOS != "windows" {
		c.say(Warning, fmt.Sprintf("TERM is %q: a terminal that moves no cursor", name),
			"use another one; midwire ls, show and check print lines, and midwire http --no-ui does as it goes")
		return
	}
	w, h, err := term.GetSize(fd)
	if err != nil {
		w, h = 0, 0
	}
	c.size(name, w, h)
	if c.GOOS != "windows" && !utf8(c.Getenv) && !c.ASCII() {
		c.say(Note, "the locale does not say UTF-8, so frames and signs may look odd",
			"LC_ALL=C.UTF-8, or midwire --ascii")
	}
}

func (c *check) size(name string, w, h int) {
	says := strings.TrimSpace(fmt.Sprintf("%s, %d columns, %d lines", name, w, h))
	switch {
	case w == 0 || h == 0:
		c.say(Note, name+" does not say how large it is", "stty size should print lines and columns")
	case w < narrow || h < flat:
		c.say(Note, says, fmt.Sprintf("%d by %d and more show the list and the details", narrow, flat))
	default:
		c.say(OK, says, "")
	}
}

// utf8 says whether the locale has it: the first variable that is set decides.
func utf8(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := words.Fold(getenv(name)); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return false
}

// colour says how many there are, and why.
func (c *check) colour() {
	if c.Getenv("NO_COLOR") != "" {
		c.say(OK, "none: NO_COLOR is set. Signs and words say the same", "")
		return
	}
	if !term.IsTerminal(int(c.Out.Fd())) {
		return // terminal says so
	}
	switch colorprofile.Detect(c.Out, c.variables()) {
	case colorprofile.TrueColor:
		c.say(OK, "24 bit", "")
	case colorprofile.ANSI256:
		c.say(OK, "256 colours", "COLORTERM=truecolor, if the terminal has more")
	case colorprofile.ANSI:
		c.say(Note, "16 colours, those of the terminal's palette", "TERM=xterm-256color, if the terminal has more")
	default:
		c.say(Note, "none", "TERM=xterm-256color, if the terminal has some")
	}
}

// clipboard says whether copying can work: midwire sends OSC 52, and no terminal
// says whether it took it.
func (c *check) clipboard() {
	if term.IsTerminal(int(c.Out.Fd())) {
		c.out = append(c.out, clipboard(c.Getenv))
	}
}

func clipboard(getenv func(string) string) Result {
	const other = "x in the screen writes to a file instead"
	say := func(state State, says, next string) Result { return Result{"clipboard", state, says, next} }
	switch can := screen.Probe(getenv); {
	case can.Between == "tmux":
		return say(Note, "tmux passes it on when it is told to", "tmux set -g set-clipboard on")
	case can.Between == "screen":
		return say(Note, "screen does not pass it on", other)
	case can.Name == "Apple_Terminal":
		return say(Note, "Terminal.app takes nothing from programs", other+"; iTerm2, Ghostty, kitty and WezTerm do")
	case can.Copy == screen.CopyAllowed:
		return say(OK, "iTerm2 takes it where its settings allow it",
			"Settings, General, Selection: applications in terminal may access clipboard")
	case can.Copy == screen.CopyTaken:
		return say(OK, "the terminal takes what midwire copies (OSC 52)", "")
	case can.Copy == screen.CopyRefused:
		return say(Note, "terminals with VTE, like GNOME's, may take nothing from programs", other)
	}
	return say(Note, "midwire copies with OSC 52; this terminal does not say whether it takes that", "if nothing arrives, "+other)
}
