package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var endpointOriginDiffers = &diagnose.Rule{
	ID:       "endpoint-origin-differs",
	Title:    "The endpoint event sends the client to another origin",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "In the transport of 2024-11-05 the server sends the URL for messages. This URL has another scheme, host or port than the stream. Most clients refuse it and disconnect.",
		Wire:  "“event: endpoint” with an absolute URL of another origin than the GET, after which the client closes the stream. The client says “Endpoint origin does not match connection origin”.",
		Cause: "The server builds the URL from its listen address, or from a Host header that a gateway rewrote: an internal name, http behind a TLS proxy, another port.",
		Fix:   "In the server: send the endpoint as a path (“/messages?sessionId=…”), or build it from X-Forwarded-Host and X-Forwarded-Proto.",
		Spec:  "2024-11-05 basic/transports: HTTP with SSE",
		Example: `> GET /sse, Host: mcp.example.com
< event: endpoint
< data: http://10.0.0.7:8000/messages?session_id=5f2c`,
	},
	On: diagnose.SSE | diagnose.Taps | diagnose.Ends | diagnose.Finish,
	Check: func(c *diagnose.Case) {
		m := diagnose.Memory[foreignEndpoints](c)
		x := c.Exchange
		switch {
		case c.Kind == tapKind: // midwire has put that right itself
			if c.Frame.Kind == wire.KindEdit && text(wire.Get(c.Data, "what")) == "endpoint" {
				m.fixed = text(wire.Get(c.Data, "was"))
			}
		case x == nil:
			m.report(c, func(e foreignEndpoint) bool {
				return c.Session.ID != "" &&
					strings.Contains(e.url, c.Session.ID)
			})
		case c.Kind == endKind:
			m.report(c, func(e foreignEndpoint) bool { return e.x == x.X })
		case c.SSE.Name == "endpoint" && x.Verb == "GET" && len(m.list) < maxPaths:
			if url := string(c.SSE.Data); isForeign(x, url) {
				m.list = append(m.list, foreignEndpoint{url, x.Header("Host"), x.X, c.N, uint64(x.RequestN)})
			}
		}
	},
}

// foreignEndpoints are the endpoint events that name another origin, of
// streams that are open.
type foreignEndpoints struct {
	list  []foreignEndpoint
	fixed string // the latest endpoint whose origin midwire replaced
}

type foreignEndpoint struct {
	url, host string
	x         uint32
	n, get    uint64
}

func isForeign(x *session.Exchange, endpoint string) bool {
	u := parseURL(endpoint)
	if u == nil {
		return false
	}
	return !sameHost(u.Host, x.Header("Host"), u.Scheme) && !isUpstream(x, u.Host)
}

// report reports the endpoint of the session in hand, and how bad it was: a
// client that posts anyway did not mind.
func (m *foreignEndpoints) report(c *diagnose.Case, ofSession func(foreignEndpoint) bool) {
	i := slices.IndexFunc(m.list, ofSession)
	if i < 0 {
		return
	}
	e := m.list[i]
	m.list = slices.Delete(m.list, i, i+1)
	if e.url == m.fixed {
		return
	}
	f := diagnose.Finding{
		Message: "The endpoint event (" + frame(e.n) + ") names " + quote(e.url) + ", while the client had asked " + quote(e.host) + " for the stream (" + frame(e.get) + ")",
		Frames:  []uint64{e.n, e.get},
	}
	if c.Session == nil || c.Session.Messages == 0 {
		f.Message += ". The client posted nothing."
	} else {
		f.Severity = diagnose.Note
		f.Message += ". This client posted there anyway."
	}
	c.ReportAs("", f)
}
