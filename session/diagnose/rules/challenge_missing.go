package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/words"
)

var challengeMissing = rule("challenge-missing", diagnose.Refusals|diagnose.Results, func(c *diagnose.Case) {
	x := c.Exchange
	keyed := diagnose.Memory[servesKeys](c)
	if c.Refusal == nil {
		if x != nil && x.Header("Authorization") != "" {
			*keyed = true
		}
		return
	}
	if x == nil || x.Status != 401 || !isMCP(c) || aboutSession(c) {
		return
	}
	rev := c.ProtocolVersion()
	if rev == "" && c.Facts != nil && c.Facts.Init != nil {
		rev = c.Facts.Init.Requested
	}
	challenge := headerValues(x.ResponseHead, "WWW-Authenticate")
	f := diagnose.Finding{Frames: headFrames(x)}
	f.Message = c.Server() + " responded to " + target(x) + " (" + frame(x.RequestN) + ") with 401"
	switch {
	case challenge == "":
		f.Message += " and no WWW-Authenticate header."
	case rev == mcp.V20250618 && hasWord(challenge, "bearer") && !hasWord(challenge, "resource_metadata"):
		f.Message += " and WWW-Authenticate " + quote(challenge) + ", which does not say where its metadata is."
	default:
		return
	}
	if rev == mcp.V20250618 && x.Header("Authorization") == "" && !bool(*keyed) {
		f.Severity = diagnose.Error // with a credential at hand the metadata are not what is missing
	}
	c.ReportAs(words.Fold(challenge), f)
})

// servesKeys says that a request with a credential was served in this recording: it is
// there, whatever a login would need.
type servesKeys bool
