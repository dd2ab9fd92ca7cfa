package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
)

var resourceParameterDiffers = rule("resource-parameter-differs", diagnose.OtherRequests|diagnose.OtherBodies,
	func(c *diagnose.Case) {
		x := c.Exchange
		l := loginOf(c)
		if c.Kind != requestKind || x.Messages > 0 {
			return
		}
		now := l.stepOf(x.X)
		if now == nil && l.authorize.x == x.X {
			now = &l.authorize
		}
		if now == nil || now.resource == "" {
			return
		}
		before, what := l.resource, "the metadata of the server"
		if l.authorize.resource != "" && now.n != l.authorize.n {
			before, what = l.authorize, "the request for authorization"
		}
		if throughUs(x, before.resource) || throughUs(x, now.resource) {
			return // one is the address of midwire, the other that of the server
		}
		if before.resource == "" || now.t-before.t > 600e9 ||
			strings.TrimSuffix(before.resource, "/") == strings.TrimSuffix(now.resource, "/") {
			return
		}
		c.Say(now.resource, target(x)+" ("+frame(now.n)+") names the resource "+quote(now.resource)+", and "+what+" ("+frame(before.n)+") "+quote(before.resource)+
			". The token is for another server than the one that is asked, or is refused.", now.n, before.n)
	})

// throughUs says whether a resource is the server behind midwire under its own address,
// which the client does not use.
func throughUs(x *session.Exchange, resource string) bool {
	u := parseURL(resource)
	return u != nil && !sameHost(u.Host, x.Header("Host"), u.Scheme) && isUpstream(x, u.Host)
}
