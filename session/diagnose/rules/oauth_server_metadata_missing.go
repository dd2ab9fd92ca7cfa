package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var oauthServerMetadataMissing = rule("oauth-server-metadata-missing", lookupOn, func(c *diagnose.Case) {
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
})
