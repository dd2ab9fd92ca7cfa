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

// onSocket is what the Host of a URL begins with that stands for a server on a UNIX socket; the
// file follows.
const onSocket = "unix:"

// SocketOf is the file of the UNIX socket of a server, "" for one on the network.
func SocketOf(u *url.URL) string {
	file, is := strings.CutPrefix(u.Host, onSocket)
	if !is || !strings.ContainsAny(file, `/\`) { // a host of that name, with a port
		return ""
	}
	return file
}

// HostOf is the Host of requests to a server.
func HostOf(u *url.URL) string {
	if SocketOf(u) != "" {
		return "localhost"
	}
	return u.Host
}

// ShowURL is the URL of a server as a user gives it: of one on a UNIX socket
// http://unix:FILE:PATH, as nginx and clients of Node write it.
func ShowURL(u *url.URL) string {
	if SocketOf(u) == "" {
		return u.String()
	}
	return u.Scheme + "://" + u.Host + ":" + u.RequestURI()
}

// ParseSocket reads what ShowURL writes of a server on a UNIX socket, nil for anything else.
func ParseSocket(s string) *url.URL {
	file, path, _ := strings.Cut(strings.TrimPrefix(s, "http://"+onSocket), ":")
	u, err := url.Parse(path)
	if !strings.HasPrefix(s, "http://"+onSocket) || err != nil || path != "" && path[0] != '/' {
		return nil
	}
	if u.Scheme, u.Host = "http", onSocket+file; SocketOf(u) == "" {
		return nil
	}
	return u
}
