package rules

import "midwire/session/diagnose"

var registrationNotOffered = rule("registration-not-offered", lookupOn, func(c *diagnose.Case) {
	l := lookupOf(c)
	d := &l.server
	offered := d.register != "" || d.documents
	if c.Exchange != nil || d.n == 0 || d.issuer == "" || offered || d.midwire || !d.visible || !l.gaveUp() {
		return
	}
	c.Say(d.issuer, "The metadata of the authorization server ("+frame(d.n)+", "+d.target+
		") has no registration_endpoint and does not announce client ID metadata documents. The client has no client_id and did not go on after 401 ("+frame(l.challenge)+").",
		d.n, d.request, l.challenge)
})
