package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/words"
)

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
