package forward

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"

	"midwire/intercept"
	"midwire/session/wire"
)

// maxLearnt is how many origins a run may learn. No one's login has that many.
const maxLearnt = 64

// Learner adds origins to those whose connections are opened: the ones that
// challenges and OAuth metadata name (RFC 9728, RFC 8414) on connections that are
// opened already. The client is to go there with what belongs to the login.
type Learner struct {
	Hosts *Hosts   // opened anyway
	Never []string // names that are not learnt, beside those of models

	mu        sync.Mutex         // guards what follows
	origins   map[string]bool    // HOST:PORT
	documents map[document]bool  // that will be metadata, wherever they stand
	refused   map[string]verdict // names that were not learnt
}

// document is the URL of metadata.
type document struct{ origin, path string }

type verdict string

// Has reports whether HOST:PORT was learnt.
func (l *Learner) Has(hostport string) bool {
	if l == nil {
		return false
	}
	name, port, err := net.SplitHostPort(hostport)
	l.mu.Lock()
	defer l.mu.Unlock()
	return err == nil && l.origins[net.JoinHostPort(intercept.HostName(name), port)]
}

// learn takes in a URL that was named. It returns a sentence when that is news.
func (l *Learner) learn(raw, as, by string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return ""
	}
	name := intercept.HostName(u.Hostname())
	_, port, _ := net.SplitHostPort(hostPort(u))
	origin := net.JoinHostPort(name, port)
	if l.Hosts.Has(origin) {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.origins[origin] || l.refused[name] != "" {
		return ""
	}
	named := origin + ", which " + by + " names as " + as
	var why verdict
	switch {
	case ServesModels(name) || slices.Contains(l.Never, name):
		why = "it serves models"
	case isAddress(name):
		why = "it is an address"
	case len(l.origins) >= maxLearnt:
		why = "there are too many"
	}
	if why != "" {
		set(&l.refused, name, why)
		return "not decrypted: " + named + ": " + string(why) + ". --host " + name + " has it decrypted"
	}
	set(&l.origins, origin, true)
	return "decrypted from now on: " + named
}

// expect remembers that a URL will be metadata.
func (l *Learner) expect(u *url.URL) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.documents) < maxLearnt {
		set(&l.documents, document{hostPort(u), u.EscapedPath()}, true)
	}
}

// set sets a member of a map that may not be there yet.
func set[K comparable, V any](m *map[K]V, k K, v V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[k] = v
}

// wellKnown are the names of metadata behind /.well-known/.
var wellKnown = []string{"oauth-protected-resource", "oauth-authorization-server", "openid-configuration"}

// isMetadata reports whether what a request asks for is metadata.
func (l *Learner) isMetadata(origin, target string) bool {
	path, _, _ := strings.Cut(target, "?")
	if _, name, ok := strings.Cut(path, "/.well-known/"); ok {
		name, _, _ = strings.Cut(name, "/")
		return slices.Contains(wellKnown, name)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.documents[document{origin, path}]
}

// document takes in metadata. It returns what is news.
func (l *Learner) document(body []byte, by string) (news []string) {
	learn := func(value []byte, as string) {
		if said := l.learn(wire.Text(value), as, by); said != "" {
			news = append(news, said)
		}
	}
	wire.Items(wire.Get(body, "authorization_servers"), func(_ int, value []byte) bool {
		learn(value, "authorization server")
		return true
	})
	wire.Each(body, func(key, value []byte) bool {
		switch name := string(key); {
		case name == "authorization_endpoint" || name == "end_session_endpoint": // a browser's
		case name == "issuer" || name == "jwks_uri" || strings.HasSuffix(name, "_endpoint"):
			learn(value, name)
		}
		return true
	})
	return news
}
