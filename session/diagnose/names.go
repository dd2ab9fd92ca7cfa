package diagnose

import (
	"cmp"
	"strings"

	"midwire/session"
	"midwire/session/words"
)

// Client names the client of the message in hand, to begin a sentence with:
// "Client claude-code 2.1", or "The client" as long as it did not say its name.
func (c *Case) Client() string { return c.Named(Client) }

// Server is Client for the server.
func (c *Case) Server() string { return c.Named(Server) }

// Named is Client or Server for either side.
func (c *Case) Named(s Side) string {
	var p session.Peer
	switch {
	case c.Session == nil:
	case s == Client:
		p = c.Session.Client
	case s == Server:
		p = c.Session.Server
	}
	name := cmp.Or(p.Name, p.Title)
	if name == "" {
		return "The " + s.String()
	}
	name = strings.TrimSpace(apart(name) + " " + apart(p.Version))
	return words.Capital(s.String()) + " " + name
}

// apart quotes what cannot be told from the words of a sentence.
func apart(s string) string {
	plain := strings.Trim(words.Fold(s), "abcdefghijklmnopqrstuvwxyz0123456789-_./@+") == ""
	if plain && !strings.HasSuffix(s, ".") {
		return s
	}
	return "“" + strings.Join(strings.Fields(s), " ") + "”"
}
