package forward

import (
	"bytes"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// target is what a request to a proxy names: a whole URL (RFC 9112, 3.2.2). Only
// the authority is read; behind it stand whatever bytes the client wrote.
type target struct {
	given     string // the URL
	origin    string // HOST:PORT
	authority string // as it is spelled, without a user
	path      string // path and query, "" for none
}

// requestTarget is what stands between the method and the version in a head.
func requestTarget(head []byte) string {
	line, _ := wire.CutLine(head)
	_, rest, _ := strings.Cut(string(line), " ")
	return rest[:max(strings.LastIndexByte(rest, ' '), 0)]
}

// readTarget reads a target of http. why says what is wrong with one that names no
// certain server: it must not be taken for any.
func readTarget(given string) (t target, why string) {
	scheme, rest, whole := strings.Cut(given, "://")
	switch {
	case !whole || strings.ContainsAny(scheme, "/?#"):
		return t, "its target names no server: a request to a proxy has a whole URL"
	case !strings.EqualFold(scheme, "http"):
		return t, "its URL is not of http: servers of https are reached by CONNECT"
	}
	t = target{given: given, authority: rest}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		t.authority, t.path = rest[:i], rest[i:]
	}
	if user, at, ok := strings.Cut(t.authority, "@"); ok && !strings.ContainsAny(user, "\\ \t\r") {
		t.authority = at
	}
	if t.origin = readAuthority(t.authority, "80"); t.origin == "" {
		return t, "the server in its URL is ambiguous"
	}
	return t, ""
}

// readAuthority reads HOST or HOST:PORT and returns HOST:PORT as it compares, ""
// for what names no host in the one way in which all readers read it.
func readAuthority(given, usual string) string {
	host, port := given, ""
	if i := strings.LastIndexByte(given, ':'); i >= 0 && !strings.HasSuffix(given, "]") {
		host, port = given[:i], given[i+1:]
	}
	if port == "" {
		port = usual
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return ""
	}
	if in, ok := strings.CutPrefix(host, "["); ok {
		ip, err := netip.ParseAddr(strings.Replace(strings.TrimSuffix(in, "]"), "%25", "%", 1))
		if err != nil || !strings.HasSuffix(in, "]") || !ip.Is6() {
			return ""
		}
		host = ip.String()
	} else if host == "" || strings.ContainsFunc(host, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~", r)
	}) {
		return ""
	}
	return net.JoinHostPort(words.Fold(host), strconv.FormatUint(n, 10))
}

// pathOf is the path and query of a whole URL, as they are spelled.
func pathOf(given string) string {
	scheme, rest, ok := strings.Cut(given, "://")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		return given
	}
	i := strings.IndexAny(rest, "/?#")
	switch {
	case i < 0:
		return "/"
	case rest[i] != '/':
		return "/" + rest[i:]
	}
	return rest[i:]
}

// proxyFields are for a proxy and go no further: without one they were not sent.
var proxyFields = []string{"Proxy-Authorization", "Proxy-Connection"}

// onward is a head as it would have been sent to the server without a proxy, and
// what was changed. The server is that of the URL, whatever Host says (RFC 9112,
// 3.2.2).
func (t target) onward(head []byte) (out []byte, edits []wire.Edit) {
	method, rest, _ := bytes.Cut(head, []byte(" "))
	now := pathOf(t.given)
	if t.path == "" && string(method) == "OPTIONS" {
		now = "*" // RFC 9112, 3.2.4
	}
	edits = append(edits, wire.Edit{What: wire.EditTarget, Was: t.given, Now: now})
	version, lines, _ := bytes.Cut(rest[len(t.given):], []byte("\n"))
	version = append(version[:len(version):len(version)], '\n')
	eol := "\n"
	if bytes.HasSuffix(version, []byte("\r\n")) {
		eol = "\r\n"
	}
	out = slices.Concat(method, []byte(" "+now), version)
	begin, hosts, all := len(out), 0, fields(lines)
	for _, f := range all {
		if strings.EqualFold(f.name, "Host") {
			hosts++
		}
	}
	for _, f := range all {
		switch {
		case isProxyField(f.name):
			edits = append(edits, wire.Edit{What: wire.EditProxyField, Was: f.name})
		case !strings.EqualFold(f.name, "Host") || hosts == 1 && sameHost(f.value, t.authority):
			out = append(out, f.raw...)
		case hosts > 0:
			edits = append(edits, wire.Edit{What: "host", Was: f.value, Now: t.authority})
			out = append(out, f.name+": "+t.authority+eol...)
			hosts = -1 // one is enough
		}
	}
	if hosts == 0 {
		edits = append(edits, wire.Edit{What: "host", Now: t.authority})
		out = slices.Insert(out, begin, []byte("Host: "+t.authority+eol)...)
	}
	return out, edits
}

// withoutProxyFields is a trailer as it is forwarded, and what was changed.
func withoutProxyFields(lines []byte) (out []byte, edits []wire.Edit) {
	return dropFields(lines, func(name, _ string) bool {
		if isProxyField(name) {
			edits = append(edits, wire.Edit{What: wire.EditProxyField, Was: name})
		}
		return isProxyField(name)
	}), edits
}

func isProxyField(name string) bool {
	return slices.ContainsFunc(proxyFields, func(f string) bool { return strings.EqualFold(f, name) })
}

// sameHost reports whether two spellings are one server of http.
func sameHost(a, b string) bool {
	one := readAuthority(a, "80")
	return one != "" && one == readAuthority(b, "80")
}

// field is a line of a head or a trailer, with the lines that continue it. White
// space before the colon belongs to no name. The last one has none: it is blank.
type field struct {
	raw         []byte
	name, value string
}

func fields(lines []byte) (all []field) {
	for line := range bytes.SplitAfterSeq(lines, []byte("\n")) {
		switch n := len(all); {
		case len(line) == 0:
		case n > 0 && (line[0] == ' ' || line[0] == '\t'):
			all[n-1].raw = slices.Concat(all[n-1].raw, line)
			all[n-1].value = strings.TrimSpace(all[n-1].value + " " + strings.TrimSpace(string(line)))
		default:
			name, value, _ := strings.Cut(string(line), ":")
			all = append(all, field{line, strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
	return all
}

// dropFields is a head, or a trailer, without the fields that drop names.
func dropFields(lines []byte, drop func(name, value string) bool) (out []byte) {
	for _, f := range fields(lines) {
		if !drop(f.name, f.value) {
			out = append(out, f.raw...)
		}
	}
	return out
}
