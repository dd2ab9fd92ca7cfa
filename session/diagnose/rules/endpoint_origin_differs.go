package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var endpointOriginDiffers = rule("endpoint-origin-differs",
	diagnose.SSE|diagnose.Taps|diagnose.StreamEnds|diagnose.Finish,
	func(c *diagnose.Case) {
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
			if url := string(c.SSE.Data); isForeign(x, url) || encodesColon(url) {
				m.list = append(m.list, foreignEndpoint{url, x.Header("Host"), x.X, c.N, uint64(x.RequestN)})
			}
		}
	})

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

// encodesColon says whether the colon behind the scheme of a URL is percent-encoded, as in a path.
func encodesColon(url string) bool {
	return words.HasPrefix(url, "http%3a") || words.HasPrefix(url, "https%3a")
}

func isForeign(x *session.Exchange, endpoint string) bool {
	u := words.ParseURL(endpoint)
	if u == nil {
		return false
	}
	return !words.SameHost(u.Host, x.Header("Host"), u.Scheme) && !words.IsUpstream(u.Host, x.Host, x.Upstream)
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
	if encodesColon(e.url) {
		advise(&f, "endpoint encoded")
		f.Message += ". Its colons are percent-encoded, so that it is a path and no URL with a host"
	}
	switch {
	case c.Session == nil || c.Session.Messages == 0:
		f.Message += ". The client posted nothing."
	case c.Facts == nil || c.Facts.LastOK == 0:
		f.Message += ". No request was served after it."
	default:
		f.Severity = diagnose.Note
		f.Message += ". This client posted there anyway."
	}
	c.ReportAs("", f)
}
