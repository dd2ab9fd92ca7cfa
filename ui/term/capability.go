package term

import (
	"strconv"
	"strings"
)

// Capabilities are what a terminal can do besides text and colours, as far as its
// environment says: terminals do not answer for this.
type Capabilities struct {
	Name    string // of the terminal, "" for one that does not say
	Between string // tmux or screen, which pass on only what they know
	Copy    Copying
	// Progress says that it has a bar beside its tab (OSC 9;4). Others take that for a notice
	// to the desktop, or show it.
	Progress bool
}

// Copying says what becomes of what a program copies (OSC 52).
type Copying uint8

// What becomes of it.
const (
	CopyUnknown Copying = iota
	CopyTaken
	CopyAllowed // where the settings of the terminal, or of tmux, allow it
	CopyRefused
)

// Probe says what the terminal of an environment can do. It is the only place that knows
// terminals by their names.
func Probe(getenv func(string) string) (c Capabilities) {
	name, kind := getenv("TERM_PROGRAM"), getenv("TERM")
	switch {
	case name != "":
	case getenv("WT_SESSION") != "":
		name = "Windows Terminal"
	case getenv("ConEmuANSI") == "ON":
		name = "ConEmu"
	case getenv("VTE_VERSION") != "":
		name = "VTE"
	default:
		for _, k := range [...]string{"kitty", "ghostty", "foot", "alacritty"} {
			if strings.HasPrefix(strings.TrimPrefix(kind, "xterm-"), k) {
				name = k
			}
		}
	}
	c.Name = name
	switch name {
	case "Windows Terminal", "ghostty", "WezTerm", "vscode":
		c.Copy, c.Progress = CopyTaken, true
	case "kitty", "foot", "alacritty":
		c.Copy = CopyTaken
	case "iTerm.app":
		c.Copy, c.Progress = CopyAllowed, atLeast(getenv("TERM_PROGRAM_VERSION"), 3, 6)
	case "VTE":
		version, _ := strconv.Atoi(getenv("VTE_VERSION"))
		c.Copy, c.Progress = CopyRefused, version >= 8000
	case "Apple_Terminal":
		c.Copy = CopyRefused
	case "ConEmu", "mintty":
		c.Progress = true
	}
	switch {
	case getenv("TMUX") != "":
		c.Between, c.Copy, c.Progress = "tmux", CopyAllowed, false
	case getenv("STY") != "":
		c.Between, c.Copy, c.Progress = "screen", CopyRefused, false
	}
	return c
}

// atLeast compares the first two numbers of a version.
func atLeast(version string, major, minor int) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, _ := strconv.Atoi(first)
	b, _ := strconv.Atoi(second)
	return a > major || a == major && b >= minor
}
