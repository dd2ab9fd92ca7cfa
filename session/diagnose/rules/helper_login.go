package rules

import (
	"net/url"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

// logins is what a recording shows of the steps of logins. Rules that are asked about
// HTTPRequests and Bodies call seen.
type logins struct {
	last      uint64      // frame that was seen last
	resource  loginStep   // of the metadata of the server
	authorize loginStep   // the latest
	tokens    []loginStep // requests for a token, the latest last
}

// loginStep is one step of a login.
type loginStep struct {
	n, answered uint64 // frames
	x           uint32
	t           int64
	resource    string
	scope       string // that it asks for
	granted     string // that the response grants; "" when it does not say
	refresh     string // refresh token that it uses
	clean       bool   // a token was issued
}

const maxTokenSteps = 256

// loginOf is what is known of logins, the case in hand included.
func loginOf(c *diagnose.Case) *logins {
	l := diagnose.Shared[logins](c)
	x := c.Exchange
	if x == nil || x.Messages > 0 || c.N == l.last {
		return l
	}
	switch {
	case c.Kind == requestKind && x.Verb == "GET" && strings.Contains(x.Query, "response_type=code"):
		form, _ := url.ParseQuery(x.Query)
		l.authorize = loginStep{n: uint64(x.RequestN), t: c.T, x: x.X, resource: form.Get("resource"), scope: form.Get("scope")}
	case c.Kind == requestKind && x.Verb == "POST" && isTokenRequest(c.Data):
		l.token(c, x)
	case c.Kind == bodyKind && x.Verb == "GET" && x.Status == 200 && strings.HasPrefix(x.Path, resourceWellKnown):
		l.resource = loginStep{n: c.N, t: c.T, resource: wire.Text(wire.Get(c.Data, "resource"))}
	case c.Kind == bodyKind && x.Verb == "POST" && x.Status == 200:
		if s := l.stepOf(x.X); s != nil {
			s.answered, s.granted, s.clean = c.N, wire.Text(wire.Get(c.Data, "scope")), true
		}
	default:
		return l
	}
	l.last = c.N
	return l
}

func isTokenRequest(body []byte) bool {
	return len(body) < 1<<16 && strings.Contains(string(body), "grant_type=")
}

func (l *logins) token(c *diagnose.Case, x *session.Exchange) {
	form, _ := url.ParseQuery(string(c.Data))
	if len(l.tokens) >= maxTokenSteps {
		l.tokens = append(l.tokens[:0], l.tokens[1:]...)
	}
	l.tokens = append(l.tokens, loginStep{
		n: uint64(x.RequestN), t: c.T, x: x.X,
		resource: form.Get("resource"), scope: form.Get("scope"), refresh: form.Get("refresh_token"),
	})
}

// stepOf is the request for a token of an exchange, nil for none.
func (l *logins) stepOf(x uint32) *loginStep {
	if i := slices.IndexFunc(l.tokens, func(s loginStep) bool { return s.x == x }); i >= 0 {
		return &l.tokens[i]
	}
	return nil
}

// sameRefresh is an earlier request with the refresh token of one, nil for none. Masks
// of the same token are the same, but for those that say nothing.
func (l *logins) sameRefresh(s *loginStep) *loginStep {
	if s.refresh == "" || strings.HasSuffix(s.refresh, "redacted") {
		return nil
	}
	for i := range l.tokens {
		if old := &l.tokens[i]; old.n < s.n && old.refresh == s.refresh {
			return old
		}
	}
	return nil
}

// granted is the latest step that issued a token, nil for none.
func (l *logins) granted() *loginStep {
	for _, s := range slices.Backward(l.tokens) {
		if s.clean {
			return &s
		}
	}
	return nil
}
