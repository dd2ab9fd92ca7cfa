// Package welcome is what the screen shows while nothing was recorded yet: the
// ways to the first session.
package welcome

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"midwire/intercept/clients"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Play is something that can be played: the demo or a classic failure.
type Play struct{ Name, Title string }

// Starter plays and proxies in this process. Its methods are called from
// commands, never from Update.
type Starter interface {
	// Plays are the demo and the failures that can be played, Play plays one
	// and returns when it is over.
	Plays() []Play
	Play(name string) error
	// Serve starts a proxy in front of a server and returns its address.
	Serve(url string) (address string, err error)
}

// What the cards ask of the program, see view.Host: to have something played, and to have
// a proxy started in front of a server, in this process.
type (
	Start struct{ Name string }
	Serve struct{ URL string }
)

// The cards.
const (
	Demo = iota
	Stdio
	HTTP
	cards
)

// Screen is the empty screen.
type Screen struct {
	Plays   []Play
	Folder  string // that is watched
	Address string // for clients, of the proxy of this process; "" while there is none

	card, play, client int
	url                term.Input
}

// New makes it.
func New(by Starter, folder, address string) *Screen {
	s := &Screen{Folder: folder, Address: address, url: term.NewInput(400)}
	if by != nil {
		s.Plays = by.Plays()
	}
	s.url.Write("http://localhost:3000/mcp")
	if address != "" {
		s.card = HTTP
	}
	return s
}

// Writes says whether the keys write the URL.
func (s *Screen) Writes() bool { return s.card == HTTP }

// Choose goes to another card. It returns a command of the field.
func (s *Screen) Choose(card int) tea.Cmd {
	s.card = (card + cards) % cards
	if s.card == HTTP {
		return s.url.Focus()
	}
	s.url.Blur()
	return nil
}

// Paste takes what else there is to put in.
func (s *Screen) Paste(msg tea.Msg) tea.Cmd {
	if s.card != HTTP {
		return nil
	}
	return s.url.Take(msg)
}

// Key takes a key; ok is false for one that means nothing here.
func (s *Screen) Key(h view.Host, k tea.KeyPressMsg) (cmd tea.Cmd, ok bool) {
	switch name := k.String(); name {
	case "tab":
		return s.Choose(s.card + 1), true
	case "shift+tab":
		return s.Choose(s.card - 1), true
	case "enter":
		return s.do(h), true
	case "esc":
		if s.card == HTTP {
			return s.Choose(Demo), true
		}
	default:
		switch {
		case s.card != HTTP:
			return s.letter(h, name)
		case k.Text != "", name == "backspace", name == "delete", name == "left", name == "right",
			name == "home", name == "end", name == "ctrl+u", name == "ctrl+w", name == "ctrl+a", name == "ctrl+e":
			return s.url.Take(k), true
		}
	}
	return nil, false
}

func (s *Screen) letter(h view.Host, name string) (tea.Cmd, bool) {
	turn := func(at *int, n, of int) {
		if of > 0 {
			*at = (*at + n + of) % of
		}
	}
	switch name {
	case "d":
		return s.Choose(Demo), true
	case "c":
		return s.Choose(Stdio), true
	case "h":
		return s.Choose(HTTP), true
	case "j", "down":
		s.card = Demo
		turn(&s.play, 1, len(s.Plays))
	case "k", "up":
		s.card = Demo
		turn(&s.play, -1, len(s.Plays))
	case "right", "l":
		s.card = Stdio
		turn(&s.client, 1, len(known()))
	case "left":
		s.card = Stdio
		turn(&s.client, -1, len(known()))
	case "y":
		return s.Copy(h), true
	default:
		return nil, false
	}
	return nil, true
}

func (s *Screen) do(h view.Host) tea.Cmd {
	switch {
	case s.card == Demo && len(s.Plays) > 0:
		return h.Do(Start{s.Plays[s.play].Name})
	case s.card == HTTP && s.Address == "":
		return h.Do(Serve{s.url.Value()})
	}
	return s.Copy(h)
}

// Copy copies what the chosen card gives a client.
func (s *Screen) Copy(h view.Host) tea.Cmd {
	switch s.card {
	case HTTP:
		return h.Copy(cmp.Or(s.Address, "midwire http "+s.url.Value()), "what stands in the card")
	case Demo:
		return h.Copy("midwire demo", "the command of the demo")
	}
	c := known()[s.client]
	return h.Copy(c.entry, "the entry for "+c.name)
}

// client is an MCP client, and where and how it wants to be told of a server.
type client struct {
	name, file, entry string
}

// own are the parts of an entry that are midwire's.
var own = []string{`"midwire"`, `"--"`}

// known are the most used clients.
func known() (out []client) {
	for _, c := range clients.Popular() {
		out = append(out, client{c.Name, c.Where, c.Sample()})
	}
	return out
}
