package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var endpointEventMissing = rule("endpoint-event-missing", diagnose.SSE|diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	if c.Kind == endKind {
		silentStream(c)
		return
	}
	if x.Events != 1 || c.SSE.Name == "endpoint" || len(c.SSE.Data) == 0 || !beginsSSE(c) {
		return
	}
	if _, ok := wire.ScanMessage(c.SSE.Data); !ok {
		return
	}
	c.Say("", "The first event of the stream that "+target(x)+" opened ("+frame(x.RequestN)+") is a message; the client does not know yet where to post its own.",
		c.N, uint64(x.RequestN))
})

func beginsSSE(c *diagnose.Case) bool {
	x := c.Exchange
	return x.Verb == "GET" && (c.Session == nil || !c.Session.Modern && c.Facts.Init == nil) && x.SessionID == "" &&
		x.Header(mcp.HeaderVersion) == "" && x.Header(mcp.HeaderLastEventID) == ""
}

// silentStream looks at a stream that ended without an event, when no session was open
// at its URL.
func silentStream(c *diagnose.Case) {
	x := c.Exchange
	waited := c.T - x.ResponseT
	if !x.IsStream || x.Events > 0 || !beginsSSE(c) || c.By != wire.ByClient || waited < 2e9 {
		return
	}
	looked := diagnose.Memory[int](c)
	if *looked++; *looked > 32 {
		return
	}
	for _, s := range c.Sessions() {
		if s.Endpoint == x.Path {
			return // a stream of Streamable HTTP, where none need come
		}
	}
	f := withAdvice("silent stream of another transport", diagnose.Finding{
		Message: c.Client() + " opened a stream with " + target(x) + " (" + frame(x.RequestN) + "), outside of any session. In " + seconds(waited) + " no event came, and the client closed it.",
		Frames:  append([]uint64{c.N}, headFrames(x)...),
	})
	if by := between(x); by != "" || strings.HasSuffix(x.Path, "sse") {
		advise(&f, "endpoint event held back")
		if by != "" {
			f.Message += " The response came by way of " + quote(by) + "."
		}
	}
	c.ReportAs("silent", f)
}

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

var endpointRedirected = rule("endpoint-redirected", diagnose.OddResponses|diagnose.Finish, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil {
		diagnose.State[redirects](c).report(c)
		return
	}
	if x.Status < 301 || x.Status > 308 || x.Status == 304 || x.Messages == 0 && !isMCP(c) {
		return
	}
	to := x.ResponseHeader("Location")
	f := diagnose.Finding{
		Frames:  headFrames(x),
		Message: target(x) + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)) + " to " + quote(to),
	}
	if by := between(x); by != "" {
		f.Side = diagnose.Gateway
		f.Message += " from " + by
	}
	f.Message += redirected(x, to, &f) + "."
	if (x.Status < 307 && x.Verb == "POST") || f.Severity != 0 || c.Session == nil || c.Row < 0 {
		c.ReportAs(x.Path+" "+to, f)
		return
	}
	if r := diagnose.State[redirects](c); len(*r) < maxPaths {
		*r = append(*r, redirect{x.Path + " " + to, c.Row, c.N, f})
	}
})

// redirects are those of a session that a client may follow with all that it sent.
type redirects []redirect

type redirect struct {
	key     string
	row     int32
	n       uint64
	finding diagnose.Finding
}

// report reports them: what was followed did no harm.
func (r *redirects) report(c *diagnose.Case) {
	for _, one := range *r {
		row := c.Tracker().Row(int(one.row))
		if (row.Ending == session.NoEnding || row.Kind != session.RowCall) && c.ServedSince(one.n) {
			one.finding.Severity, one.finding.Harmless = diagnose.Note, true
			one.finding.Message += " The client followed it."
			one.key += " followed"
		}
		c.ReportAs(one.key, one.finding)
	}
	*r = nil
}

func redirected(x *session.Exchange, to string, f *diagnose.Finding) string {
	u := words.ParseURL(to)
	host := x.Header("Host")
	if x.Host != "" {
		host = x.Host
	}
	name, _ := words.HostName(host)
	what := ""
	if x.Status <= 303 {
		f.Severity = diagnose.Error
		what = ": clients then send a GET, and the message is lost"
	}
	switch {
	case to == "":
		f.Severity = diagnose.Error
		return ", and there is no Location to go to"
	case hasWord(to, "login", "signin", "sign-in", "sso", "/oauth2/", "authorize"):
		f.Severity, f.Side = diagnose.Error, diagnose.Gateway
		advise(f, "redirected to a login")
		return ", an interactive login that no MCP client can pass"
	case x.Past:
		advise(f, "redirected past midwire")
		url := words.Line(to, 200)
		if u.User != nil || u.RawQuery != "" {
			url = "URL"
		}
		f.Remedies = append(f.Remedies, diagnose.Remedy{Text: "Run midwire http " + url + " to record what follows."})
		return ", the server's own address: its client continues there, past midwire, or refuses to leave its origin" + what
	case u != nil && u.Scheme == "http" && wasTLS(x):
		f.Severity = diagnose.Error
		advise(f, "redirected down to http")
		return ", from https down to http: clients drop their Authorization, or refuse"
	case u != nil && u.Scheme == "https" && !wasTLS(x) && name == u.Hostname():
		f.Severity, f.Side = diagnose.Error, diagnose.Client
		advise(f, "redirected up to https")
		return ", the same host over https"
	case u != nil && !words.SameHost(u.Host, host, u.Scheme):
		f.Severity = diagnose.Error
		return ", another host: clients drop their Authorization, or refuse, and leave midwire"
	case strings.TrimSuffix(pathOf(to), "/") == strings.TrimSuffix(x.Path, "/"):
		return ", which differs only in the trailing slash" + what
	}
	return what
}

// wasTLS says whether the client's side of the server speaks TLS.
func wasTLS(x *session.Exchange) bool {
	return x.Proto != "" || strings.EqualFold(x.Header("X-Forwarded-Proto"), "https")
}

// pathOf is the path of a URL, absolute or not.
func pathOf(to string) string {
	if u := words.ParseURL(to); u != nil {
		return u.Path
	}
	to, _, _ = strings.Cut(to, "?")
	return to
}

var streamableURLAsSSE = rule("streamable-url-as-sse", diagnose.OtherResponses|diagnose.Requests|diagnose.Overall,
	func(c *diagnose.Case) {
		m := diagnose.Memory[sseAttempt](c)
		x := c.Exchange
		switch {
		case c.Row < 0 && x == nil:
			m.report(c)
		case x == nil:
		case c.Kind == messageKind: // a client speaks Streamable HTTP, or has found the right endpoint
			if m.path != "" && c.Call.Method == mcp.Initialize {
				*m = sseAttempt{}
			}
		case isSSEAttempt(c):
			if m.count++; m.count == 1 {
				m.path, m.status, m.first = x.Path, int(x.Status), headFrames(x)
				return
			}
			if m.count >= triesInEarnest {
				m.report(c)
			}
		}
	})

// triesInEarnest is how often a client asks in vain before that is no probe.
const triesInEarnest = 4

// sseAttempt is a stream that was asked for outside of a session, and refused.
type sseAttempt struct {
	path   string // "" for none, and when it was reported
	status int
	count  int
	first  []uint64
}

func isSSEAttempt(c *diagnose.Case) bool {
	x := c.Exchange
	if x.Status != 400 && x.Status != 404 && x.Status != 405 && x.Status != 406 || !isStreamGet(x) {
		return false
	}
	if listsToken(wire.HeadValues(x.RequestHead, "Accept"), mediaJSON) {
		return false // a client of HTTP+SSE takes nothing but a stream
	}
	return (c.Facts == nil || c.Facts.Init == nil && !c.Session.Modern) &&
		x.Header(mcp.HeaderSessionID) == "" && x.Header(mcp.HeaderVersion) == "" && x.Header(mcp.HeaderLastEventID) == ""
}

func (m *sseAttempt) report(c *diagnose.Case) {
	if m.path == "" {
		return
	}
	c.Say("", c.Client()+" asked for an event stream with GET "+m.path+" ("+frame(m.first[len(m.first)-1])+") outside of any session, got "+httpStatus(m.status)+", and posted no initialize.",
		m.first...)
	m.path = ""
}
