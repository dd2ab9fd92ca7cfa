package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/oauth"
)

var scopeChallengeIncomplete = rule("scope-challenge-incomplete", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Status != 403 || !isMCP(c) {
		return
	}
	challenge := headerValues(x.ResponseHead, "WWW-Authenticate")
	named := oauth.ChallengeParam(challenge, "error") == "insufficient_scope"
	if !named && !c.Refusal.Means(sdkwords.ScopeMissing) {
		return
	}
	var missing []string
	if !named {
		missing = append(missing, `error="insufficient_scope"`)
	}
	for _, name := range []string{"scope", "resource_metadata"} {
		if oauth.ChallengeParam(challenge, name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return
	}
	c.Say(strings.Join(missing, " "), c.Server()+" refused "+target(x)+" ("+frame(x.RequestN)+") because of a missing scope, and its WWW-Authenticate header lacks "+strings.Join(missing, ", ")+".",
		headFrames(x)...)
})
