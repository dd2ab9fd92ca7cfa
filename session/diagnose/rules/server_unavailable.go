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
