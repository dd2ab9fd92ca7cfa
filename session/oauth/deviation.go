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
// login: its request has a token in its URL, its refusal does not say how to get in. asked
// is the protocol version in force or else that was requested.
func (b *Book) Deviations(e *session.Event, asked mcp.Version) []Check {
	x := e.Exchange
	switch {
	case x == nil:
	case e.Kind == session.EventRequest:
		if strings.Contains("&"+x.Query, "&access_token=") && b.isMCP(x) {
			query, _ := url.ParseQuery(start(x.Query))
			n := uint64(x.RequestN)
			return []Check{check("token-in-query", val{b.mask(query.Get("access_token")), n}, val{"", n})}
		}
	case x.Status == 401:
		said := wire.HeadValues(x.ResponseHead, "WWW-Authenticate")
		if b.isMCP(x) {
			return b.challengeMissing(x, said, asked)
		}
	}
	return nil
}

// challengeMissing looks at a 401 that does not say how to get in. With a credential at
// hand the metadata are not what is missing.
func (b *Book) challengeMissing(x *session.Exchange, said string, asked mcp.Version) []Check {
	c := check("challenge-missing", val{clip(x.Verb + " " + x.Path), uint64(x.RequestN)}, val{})
	c.as("challenge-missing alone")
	c.B.Value, c.B.N = b.text(said), uint64(x.ResponseN)
	if asked == mcp.V20250618 {
		keyed := slices.ContainsFunc(b.flows, func(f *flow) bool { return f.accepted > 0 })
		if x.Header("Authorization") == "" && !keyed {
			c.Weight = "error"
		}
		if words.Contains(said, "bearer") && !words.Contains(said, "resource_metadata") {
			c.as("challenge-missing no metadata")
			return []Check{c}
		}
	}
	if said != "" {
		return nil
	}
	return []Check{c}
}
