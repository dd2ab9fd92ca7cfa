package intercept

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// IsLocal reports whether a host name or address, without a port, is this machine
// or a private network: there, a server's own defence against DNS rebinding has
// to see the Host that the client sent. Every name under localhost is this
// machine (RFC 6761, 6.3): browsers ask no DNS server for one.
func IsLocal(host string) bool { return isLocal(HostName(host)) }

func isLocal(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// ForeignHost is the defence against pages of other sites, also under a name
// that was rebound to this machine: it returns the host of a request's Host or
// Origin that is neither local nor among those allowed, and "" when there is
// none. Those allowed are names or addresses, with a port or for any port. A
// request without Host or Origin, and the origin null, name no one.
func ForeignHost(host, origin string, allowed ...string) string {
	if u, err := url.Parse(origin); err == nil {
		origin = u.Host
	}
	for _, given := range []string{host, origin} {
		if given == "" {
			continue
		}
		name, port := splitHost(given)
		if !isLocal(name) && !slices.ContainsFunc(allowed, func(a string) bool {
			n, p := splitHost(a)
			return n == name && (p == "" || p == port)
		}) {
			return given
		}
	}
	return ""
}

// Caller is what a request says of where it comes from. A page in a browser cannot
// choose any of it.
type Caller struct {
	Hosts   []string // Host, and the authority of an absolute target
	Origins []string
	Site    string // Sec-Fetch-Site
	Folded  bool   // fields continue in further lines, which not all take for the same
}

// HeadCaller reads the head of a request.
func HeadCaller(head []byte) Caller {
	h, _ := wire.ParseHead(head)
	c := Caller{Folded: bytes.Contains(head, []byte("\n ")) || bytes.Contains(head, []byte("\n\t"))}
	if h.Method == http.MethodConnect {
		c.Hosts = append(c.Hosts, h.Target)
	} else if _, rest, ok := strings.Cut(h.Target, "://"); ok && !strings.HasPrefix(h.Target, "/") {
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			rest = rest[:i]
		}
		c.Hosts = append(c.Hosts, rest)
	}
	for _, f := range h.Fields {
		switch words.Fold(f.Name) {
		case "host":
			c.Hosts = append(c.Hosts, f.Value)
		case "origin":
			c.Origins = append(c.Origins, f.Value)
		case "sec-fetch-site":
			c.Site = f.Value
		}
	}
	return c
}

// RequestCaller reads a request that net/http has read.
func RequestCaller(r *http.Request) Caller {
	return Caller{Hosts: []string{r.Host}, Origins: r.Header.Values("Origin"), Site: r.Header.Get("Sec-Fetch-Site")}
}

// Foreign returns the first host of a Host or Origin that ForeignHost finds, "" for
// none.
func (c Caller) Foreign(allowed ...string) string {
	for _, h := range c.Hosts {
		if name := ForeignHost(h, "", allowed...); name != "" {
			return name
		}
	}
	for _, o := range c.Origins {
		if name := ForeignHost("", o, allowed...); name != "" {
			return name
		}
	}
	return ""
}

// Refusal is why a listener that has no server behind it, which could refuse the
// request itself, must not serve it; "" when it may. It is stricter than
// ForeignHost: who hides where it is from is refused too. who is the command
// that has --allow-host, "" for none.
func (c Caller) Refusal(who string, allowed ...string) string {
	if name := c.Foreign(allowed...); name != "" {
		why := fmt.Sprintf("midwire: host or origin %q is not local", name)
		if who != "" {
			why += fmt.Sprintf(". If it should be, start %s with --allow-host %s", who, name)
		}
		return why
	}
	origin := strings.Join(c.Origins, "")
	u, err := url.Parse(origin)
	switch {
	case c.Folded:
		return "midwire: a request with folded fields is not served"
	case strings.Join(c.Hosts, "") == "":
		return "midwire: a request without Host is not served. Send the one that you connect to"
	case origin != "" && (err != nil || u.Host == ""):
		return "midwire: a page whose origin is null is not served. Serve the page from localhost"
	case origin == "" && c.Site == "cross-site":
		return "midwire: a page of another site is not served"
	}
	return ""
}

// Guard serves what may be served by Refusal, and answers everything else with 403.
func Guard(next http.Handler, who string, allowed ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if why := RequestCaller(r).Refusal(who, allowed...); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// splitHost returns name and port of a Host as they compare; a port need not
// be there.
func splitHost(hostport string) (name, port string) {
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		return HostName(h), p
	}
	return HostName(hostport), ""
}

// HostName is a name or address as it compares: names have neither case nor a
// final dot, an address has one spelling.
func HostName(host string) string {
	host = words.Fold(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}
