package rules

import (
	"midwire/session/diagnose"
	"midwire/session/oauth"
)

var oauthIssuerDiffers = rule("oauth-issuer-differs", lookupOn, func(c *diagnose.Case) {
	l := lookupOf(c)
	d := &l.server
	if c.Exchange != nil || d.n == 0 || d.issuer == "" || d.identifier == "" || d.midwire || !d.visible || !l.gaveUp() {
		return
	}
	asked, where := d.identifier, "the client asked for "+quote(d.identifier)+" ("+frame(d.request)+")"
	frames := []uint64{d.n, d.request}
	for _, s := range l.servers {
		if same, _ := oauth.SameIssuer(s, d.issuer); same {
			return
		}
		if same, slash := oauth.SameIssuer(s, d.identifier); same || slash {
			asked, where = s, "the server's metadata names "+quote(s)+" ("+frame(l.resource)+")"
			frames = append(frames, l.resource)
		}
	}
	if same, _ := oauth.SameIssuer(asked, d.issuer); same {
		return
	}
	c.Say(d.issuer, "The response to "+d.target+" ("+frame(d.n)+") has the issuer "+quote(d.issuer)+", and "+where+
		". The client went no further.", frames...)
})
