package export

import (
	"fmt"
	"net/url"
	"strings"
)

// origin is where a recording's server is: scheme and host of its URL.
func origin(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "http://127.0.0.1:3000"
	}
	return u.Scheme + "://" + u.Host
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
