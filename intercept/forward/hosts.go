package forward

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"midwire/intercept"
)

// Local are the names and addresses of this machine.
var Local = []string{"localhost", "127.0.0.1", "::1"}

// Hosts is the set of hosts whose connections are opened.
type Hosts struct{ all []host }

type host struct{ name, port string } // port "" for any

// ParseHosts reads hosts as a user gives them: NAME, NAME:PORT or a URL.
func ParseHosts(given []string) (*Hosts, error) {
	h := &Hosts{}
	for _, text := range given {
		one, err := parseHost(text)
		if err != nil {
			return nil, err
		}
		h.all = append(h.all, one)
	}
	return h, nil
}

func parseHost(text string) (host, error) {
	bad := fmt.Errorf("--host takes a name like mcp.example.com, NAME:PORT or a URL, not %q", text)
	in := text
	if strings.Contains(in, "://") {
		u, err := url.Parse(in)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			return host{}, bad
		}
		in = hostPort(u)
	}
	name, port := in, ""
	if h, p, err := net.SplitHostPort(in); err == nil {
		name, port = h, p
	}
	name = intercept.HostName(name)
	if n, err := strconv.ParseUint(port, 10, 16); port != "" && (err != nil || n == 0) {
		return host{}, fmt.Errorf("--host %q: %q is no port", text, port)
	}
	_, err := netip.ParseAddr(name)
	if err != nil && strings.ContainsAny(name, ":/?#@*[] ") || name == "" {
		return host{}, bad
	}
	return host{name, port}, nil
}

// hostPort is HOST:PORT of a URL of http or https.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// isAddress reports whether a name is an address, in any of the ways that resolvers
// read one: 10.0.0.7, ::1, 10.7, 0x7f.1, 2130706433.
func isAddress(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	_, err := strconv.ParseUint(name[strings.LastIndexByte(name, '.')+1:], 0, 64)
	return err == nil
}

// Names are the names and addresses in the set.
func (h *Hosts) Names() []string {
	var all []string
	for _, one := range h.all {
		if !slices.Contains(all, one.name) {
			all = append(all, one.name)
		}
	}
	return all
}

// Has reports whether HOST:PORT is in the set.
func (h *Hosts) Has(hostport string) bool {
	name, port, err := net.SplitHostPort(hostport)
	if err != nil {
		return false
	}
	name = intercept.HostName(name)
	return slices.ContainsFunc(h.all, func(o host) bool { return o.name == name && (o.port == "" || o.port == port) })
}
