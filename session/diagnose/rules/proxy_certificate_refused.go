package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var proxyCertificateRefused = rule("proxy-certificate-refused", diagnose.Conns|diagnose.Overall,
	func(c *diagnose.Case) {
		m := diagnose.Memory[proxied](c)
		switch {
		case c.Kind != connKind:
			m.over(c)
		case c.Frame.Kind == wire.KindOpen:
			m.opened(c)
		default:
			m.closed(c)
		}
	})

// proxied is what is known of the connections to a forward proxy.
type proxied struct {
	open    map[uint32]caller // those that reached no server
	trusted map[string]bool   // hosts to which a client sent something
	left    map[string]leaver // hosts that a client left behind the handshake
	order   []string          // of left
}

type caller struct {
	n           uint64
	host, agent string
}

type leaver struct {
	caller
	times  int
	closed uint64
}

// maxProxied bounds what is remembered.
const maxProxied = 4096

func (m *proxied) opened(c *diagnose.Case) {
	host := wire.Said(wire.Get(c.Data, "host"))
	switch {
	case host == "" || wire.Said(wire.Get(c.Data, "proto")) == wire.ProtoTunnel:
	case wire.Get(c.Data, "upstream") != nil || wire.Get(c.Data, "error") != nil:
		made(&m.trusted)[host] = true
	case len(m.open) < maxProxied:
		made(&m.open)[c.Frame.Conn] = caller{c.N, host, wire.Said(wire.Get(c.Data, "agent"))}
	}
}

func (m *proxied) closed(c *diagnose.Case) {
	who, ok := m.open[c.Frame.Conn]
	if !ok {
		return
	}
	delete(m.open, c.Frame.Conn)
	alert := wire.Said(wire.Get(c.Data, "refused"))
	if alert == "" || m.trusted[who.host] && alert == wire.RefusedSilently {
		return
	}
	if alert != wire.RefusedSilently {
		who.report(c, false, "refused the certificate of midwire's proxy for "+quote(who.host)+": TLS alert "+alert+" ("+frame(c.N)+").", c.N)
		return
	}
	l, known := m.left[who.host]
	if !known && len(m.left) < maxProxied {
		m.order = append(m.order, who.host)
	}
	l.caller, l.closed = who, c.N
	if l.times++; l.times > 1 {
		l.leave(c, false)
	}
	made(&m.left)[who.host] = l
}

// over looks at hosts that a client left once, and never spoke to.
func (m *proxied) over(c *diagnose.Case) {
	for _, host := range m.order {
		if l := m.left[host]; l.times == 1 && !m.trusted[host] {
			l.leave(c, true)
		}
	}
}

func (l leaver) leave(c *diagnose.Case, seen bool) {
	l.report(c, seen, "left the connection to "+quote(l.host)+" behind the TLS handshake with midwire's proxy, without a request ("+frame(l.closed)+").", l.closed)
}

func (w caller) report(c *diagnose.Case, seen bool, what string, closed uint64) {
	name := "The client"
	if w.agent != "" {
		name += " (" + quote(w.agent) + ")"
	}
	f := diagnose.Finding{Seen: seen, Frames: []uint64{closed, w.n}, Message: name + " " + what}
	for _, r := range runtimes {
		if words.Contains(w.agent, r.agent) {
			f.Remedies = fixes(inClient("where it starts, set " + r.set + ". midwire exec sets it; midwire proxy prints it. " + noWay))
			break
		}
	}
	c.ReportAs(w.host+w.agent, f)
}

const noWay = "A program with a list of certificates of its own, or one pinned, cannot be seen so: put midwire http in front of the server, or leave the host out."

// runtimes are what runtimes read, by a part of their User-Agent.
var runtimes = []struct{ agent, set string }{
	{"codex", "CODEX_CA_CERTIFICATE"},
	{"claude", "NODE_EXTRA_CA_CERTS"},
	{"bun", "NODE_EXTRA_CA_CERTS"},
	{"deno", "DENO_CERT"},
	{"node", "NODE_EXTRA_CA_CERTS, which Node reads when it starts"},
	{"undici", "NODE_EXTRA_CA_CERTS, which Node reads when it starts"},
	{"go-http-client", "SSL_CERT_FILE; on macOS and Windows Go reads none and trusts the system's certificates alone"},
	{"curl", "CURL_CA_BUNDLE, or give curl --cacert"},
	{"python-requests", "REQUESTS_CA_BUNDLE"},
	{"python", "SSL_CERT_FILE"},
	{"httpx", "SSL_CERT_FILE"},
	{"aiohttp", "SSL_CERT_FILE"},
	{"reqwest", "SSL_CERT_FILE"},
	{"java", "JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=FILE with a store that holds the certificate"},
	{"electron", "the certificate as trusted in the system: Electron reads no variable"},
}
