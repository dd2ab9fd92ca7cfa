package export

import (
	"fmt"
	"net/url"
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// origin is where a recording's server is: scheme and host of its URL.
func origin(target string) string {
	if at := words.ParseSocket(target); at != nil {
		return "http://" + words.HostOf(at)
	}
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "http://127.0.0.1:3000"
	}
	return u.Scheme + "://" + u.Host
}

// originAt is the origin of a connection through a forward proxy, from the payload
// of its open frame; "" for any other connection.
func originAt(open []byte) string {
	host := wire.Text(wire.Get(open, "host"))
	if host == "" {
		return ""
	}
	scheme, usual := "http", ":80"
	if proto := wire.Text(wire.Get(open, "proto")); proto == "tls" || proto == "h2" {
		scheme, usual = "https", ":443"
	}
	given := scheme + "://" + strings.TrimSuffix(host, usual)
	if u, err := url.Parse(given); err != nil || u.Host == "" || u.Scheme+"://"+u.Host != given {
		return ""
	}
	return given
}

// origins are those of the connections of a recording.
type origins struct {
	of   map[uint32]string // of those through a forward proxy
	name map[string]string // each origin once
}

// take looks at a frame.
func (o *origins) take(f *wire.Frame) {
	if f.Kind != wire.KindOpen {
		return
	}
	origin := originAt(f.Data)
	if origin == "" {
		return
	}
	if o.of == nil {
		o.of, o.name = map[uint32]string{}, map[string]string{}
	}
	if o.name[origin] == "" {
		o.name[origin] = origin
	}
	o.of[f.Conn] = o.name[origin]
}

// origin is where a request on a connection went.
func (s *Source) origin(conn uint32) string {
	if one := s.origins.of[conn]; one != "" {
		return one
	}
	return origin(s.Target)
}

// requestPath is a recorded request target as path and query of a URL, to be
// put behind an origin. The request went to the recorded server whatever its
// target says, and so does what is made of it: behind an origin, @host and the
// like would name another one. What ends a URL is escaped.
func requestPath(target string) string {
	if u, err := url.Parse(target); err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		target = u.RequestURI()
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	var b strings.Builder
	for i := range len(target) {
		if c := target[i]; c <= ' ' || c == '#' || c == 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
