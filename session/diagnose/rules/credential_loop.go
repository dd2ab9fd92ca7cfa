package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var credentialLoop = &diagnose.Rule{
	ID:       "credential-loop",
	Title:    "The client sends a credential again that was refused",
	Brief:    "refused credential repeated",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	// Parts of a client may not know yet what others were told.
	Confidence: diagnose.Likely,
	On:         diagnose.Refusals | diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		tries := diagnose.Memory[refusedTries](c)
		if x == nil || c.Refusal == nil && (x.Status >= 300 || len(tries.last) == 0) {
			return
		}
		credential := x.Header("Authorization")
		what := hashOf(x.Path, credential)
		if c.Refusal == nil {
			c.Progress(-1, what)
			return
		}
		// Masks of the same credential are the same, but for those that say nothing.
		if x.Status != 401 || strings.HasSuffix(credential, "redacted") || aboutSession(c) {
			return
		}
		if at, ok := tries.last[what]; ok && x.RequestT <= at {
			return // it was on its way when the first was refused
		}
		tries.note(what, c.T)
		s := c.Again(-1, what, 401)
		if credential == "" && s.Count < 5 || s.Count < 3 {
			return
		}
		reportCredential(c, s, credential)
	},
}

// refusedTries are when the latest response with 401 came, by path and credential.
type refusedTries struct{ last map[uint64]int64 }

func (r *refusedTries) note(what uint64, t int64) {
	if len(r.last) >= 1024 {
		clear(r.last)
	}
	made(&r.last)[what] = t
}

func reportCredential(c *diagnose.Case, s *diagnose.Streak, credential string) {
	x := c.Exchange
	f := diagnose.Finding{Frames: append(headFrames(x), s.Frames...)}
	f.Message = c.Client() + " sent " + target(x) + " (" + frame(x.RequestN) + ") " + number(s.Count) + " times "
	if credential == "" {
		f.Message += "without a credential"
		f.Cause = "The client has no credential and does not begin to log in: it has no support for OAuth, nobody completed the login, or the token is missing in its configuration."
	} else {
		f.Message += "with the same credential"
	}
	f.Message += ", and got 401 each time"
	if challenge := headerValues(x.ResponseHead, "WWW-Authenticate"); challenge != "" {
		f.Message += ": " + quote(challenge)
	}
	f.Message += "."
	key := "with"
	if credential == "" {
		key = "without"
	}
	c.ReportAs(key, f)
}
