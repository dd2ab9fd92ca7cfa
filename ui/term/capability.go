package term

import (
	"strconv"
	"strings"
)

// HasBar says whether the terminal of an environment has a bar beside its tab (OSC 9;4).
// Others, and tmux and screen, take that for a notice to the desktop, or show it.
func HasBar(getenv func(string) string) bool {
	if getenv("TMUX") != "" || getenv("STY") != "" {
		return false
	}
	switch getenv("TERM_PROGRAM") {
	case "ghostty", "WezTerm", "vscode", "mintty":
		return true
	case "iTerm.app":
		return atLeast(getenv("TERM_PROGRAM_VERSION"), 3, 6)
	case "":
		version, _ := strconv.Atoi(getenv("VTE_VERSION"))
		return getenv("WT_SESSION") != "" || getenv("ConEmuANSI") == "ON" || version >= 8000 ||
			strings.HasPrefix(strings.TrimPrefix(getenv("TERM"), "xterm-"), "ghostty")
	}
	return false
}

// atLeast compares the first two numbers of a version.
func atLeast(version string, major, minor int) bool {
	first, rest, _ := strings.Cut(version, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, _ := strconv.Atoi(first)
	b, _ := strconv.Atoi(second)
	return a > major || a == major && b >= minor
}
