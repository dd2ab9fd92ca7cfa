package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var oauthMetadataNotRequested = rule("oauth-metadata-not-requested", lookupOn, func(c *diagnose.Case) {
	l := lookupOf(c)
	if c.Exchange != nil || l.named == "" || l.asked || l.server.n != 0 || len(l.failed) == 0 || l.served {
		return
	}
	f := diagnose.Finding{}
	var tries []string
	for _, a := range l.failed {
		f.Frames = append(f.Frames, a.n)
		tries = append(tries, "GET "+a.path+" gave "+httpStatus(a.status))
	}
	f.Frames = append(f.Frames, l.challenge)
	f.Message = "The 401 (" + frame(l.challenge) + ") names the metadata " + quote(l.named) +
		", which the client did not request. It looked for an authorization server at the MCP server: " + strings.Join(tries, ", ") + "."
	c.ReportAs(l.named, f)
})
