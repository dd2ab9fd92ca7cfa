package intercept

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// IsLocal says whether a host name or address, without a port, is this machine
// or a private network: there, a server's own defence against DNS rebinding has
// to see the Host that the client sent. Every name under localhost is this
// machine (RFC 6761, 6.3): browsers ask no DNS server for one.
func IsLocal(host string) bool { return isLocal(hostName(host)) }

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
// request without Host or Origin, and the origin null, name nobody.
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

// splitHost returns name and port of a Host as they compare; a port need not
// be there.
func splitHost(hostport string) (name, port string) {
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		return hostName(h), p
	}
	return hostName(hostport), ""
}

// hostName is a name or address as it compares: names have neither case nor a
// final dot, an address has one spelling.
func hostName(host string) string {
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}
