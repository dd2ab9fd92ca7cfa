package oauth

import (
	"net/url"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Deviations are what the exchange of an event has wrong by itself, whatever comes of the
// login: its request has a token in its URL, its refusal does not say how to get in, its
// metadata name what clients cannot use. noScope says that the refusal complains in words
// of a missing scope, asked is the protocol version in force or else that was requested.
func (b *Book) Deviations(e *session.Event, asked mcp.Version, noScope bool) []Check {
	x := e.Exchange
	switch {
	case x == nil:
	case e.Kind == session.EventRequest:
		if strings.Contains("&"+x.Query, "&access_token=") && b.isMCP(x) {
			query, _ := url.ParseQuery(start(x.Query))
			return []Check{tokenInQuery(b.mask(query.Get("access_token")), uint64(x.RequestN))}
		}
	case x.Status == 401 || x.Status == 403:
		said := wire.HeadValues(x.ResponseHead, "WWW-Authenticate")
		list := b.suspect(e, "resource_metadata", ChallengeParam(said, "resource_metadata"))
		if !b.isMCP(x) {
			return list
		}
		if x.Status == 401 {
			return append(list, b.challengeMissing(x, said, asked)...)
		}
		return b.challengeIncomplete(x, said, noScope)
	case x.Verb == "GET" && x.Status == 200 && e.Data != nil:
		return b.suspectMetadata(e)
	}
	return nil
}

func tokenInQuery(mask string, n uint64) Check {
	return Check{
		ID: "token-in-query", Rule: "token-in-query", Who: Client, Spec: "OAuth 2.1 5.1",
		Text: "The token stands in the URL, where logs keep it.",
		A:    Side{"access_token in the query", mask, n}, B: Side{"Authorization", "", n},
		Fix: "Send it in the Authorization header.",
	}
}

// challengeMissing looks at a 401 that does not say how to get in. With a credential at
// hand the metadata are not what is missing.
func (b *Book) challengeMissing(x *session.Exchange, said string, asked mcp.Version) []Check {
	c := Check{
		ID: "challenge-missing", Rule: "challenge-missing", Who: MCPServer, Spec: "RFC 9728 5.1",
		Text: "The 401 has no WWW-Authenticate header: it does not say where to log in.",
		A:    Side{"the request", clip(x.Verb + " " + x.Path), uint64(x.RequestN)},
		B:    Side{"WWW-Authenticate", b.text(said), uint64(x.ResponseN)},
	}
	if asked == mcp.V20250618 {
		keyed := slices.ContainsFunc(b.flows, func(f *flow) bool { return f.accepted > 0 })
		if x.Header("Authorization") == "" && !keyed {
			c.Weight = Grave
		}
		if words.Contains(said, "bearer") && !words.Contains(said, "resource_metadata") {
			c.Text = "The WWW-Authenticate header of the 401 does not say where the metadata is."
			return []Check{c}
		}
	}
	if said != "" {
		return nil
	}
	return []Check{c}
}

// challengeIncomplete looks at a 403 for a missing scope that does not say which.
func (b *Book) challengeIncomplete(x *session.Exchange, said string, noScope bool) []Check {
	var lacks []string
	if ChallengeParam(said, "error") != "insufficient_scope" {
		if !noScope {
			return nil
		}
		lacks = append(lacks, `error="insufficient_scope"`)
	}
	for _, name := range []string{"scope", "resource_metadata"} {
		if ChallengeParam(said, name) == "" {
			lacks = append(lacks, name)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return []Check{{
		ID: "scope-challenge-incomplete", Rule: "scope-challenge-incomplete", Who: MCPServer, Spec: "MCP authorization: Runtime Insufficient Scope Errors",
		Text: "The 403 is for a missing scope, and its WWW-Authenticate header does not say what the client needs to get it.",
		A:    Side{"the request", clip(x.Verb + " " + x.Path), uint64(x.RequestN)},
		B:    Side{"WWW-Authenticate lacks", strings.Join(lacks, ", "), uint64(x.ResponseN)},
	}}
}

// suspectMetadata looks at the URLs of metadata, of either server.
func (b *Book) suspectMetadata(e *session.Event) (list []Check) {
	if strings.HasPrefix(e.Exchange.Path, ResourceWellKnown) {
		wire.Items(wire.Get(e.Data, "authorization_servers"), func(i int, v []byte) bool {
			list = append(list, b.suspect(e, "authorization_servers", wire.Text(v))...)
			return i < maxList
		})
		return list
	}
	if !strings.Contains(e.Exchange.Path, ServerWellKnown) && !strings.Contains(e.Exchange.Path, OpenIDWellKnown) {
		return nil
	}
	for _, name := range []string{"issuer", "authorization_endpoint", "token_endpoint", "registration_endpoint"} {
		list = append(list, b.suspect(e, name, wire.Text(wire.Get(e.Data, name)))...)
	}
	return list
}

// suspect looks at a URL that a client cannot use.
func (b *Book) suspect(e *session.Event, name, value string) []Check {
	x, u := e.Exchange, words.ParseURL(value)
	if u == nil || words.IsLoopback(u.Host) {
		return nil
	}
	host := x.Header("Host")
	internal, plain := words.IsInternal(u.Host) && !words.IsInternal(host), u.Scheme == "http"
	c := Check{
		ID: "url-unreachable", Rule: "oauth-url-unreachable", Who: MCPServer, Spec: "OAuth 2.1 1.5",
		A: Side{"the client uses", b.text(host), uint64(x.RequestN)}, B: Side{name, b.text(value), e.N},
	}
	switch {
	case internal && plain:
		c.Text = name + " is plain http and a host of a private network."
	case internal:
		c.Text = name + " is a host of a private network."
	case plain:
		c.Text = name + " is plain http."
	default:
		return nil
	}
	if !plain || words.IsUpstream(u.Host, x.Host, x.Upstream) {
		c.Weight = Warned
	}
	return []Check{c}
}
