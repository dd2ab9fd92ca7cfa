package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var oauthServerMetadataMissing = &diagnose.Rule{
	ID:         "oauth-server-metadata-missing",
	Title:      "The authorization server that the server names has no metadata",
	Brief:      "no login server metadata",
	Severity:   diagnose.Error,
	Side:       diagnose.Server,
	Confidence: diagnose.Likely,
	Covers:     []string{"credential-refused*", "request-refused*"},
	On:         lookupOn,
	Check: func(c *diagnose.Case) {
		l := lookupOf(c)
		if c.Exchange != nil || l.resource == 0 || l.server.n != 0 || len(l.failed) == 0 || !l.gaveUp() {
			return
		}
		named := ""
		for _, s := range l.servers {
			if u, at := parseURL(s), parseURL(l.at); u != nil && at != nil && sameHost(u.Host, at.Host, u.Scheme) {
				named = s
			}
		}
		if named == "" {
			return // it is another server that the client asked
		}
		f := diagnose.Finding{}
		var tries []string
		for _, a := range l.failed {
			f.Frames = append(f.Frames, a.n)
			tries = append(tries, "GET "+a.path+" gave "+httpStatus(a.status))
		}
		f.Frames = append(f.Frames, l.resource)
		f.Message = "The server's metadata (" + frame(l.resource) + ") names the authorization server " + quote(named) +
			", which has no metadata: " + strings.Join(tries, ", ") + "."
		c.ReportAs(named, f)
	},
}
