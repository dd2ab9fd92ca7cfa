package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

// Parts of a client may not know yet what others were told.
var credentialLoop = rule("credential-loop", diagnose.Refusals|diagnose.HTTPResponses|diagnose.Finish,
	func(c *diagnose.Case) {
		x := c.Exchange
		tries := diagnose.Memory[refusedTries](c)
		if c.N == 0 {
			tries.report(c)
			return
		}
		if x == nil || c.Refusal == nil && (x.Status >= 300 || len(tries.last) == 0) {
			return
		}
		credential := x.Header("Authorization")
		what := hashOf(x.Path, credential)
		if c.Refusal == nil {
			c.Progress(-1, what)
			delete(tries.loops, x.Path)
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
		f := repeatedCredential(c, s, credential)
		if s.Count >= 8 { // it does not end by itself
			c.ReportAs(f.key, f.Finding)
			delete(tries.loops, x.Path)
		} else if len(tries.loops) < 1024 {
			made(&tries.loops)[x.Path] = f
		}
	})

// refusedTries are when the latest response with 401 came, by path and credential, and
// by path the loops from which the client has not found its way yet.
type refusedTries struct {
	last  map[uint64]int64
	loops map[string]credentialLap
}

// credentialLap is a credential that was sent again and again.
type credentialLap struct {
	diagnose.Finding
	key     string
	session int
}

// report reports those of the session in hand that were never let in.
func (r *refusedTries) report(c *diagnose.Case) {
	for _, path := range sortedKeys(r.loops) {
		if f := r.loops[path]; f.session == c.Session.Index {
			c.ReportAs(f.key, f.Finding)
		}
	}
}

func (r *refusedTries) note(what uint64, t int64) {
	if len(r.last) >= 1024 {
		clear(r.last)
	}
	made(&r.last)[what] = t
}

func repeatedCredential(c *diagnose.Case, s *diagnose.Streak, credential string) credentialLap {
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
	if challenge := wire.HeadValues(x.ResponseHead, "WWW-Authenticate"); challenge != "" {
		f.Message += ": " + quote(challenge)
	}
	f.Message += "."
	key := "with"
	if credential == "" {
		key = "without"
	}
	in := 0
	if c.Session != nil {
		in = c.Session.Index
	}
	return credentialLap{f, key, in}
}
