package menu

import (
	"net/url"

	"midwire/session/safe"
	"midwire/ui/term"
)

// Quit are lines of w cells that ask whether to end the proxy of this process, at a
// URL, to which so many clients are connected.
func Quit(sc *term.Screen, w int, at string, clients int) []string {
	what := safe.Text("This window runs the proxy.")
	if u, err := url.Parse(at); err == nil && u.Port() != "" {
		what = "This window runs the proxy on :" + safe.Line(u.Port()) + "."
	}
	ends := safe.Text("No client is connected.")
	if clients > 0 {
		ends = "Quitting disconnects " + term.Count(clients, "client") + "."
	}
	keys := term.NewLine(w, sc.Glyphs).Gap(1).Cell(sc.Theme.Key, "y", 3).Cell(term.Plain, "quit", 8)
	return []string{
		term.NewLine(w, sc.Glyphs).Gap(1).Put(term.Plain, what).Finish(),
		term.NewLine(w, sc.Glyphs).Gap(1).Put(term.Plain, ends).Finish(),
		term.NewLine(w, sc.Glyphs).Finish(),
		keys.Cell(sc.Theme.Key, "any other key", 15).Put(term.Plain, "stay").Finish(),
	}
}
