package forward

import (
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
)

// Seen says what came of connections, by name or address.
type Seen struct {
	Opened    []string // opened and recorded
	Tunnelled []string // passed on unread
	Refused   []string // opened, but the client does not trust the certificate
	Why       []string // sentences about what was learnt, and what was not opened
}

// Lines says it to the user.
func (s Seen) Lines() []string {
	var all []string
	if len(s.Opened) == 0 && len(s.Refused) == 0 {
		all = append(all, "the client has sent nothing to these hosts through the proxy. See docs/exec.md for what its runtime reads")
	}
	if len(s.Refused) > 0 {
		all = append(all, "the client does not trust the certificates of this run, for "+strings.Join(s.Refused, ", ")+". midwire check last says what its runtime reads")
	}
	all = append(all, s.Why...)
	if len(s.Tunnelled) > 0 {
		all = append(all, "passed on unread: "+strings.Join(s.Tunnelled, ", "))
	}
	return all
}

type counts struct {
	mu    sync.Mutex
	names [3]map[string]bool
	why   []string
}

// What comes of a connection.
const (
	opened = iota
	tunnelled
	refused
)

const maxWhy = 64

// say keeps a sentence, once.
func (c *counts) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.why) < maxWhy && !slices.Contains(c.why, text) {
		c.why = append(c.why, text)
	}
}

func (c *counts) add(what int, hostport string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = hostport
	}
	set(&c.names[what], name, true)
}

// Seen is what came of connections so far.
func (p *Proxy) Seen() Seen {
	c := &p.count
	c.mu.Lock()
	defer c.mu.Unlock()
	names := func(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
	return Seen{names(c.names[opened]), names(c.names[tunnelled]), names(c.names[refused]), slices.Clone(c.why)}
}
