// Package welcome is what the screen shows while nothing was recorded yet: the
// ways to the first session.
package welcome

import "midwire/intercept/clients"

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
