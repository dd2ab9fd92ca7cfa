package rules

import (
	"bytes"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
	"midwire/session/words"
)

var corsPreflightRefused = rule("cors-preflight-refused", diagnose.PageResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "OPTIONS" || x.Header("Origin") == "" || x.Header("Access-Control-Request-Method") == "" {
		return
	}
	why := preflight(x)
	if why == "" {
		return
	}
	c.Say(why, "A page of "+quote(x.Header("Origin"))+" asked whether it may send "+x.Header("Access-Control-Request-Method")+" "+x.Path+" ("+frame(x.RequestN)+"): the response "+why+".",
		headFrames(x)...)
})

// preflight says what a browser misses in the response, "" for nothing.
func preflight(x *session.Exchange) string {
	switch method := x.Header("Access-Control-Request-Method"); {
	case x.Status < 200 || x.Status > 299:
		return "is " + httpStatus(int(x.Status))
	case !allowsOrigin(x):
		return "does not allow this origin"
	case method != "GET" && method != "HEAD" && method != "POST" && !allows(x, "Access-Control-Allow-Methods", method):
		return "does not allow the method " + method
	}
	var missing []string
	for name := range strings.SplitSeq(wire.HeadValues(x.RequestHead, "Access-Control-Request-Headers"), ",") {
		if name = strings.TrimSpace(name); name != "" && !allows(x, "Access-Control-Allow-Headers", name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return "does not allow the headers " + strings.Join(missing, ", ")
	}
	return ""
}

// allows says whether a list in the response holds a name; a star holds all
// but Authorization.
func allows(x *session.Exchange, header, name string) bool {
	list := wire.HeadValues(x.ResponseHead, header)
	return listsToken(list, name) || listsToken(list, "*") && !strings.EqualFold(name, "authorization") && !withCredentials(x)
}

// allowsOrigin says whether the response lets the page read it.
func allowsOrigin(x *session.Exchange) bool {
	allowed := x.ResponseHeader("Access-Control-Allow-Origin")
	return allowed == x.Header("Origin") || allowed == "*"
}

// withCredentials says whether the page and server exchange cookies: then a
// star means nothing.
func withCredentials(x *session.Exchange) bool {
	return x.Header("Cookie") != "" && x.ResponseHeader("Access-Control-Allow-Credentials") == "true"
}

// hasOrigin says whether a request may have an Origin, at little cost.
func hasOrigin(x *session.Exchange) bool { return bytes.Contains(x.RequestHead, []byte("rigin:")) }

// isPage says whether a request comes from a web page of another origin, in a
// browser that keeps pages apart.
func isPage(x *session.Exchange) bool {
	origin := x.Header("Origin")
	u := words.ParseURL(origin)
	if u == nil || u.Scheme != "http" && u.Scheme != "https" || words.SameHost(u.Host, x.Header("Host"), u.Scheme) {
		return false
	}
	switch x.Header("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		return strings.HasPrefix(x.Header("User-Agent"), "Mozilla/5.0 (")
	}
	return x.Header("Sec-Fetch-Mode") == "cors"
}

// platformSaysWhy is about what stands in the place of a response in the words of what the
// server runs on or behind: a platform, a tunnel, a firewall.
var platformSaysWhy = rule("platform-says-why", diagnose.Refusals|diagnose.OddBodies, func(c *diagnose.Case) {
	x := c.Exchange
	page := c.Refusal == nil && x != nil && x.Status == 200 && wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaHTML)
	if !page && (c.Refusal == nil || !posts(c)) || x.Messages == 0 {
		return
	}
	said := words.Clip(c.Data, 4096)
	if c.Refusal != nil {
		said = []byte(c.Refusal.Text)
	}
	name := quote(rowName(c)) + " (" + frame(x.RequestN) + ")"
	m, ok := sdkwords.Find(0, string(said), string(x.ResponseHead)).Platform(int(x.Status))
	if !ok {
		return
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	if page {
		f.Message = target(x) + " with " + name + " got HTTP 200 and a web page: " + quote(pageText(string(said)))
	} else {
		f = refusalOf(c)
	}
	f.Message += "."
	advise(&f, m.String())
	c.ReportAs(m.String(), f)
})

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

var serverUnavailable = rule("server-unavailable", diagnose.Refusals|diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	cut := diagnose.Memory[cutStreams](c)
	if c.Refusal == nil {
		if x.IsStream && !c.Clean && c.By == wire.ByServer {
			*cut = cutStreams{n: c.N, head: uint64(x.RequestN)}
		}
		return
	}
	if !posts(c) || x.Status < 500 && x.Status != 408 && !vanished(c) || x.Status == 505 ||
		x.Status == 501 && !vanished(c) ||
		c.Refusal.RPC && (c.IsModern() || !c.Refusal.Means(sdkwords.TimedOut, sdkwords.Unavailable,
			sdkwords.BackendUnreachable)) ||
		aboutSession(c) || c.Refusal.Means(sdkwords.StreamGone) {
		return
	}
	f := refusalOf(c)
	if took := c.T - x.RequestT; took >= 1e9 {
		f.Message += ", after " + seconds(took)
	}
	f.Message += "."
	if x.Calls == 0 {
		f.Severity = diagnose.Warning
	}
	unavailable(c, &f)
	if c.Facts != nil && c.Facts.LastOK != 0 && c.Refusal.Says("midwire: cannot reach") {
		f.Message += " It had worked before"
		if cut.n != 0 {
			f.Message += ", and its stream (" + frame(cut.head) + ") was cut (" + frame(cut.n) + ")"
			f.Frames = append(f.Frames, cut.n)
		}
		f.Message += ": its process crashed, or was stopped or restarted."
	}
	c.ReportAs(number(x.Status)+between(x), f)
})

// cutStreams are the frames of the latest stream that a server cut: its beginning and
// its end.
type cutStreams struct{ head, n uint64 }

// unavailable says why a server may fail with that status, and what to do.
func unavailable(c *diagnose.Case, f *diagnose.Finding) {
	x, r := c.Exchange, c.Refusal
	switch status := x.Status; {
	case r.Says("midwire: cannot reach"):
		notReached(r, f)
	case status == 504 || status == 408 || status == 522 || status == 524 || r.Means(sdkwords.TimedOut):
		f.Side, f.Brief = diagnose.Gateway, "gateway timed out"
		advise(f, "a gateway waits only so long")
	case vanished(c):
		f.Message += " Requests to this URL had worked."
		advise(f, "endpoint vanished")
	case status == 500 && x.Header("Authorization") != "" && r.Says(`"error":"server_error"`):
		f.Brief = "token check failed"
		advise(f, "the check of the token failed")
	case status == 500 && r.Text == "" && f.Side == diagnose.Gateway:
		advise(f, "the gateway failed")
	case status == 500 && r.RPC:
		advise(f, "JSON-RPC error with 500")
	case status == 500:
		f.Seen = true
		advise(f, "exception outside of a tool")
	case status == 503 && c.Facts != nil && c.Facts.LastOK != 0 && !r.RPC:
		f.Seen = true
		advise(f, "served before, not now")
	case status == 503:
		advise(f, "no healthy server")
		if after := x.ResponseHeader("Retry-After"); after != "" {
			f.Message += " Retry-After is " + quote(after) + "."
		}
	default:
		f.Side = max(f.Side, diagnose.Gateway)
		advise(f, "no usable response")
	}
}

// vanished says whether a refusal says that there is no endpoint where there was one.
// With a session id it is the session that is gone.
func vanished(c *diagnose.Case) bool {
	switch x := c.Exchange; x.Status {
	case 404, 405, 410, 501:
		return x.Verb == "POST" && x.Calls > 0 && x.SessionID == "" && !c.Refusal.RPC && c.Facts != nil &&
			c.Facts.LastOK != 0 && (c.IsModern() || c.Session.ID == "") && c.Session.Endpoint == x.Path
	}
	return false
}

// notReached says why midwire itself could not reach the server.
func notReached(r *diagnose.Refusal, f *diagnose.Finding) {
	f.Side = diagnose.Server
	text := r.Text
	switch {
	case words.Holds(text, "no such host", "server misbehaving", "name resolution"):
		advise(f, "name not in DNS")
	case words.Holds(text, "TLS handshake: EOF", "first record does not look like"):
		f.Side = diagnose.Unclear
		advise(f, "no TLS at the port")
	case words.Holds(text, "x509", "certificate", "tls:", "TLS handshake"):
		advise(f, "TLS failed")
	case words.Holds(text, "refused"):
		advise(f, "nothing listens")
	case words.Holds(text, "timeout", "timed out", "unreachable", "no route"):
		advise(f, "no response from the network")
	default:
		advise(f, "connection not opened")
	}
}
