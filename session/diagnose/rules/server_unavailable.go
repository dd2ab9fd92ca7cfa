package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
	"midwire/session/words"
)

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
		f.Side = diagnose.Gateway
		f.Cause = "A gateway waits only so long for a response, and the call takes longer, or the server does not respond at all."
		f.Remedies = fixes(inGateway("raise the limit for this path (proxy_read_timeout, idle timeout of the load balancer)."), inServer("respond with an event stream that sends progress or comments, or make long work a task."))
	case vanished(c):
		f.Side = diagnose.Gateway
		f.Message += " Requests to this URL had worked."
		f.Cause = "The endpoint was there and is not any more: the server is being replaced or has started without its MCP route, or the gateway sends the path elsewhere now."
		f.Remedies = fixes(inServer("check that it is up with its MCP route."), inGateway("see what it does with this path."), inClient("try again later, and start with initialize."))
	case status == 500:
		f.Confidence = diagnose.Possible
		f.Cause = "An exception in the server, outside of a tool: in its web framework, its transport or its check of the request. Its log has the details."
		f.Remedies = fixes(inServer("look up the exception in its log at this time, and respond to failures with a JSON-RPC error."))
	case status == 503:
		f.Cause = "The server is starting, overloaded or switched off, or the gateway knows no healthy instance of it."
		f.Remedies = fixes(inServer("check that it runs and passes the health check of the gateway."), inClient("try again later, after Retry-After if it is there."))
		if after := x.ResponseHeader("Retry-After"); after != "" {
			f.Message += " Retry-After is " + quote(after) + "."
		}
	default:
		f.Side = max(f.Side, diagnose.Gateway)
		f.Cause = "A gateway got no usable response from the server behind it: its process is not running, listens elsewhere, was restarted, or closed the connection in the middle."
		f.Remedies = fixes(inServer("check that it runs, listens at the address that the gateway uses, and did not crash at this time."), inGateway("see the error it logged for this request."))
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
	f.Side, f.Confidence = diagnose.Server, diagnose.Certain
	text := r.Text
	switch {
	case words.Holds(text, "no such host", "server misbehaving", "name resolution"):
		f.Side = diagnose.Client
		f.Cause = "The name of the server does not exist in DNS, as seen from this machine."
		f.Remedies = fixes(anyone("Correct the host in the URL; check that the VPN or network that knows the name is connected."))
	case words.Holds(text, "TLS handshake: EOF", "first record does not look like"):
		f.Side, f.Confidence = diagnose.Unclear, diagnose.Likely
		f.Cause = "The port does not speak TLS, as https:// in the URL asks for, or closes the connection in the TLS handshake: for a name that it does not serve, or for want of a client's certificate."
		f.Remedies = fixes(anyone("For plain HTTP, use http:// in the URL, or the port that speaks TLS."))
	case words.Holds(text, "x509", "certificate", "tls:", "TLS handshake"):
		f.Cause = "The connection with TLS failed: the certificate is not valid for this name, has expired, or is signed by an authority that this machine does not know; or the port does not speak TLS."
		f.Remedies = fixes(inServer("install a valid certificate with its chain. For an authority of your own, add its certificate to this machine. For plain HTTP, use http:// in the URL."))
	case words.Holds(text, "refused"):
		f.Cause = "No process listens at the address: the server is not started, has crashed, or uses another port."
		f.Remedies = fixes(inServer("start it, and compare host and port with what it prints at its start."))
	case words.Holds(text, "timeout", "timed out", "unreachable", "no route"):
		f.Side = diagnose.Network
		f.Cause = "Nobody responds at the address: the machine is off, or a firewall drops the packets."
		f.Remedies = fixes(anyone("Check the address, the VPN and the firewall between this machine and the server."))
	default:
		f.Cause = "The connection to the server could not be opened, or was closed before it responded."
		f.Remedies = fixes(inServer("check that it runs, and that its URL is the one that midwire was started with."))
	}
}
