package rules

import (
	"bytes"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var oauthStepFailed = &diagnose.Rule{
	ID:       "oauth-step-failed",
	Title:    "The authorization server refused a step of the login",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Covers:   []string{"credential-refused*"},
	On:       diagnose.HTTPRequests | diagnose.Refusals | diagnose.Bodies,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil {
			return
		}
		m := diagnose.Memory[authServer](c)
		switch {
		case c.Refusal != nil:
			m.refused(c)
		case c.Kind == requestKind:
			if x.Verb == "POST" && x.Messages == 0 {
				m.refresh, m.x = bytes.Contains(c.Data, []byte("grant_type=refresh_token")), x.X
			}
		case x.Verb == "GET" && x.Status == 200 &&
			(strings.HasPrefix(x.Path, serverWellKnown) || strings.Contains(x.Path, openIDWellKnown)):
			m.register = pathOf(wire.Text(wire.Get(c.Data, "registration_endpoint")))
			m.token = pathOf(wire.Text(wire.Get(c.Data, "token_endpoint")))
		}
	},
}

// authServer is what is known of the authorization server.
type authServer struct {
	register, token string // paths
	x               uint32 // the latest POST that is no message
	refresh         bool   // it asks for a new token with a refresh token
}

func (m *authServer) step(x *session.Exchange) string {
	switch {
	case x.Path == m.register || strings.HasSuffix(x.Path, "/register"):
		return "registration"
	case x.Path == m.token || strings.HasSuffix(x.Path, "/token"):
		return "token"
	}
	return ""
}

func (m *authServer) refused(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "POST" || x.Messages > 0 || c.Refusal.RPC {
		return
	}
	step := m.step(x)
	name := wire.Text(wire.Get([]byte(c.Refusal.Text), "error"))
	switch name {
	case "authorization_pending", "slow_down", "use_dpop_nonce":
		return // part of the way
	}
	known := m.register != "" || m.token != ""
	if step == "" || name == "" && !known || m.refresh && m.x == x.X && name == "invalid_grant" {
		return // no OAuth, or a refresh token that has expired: the client logs in again
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	f.Message = "The " + step + " request " + target(x) + " (" + frame(x.RequestN) + ") was refused with " + httpStatus(int(x.Status))
	if name != "" {
		f.Message += ": " + quote(name)
	}
	if why := wire.Text(wire.Get([]byte(c.Refusal.Text), "error_description")); why != "" {
		f.Message += ", " + quote(why)
	}
	f.Message += "."
	if x.Status >= 500 || x.Status == 404 || x.Status == 405 {
		f.Side = diagnose.Server
	}
	c.ReportAs(step+name, f)
}
