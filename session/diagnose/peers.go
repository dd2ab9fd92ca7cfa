package diagnose

import (
	"sort"

	"midwire/session"
)

// peers are the sessions of a recording that were served, by what they have in
// common, so that each failed session finds its like without looking at all others.
// They hold until the next event.
type peers struct {
	latest map[group][2]int // of the transport and client: the two highest indices, -1 for none
	last   uint64           // the last result of all
	http   [][2]uint32      // requests and responses of HTTP without MCP
}

// group is what sessions may have in common.
type group struct {
	what      commonality
	transport session.Transport
	name      string
}

type commonality uint8

const (
	anyClient commonality = iota // of a transport
	oneClient
)

// peers returns what holds after the latest event.
func (c *Checker) peers() *peers {
	if c.ends.peers != nil && c.ends.at == c.count {
		return c.ends.peers
	}
	p := &peers{latest: map[group][2]int{}}
	clear(c.ends.served)
	c.ends.peers, c.ends.at = p, c.count
	for _, s := range c.sessions() {
		n := c.lastServed(s)
		if n == 0 {
			continue
		}
		p.last = max(p.last, n)
		for _, g := range []group{{anyClient, s.Transport, ""}, {oneClient, s.Transport, s.Client.Name}} {
			two, ok := p.latest[g]
			if !ok {
				two[0] = -1
			}
			p.latest[g] = [2]int{s.Index, two[0]}
		}
	}
	c.work += c.tracker.Rows()
	for i := range c.tracker.Rows() {
		if r := c.tracker.Row(i); r.Kind == session.RowHTTP {
			p.http = append(p.http, [2]uint32{r.Request, r.Response})
		}
	}
	return p
}

// servedFrom says whether a client was served in another session than s over the same
// transport, from an index on.
func (p *peers) servedFrom(s *session.Session, from int) bool {
	groups := []group{{anyClient, s.Transport, ""}}
	if s.Client.Name != "" { // of a session without a name it is not known whose it is
		groups = []group{{oneClient, s.Transport, s.Client.Name}, {oneClient, s.Transport, ""}}
	}
	for _, g := range groups {
		if two, ok := p.latest[g]; ok && (two[0] != s.Index && two[0] >= from || two[0] == s.Index && two[1] >= from) {
			return true
		}
	}
	return false
}

// after lists the frames of HTTP without MCP behind a frame, at most maxMeanwhile.
func (p *peers) after(n uint32) []uint64 {
	var frames []uint64
	i := sort.Search(len(p.http), func(i int) bool { return p.http[i][0] > n })
	for ; i < len(p.http) && len(frames) < maxMeanwhile; i++ {
		frames = append(frames, uint64(p.http[i][0]), uint64(p.http[i][1]))
	}
	return frames
}
