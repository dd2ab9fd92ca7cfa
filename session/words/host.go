package words

import (
	"net/url"
	"strings"
)

// ParseURL reads an absolute URL, nil for anything else.
func ParseURL(s string) *url.URL {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Scheme == "" || u.Host == "" {
		return nil
	}
	return u
}

// HostName splits the port off a host, and the brackets of an IPv6 address. The name is
// in lower case.
func HostName(host string) (name, port string) {
	name = Fold(host)
	if inside, ok := strings.CutPrefix(name, "["); ok {
		name, port, _ = strings.Cut(inside, "]")
		return name, strings.TrimPrefix(port, ":")
	}
	if strings.Count(name, ":") == 1 {
		name, port, _ = strings.Cut(name, ":")
	}
	return name, port
}

// IsLoopback says whether a host, with or without port, is this machine.
func IsLoopback(host string) bool {
	name, _ := HostName(host)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || strings.HasPrefix(name, "127.") || name == "::1"
}

// SameHost says whether two hosts are one as a client compares them: case and
// the default port do not matter.
func SameHost(a, b, scheme string) bool {
	port := ":80"
	if scheme == "https" {
		port = ":443"
	}
	return strings.TrimSuffix(Fold(a), port) == strings.TrimSuffix(Fold(b), port)
}

// IsUpstream says whether a host is a server that is reached at an address, and perhaps
// by another name than the client's, "" for none.
func IsUpstream(host, name, address string) bool {
	switch {
	case host == "":
		return false
	case name != "" && SameHost(host, name, "https"):
		return true
	}
	a, portA := HostName(host)
	b, portB := HostName(address)
	return address != "" && portA == portB && (a == b || IsLoopback(a) && IsLoopback(b))
}
