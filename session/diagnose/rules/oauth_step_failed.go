package rules

import (
	"bytes"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var oauthStepFailed = rule("oauth-step-failed", diagnose.OtherRequests|diagnose.Refusals|diagnose.OtherBodies,
	func(c *diagnose.Case) {
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
				m.method = clientAuthOf(x, c.Data)
			}
		case x.Verb == "POST" && x.Status/100 == 2 && x.Messages == 0 && m.step(x) == "registration":
			if wire.Get(c.Data, "client_id") != nil {
				m.registered = c.N
			}
		case x.Verb == "GET" && x.Status == 200 &&
			(strings.HasPrefix(x.Path, serverWellKnown) || strings.Contains(x.Path, openIDWellKnown)):
			m.register = pathOf(wire.Text(wire.Get(c.Data, "registration_endpoint")))
			m.token = pathOf(wire.Text(wire.Get(c.Data, "token_endpoint")))
			m.metadata, m.methods = c.N, nil
			wire.Items(wire.Get(c.Data, "token_endpoint_auth_methods_supported"), func(_ int, v []byte) bool {
				m.methods = append(m.methods, text(v))
				return len(m.methods) < 16
			})
		}
	})

// authServer is what is known of the authorization server.
type authServer struct {
	register, token string // paths
	x               uint32 // the latest POST that is no message
	refresh         bool   // it asks for a new token with a refresh token
	method          string // how it says which client it is of
	registered      uint64 // frame that issued a client id
	metadata        uint64 // frame of the metadata
	methods         []string
}

// clientAuthOf is how a request for a token authenticates the client (RFC 8414 2).
func clientAuthOf(x *session.Exchange, body []byte) string {
	switch {
	case words.HasPrefix(x.Header("Authorization"), "basic "):
		return "client_secret_basic"
	case bytes.Contains(body, []byte("client_assertion=")):
		return "private_key_jwt"
	case bytes.Contains(body, []byte("client_secret=")):
		return "client_secret_post"
	}
	return "none"
}

// unknownClient says who is wrong when the server does not know a client that it
// registered itself.
func (m *authServer) unknownClient(f *diagnose.Finding) {
	offered := slices.Contains(m.methods, m.method) || len(m.methods) == 0 && m.method == "client_secret_basic"
	switch {
	case m.registered == 0:
	case offered:
		f.Side, f.Confidence = diagnose.Server, diagnose.Likely
		f.Frames = append(f.Frames, m.registered, m.metadata)
		f.Message += " The server had registered the client (" + frame(m.registered) + "), and its metadata (" + frame(m.metadata) + ") offers the client authentication that the request uses, " + m.method + "."
		f.Cause = "The token endpoint does not read the credentials where its metadata says, or has lost the registration: it was restarted, or several instances do not share their store."
		f.Remedies = fixes(inAuthServer("accept " + m.method + " at the token endpoint, or take it out of token_endpoint_auth_methods_supported; keep registrations in a store that lasts."))
	case len(m.methods) > 0:
		f.Frames = append(f.Frames, m.metadata)
		f.Message += " The request uses the client authentication " + m.method + "; the metadata (" + frame(m.metadata) + ") offers " + strings.Join(m.methods, ", ") + "."
		f.Cause = "The client does not authenticate as the server wants it."
		f.Remedies = fixes(inClient("use a client authentication that token_endpoint_auth_methods_supported lists."))
	}
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
	named := map[string]string{"registration": m.register, "token": m.token}[step]
	if named != "" && named != x.Path && (x.Status == 404 || x.Status == 405) {
		f.Side = diagnose.Client
		f.Frames = append(f.Frames, m.metadata)
		f.Message += " The metadata (" + frame(m.metadata) + ") names " + quote(named) + " for this step."
		f.Cause = "The client does not use the endpoint of the metadata, and guesses a path instead."
		f.Remedies = fixes(inClient("take registration_endpoint and token_endpoint from the metadata of the authorization server. Until then: register the client by hand and configure its client id."))
	}
	if name == "invalid_client" && step == "token" && m.x == x.X {
		m.unknownClient(&f)
	}
	c.ReportAs(step+name, f)
}
