package forward

import (
	"maps"
	"net"
	"slices"
	"sync"
)

// Seen says what came of connections, by name or address.
type Seen struct {
	Opened    []string // opened and recorded
	Tunnelled []string // passed on unread
	Refused   []string // opened, but the client does not trust the certificate
	Why       []string // sentences about what was learnt, and what was not opened
}

type counts struct {
	mu                          sync.Mutex
	opened, tunnelled, refusals map[string]bool
	why                         []string
}

const maxWhy = 64

// say keeps a sentence, once.
func (c *counts) say(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.why) < maxWhy && !slices.Contains(c.why, text) {
		c.why = append(c.why, text)
	}
}

func (c *counts) open(hostport string)   { c.add(&c.opened, hostport) }
func (c *counts) tunnel(hostport string) { c.add(&c.tunnelled, hostport) }
func (c *counts) refuse(hostport string) { c.add(&c.refusals, hostport) }

func (c *counts) add(to *map[string]bool, hostport string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *to == nil {
		*to = map[string]bool{}
	}
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = hostport
	}
	(*to)[name] = true
}

// Seen is what came of connections so far.
func (p *Proxy) Seen() Seen {
	c := &p.count
	c.mu.Lock()
	defer c.mu.Unlock()
	names := func(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
	return Seen{names(c.opened), names(c.tunnelled), names(c.refusals), slices.Clone(c.why)}
}
