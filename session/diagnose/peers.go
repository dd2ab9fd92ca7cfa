package diagnose

import (
	"cmp"
	"slices"
	"sort"

	"midwire/session"
)

// peers are the sessions of a recording that were served, by what they have in
// common, so that each failed session finds its like without looking at all others.
// They hold until the next event.
type peers struct {
	latest map[group][2]int // of the transport and client: the two highest indices, -1 for none
	alike  map[group][]int  // of what Works goes by: the indices, in order
	before map[group]int    // of them: the latest of those judged that did not fail
	judged int              // how many sessions that are
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
	likeClient // whatever the transport
	likeServer
	likePipe
)

// peers returns what holds after the latest event.
func (c *Checker) peers() *peers {
	if c.ends.peers != nil && c.ends.at == c.count {
		return c.ends.peers
	}
	p := &peers{latest: map[group][2]int{}, alike: map[group][]int{}, before: map[group]int{}}
	clear(c.ends.served)
	c.ends.peers, c.ends.at = p, c.count
	for _, s := range c.tracker.Sessions() {
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
		for _, g := range alike(s) {
			p.alike[g] = append(p.alike[g], s.Index)
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

// alike are the groups whose other sessions show that a session could have worked.
func alike(s *session.Session) []group {
	var all []group
	if s.Client.Name != "" {
		all = append(all, group{likeClient, 0, s.Client.Name})
	}
	if s.Server.Name != "" {
		all = append(all, group{likeServer, 0, s.Server.Name})
	}
	if s.Transport == session.TransportStdio {
		all = append(all, group{what: likePipe})
	}
	return all
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

// works is the index of the session that was served and is nearest to s among its
// like: the latest before it that did not fail, or else the first behind it; -1 for none.
func (p *peers) works(c *Checker, s *session.Session) int {
	all := c.tracker.Sessions()
	for ; p.judged < len(all) && all[p.judged].Index < s.Index; p.judged++ {
		c.work++
		if one := all[p.judged]; c.ends.failed[one.Index] == nil && c.lastServed(one) > 0 {
			for _, g := range alike(one) {
				p.before[g] = one.Index
			}
		}
	}
	best, next := -1, -1
	for _, g := range alike(s) {
		if at, ok := p.before[g]; ok {
			best = max(best, at)
		}
		list := p.alike[g]
		i, found := slices.BinarySearch(list, s.Index)
		if found {
			i++
		}
		for ; i < len(list) && c.ends.failed[list[i]] != nil; i++ {
			c.work++
		}
		if i < len(list) && (next < 0 || list[i] < next) {
			next = list[i]
		}
	}
	return cmp.Or(best+1, next+1) - 1
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
