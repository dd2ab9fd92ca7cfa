package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/oauth"
)

var scopeInsufficient = rule("scope-insufficient",
	diagnose.OtherRequests|diagnose.OtherBodies|diagnose.Refusals|diagnose.Results|diagnose.Finish,
	func(c *diagnose.Case) {
		x := c.Exchange
		switch {
		case c.N == 0 && c.Session != nil:
			diagnose.State[narrow](c).report(c, diagnose.Shared[logins](c))
		case x == nil:
		case c.Kind != messageKind && c.Refusal == nil:
			loginOf(c)
		case c.Session == nil:
		case c.Refusal == nil:
			if s := diagnose.State[narrow](c); s.n != 0 && c.Call != nil && x.Header("Authorization") != s.credential {
				*s = narrow{}
			}
		case posts(c) && x.Status == 403:
			diagnose.State[narrow](c).refused(c)
		}
	})

// narrow are the latest requests that were refused for want of a scope.
type narrow struct {
	n          uint64
	scope      string // that is wanted
	credential string
	finding    diagnose.Finding
	tries      int
	before     uint64 // frame of an earlier refusal for the same scope, with another token; 0 for none
}

func (s *narrow) refused(c *diagnose.Case) {
	x := c.Exchange
	challenge := headerValues(x.ResponseHead, "WWW-Authenticate")
	scope := oauth.ChallengeParam(challenge, "scope")
	if oauth.ChallengeParam(challenge, "error") != "insufficient_scope" && !c.Refusal.Says("insufficient_scope") || scope == "" {
		return // without scope, scope-challenge-incomplete says so
	}
	who := x.Header("Authorization")
	if s.n != 0 && s.scope == scope && s.credential == who {
		s.tries++
		if len(s.finding.Frames) < diagnose.MaxFrames {
			s.finding.Frames = append(s.finding.Frames, headFrames(x)...)
		}
		return
	}
	f := refusalOf(c)
	f.Side = diagnose.Client
	f.Message += ": the token lacks the scope " + quote(scope)
	next := narrow{n: c.N, scope: scope, credential: who, tries: 1}
	if s.n != 0 && s.scope == scope {
		next.before = s.n
		f.Frames = append(f.Frames, s.finding.Frames[:min(len(s.finding.Frames), diagnose.MaxFrames/2)]...)
	}
	next.finding, next.finding.T = f, c.T
	*s = next
}

func (s *narrow) report(c *diagnose.Case, l *logins) {
	if s.n == 0 {
		return
	}
	f := s.finding
	switch granted := l.granted(); {
	case s.before != 0 && granted != nil && granted.n > s.before && granted.refresh != "":
		f.Frames = append(f.Frames, granted.answered, granted.n)
		f.Message += ". That was so before (" + frame(s.before) + "), and the client refreshed its token in between (" + frame(granted.n) + ")"
		f.Cause = "A refresh brings a token with the scopes that were granted before, never more. The client holds a refresh token and uses that in place of a new authorization."
		f.Remedies = fixes(inClient("after insufficient_scope start a new authorization that asks for the scopes of the challenge, so that the user can agree; do not refresh."))
	case s.tries > 1:
		f.Message += ". It was sent " + number(s.tries) + " times with the same token"
	}
	asked, granted := l.authorize, l.granted()
	switch {
	case granted != nil && granted.granted != "" && len(oauth.MissingScopes(s.scope, granted.granted)) == 0:
		f.Side = diagnose.Server
		f.Frames = append(f.Frames, granted.answered)
		f.Message += ", and the token was issued with " + quote(granted.granted) + " (" + frame(granted.answered) + ")"
		f.Cause = "The server looks for the scope in another place or by another name than the authorization server writes it, or the client still uses an older token."
		f.Remedies = fixes(inServer("compare the claims of the token (scope, scp, roles) with what is checked."), inClient("use the latest token."))
	case asked.scope != "" && len(oauth.MissingScopes(s.scope, asked.scope)) == 0:
		f.Side = diagnose.Server
		f.Frames = append(f.Frames, asked.n)
		f.Message += ", and the client had asked for " + quote(asked.scope) + " (" + frame(asked.n) + ")"
		f.Cause = "The authorization server did not grant what was asked for: the user did not agree, or the client or the user may not have it."
		f.Remedies = fixes(inAuthServer("allow the scope for this client and this user, and agree to it when asked."))
	case s.tries == 1 && s.before == 0:
		if c.Session.Last > s.finding.T || c.AskedSince(s.n) || c.Until()-s.finding.T < 1e9 {
			return // the client may be about to ask for more, or does without
		}
		f.Severity, f.Confidence = diagnose.Warning, diagnose.Possible
		f.Message += ". The client sent nothing after that: it asked for no more scope"
	case asked.scope != "":
		f.Frames = append(f.Frames, asked.n)
		f.Message += "; the client had asked for " + quote(strings.TrimSpace(asked.scope)) + " (" + frame(asked.n) + ")"
	}
	f.Message += "."
	if c.ServedSince(s.n) {
		f.Severity = diagnose.Warning
	}
	c.ReportAs(s.scope, f)
}
