package oauth

import (
	"net/url"
	"slices"
	"strings"

	"midwire/session/words"
)

// Where metadata are, before the path of what they are about.
const (
	ResourceWellKnown = "/.well-known/oauth-protected-resource"
	ServerWellKnown   = "/.well-known/oauth-authorization-server"
	OpenIDWellKnown   = "/.well-known/openid-configuration"
)

// ChallengeParam is a parameter of WWW-Authenticate, "" for none.
func ChallengeParam(challenge, name string) string {
	lower := words.Fold(challenge)
	for from := 0; ; {
		i := strings.Index(lower[from:], name)
		if i < 0 {
			return ""
		}
		i += from
		from = i + len(name)
		value, ok := strings.CutPrefix(strings.TrimLeft(challenge[from:], " "), "=")
		if !ok || i > 0 && !strings.ContainsRune(" ,\t", rune(lower[i-1])) {
			continue
		}
		value = strings.TrimLeft(value, " ")
		if inside, quoted := strings.CutPrefix(value, `"`); quoted {
			value, _, _ = strings.Cut(inside, `"`)
			return value
		}
		if end := strings.IndexAny(value, ", "); end >= 0 {
			value = value[:end]
		}
		return value
	}
}

// MissingScopes are those of a list that another one has not.
func MissingScopes(want, has string) []string {
	all := strings.Fields(has)
	return slices.DeleteFunc(strings.Fields(want), func(s string) bool { return slices.Contains(all, s) })
}

// Identifier is the identifier of an authorization server that metadata at a URL are
// of, "" when they are none (RFC 8414 3, OpenID Connect Discovery 4).
func Identifier(at string) string {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" {
		return ""
	}
	for _, place := range []string{ServerWellKnown, OpenIDWellKnown} {
		if before, after, ok := strings.Cut(u.Path, place); ok && (before == "" || after == "") {
			return u.Scheme + "://" + u.Host + before + after
		}
	}
	return ""
}

// SameIssuer reports whether an issuer is an identifier. They must be equal to the last
// character (RFC 8414 3.3); slash says that they are but for a slash at the end.
func SameIssuer(identifier, issuer string) (same, slash bool) {
	same = identifier == issuer
	return same, !same && strings.TrimSuffix(identifier, "/") == strings.TrimSuffix(issuer, "/")
}

// slashDiffers says whether the resource is the URL of the client but for the slash at
// its end. The root of a server is the same with and without.
func (j *judge) slashDiffers() bool {
	a, b := j.prm.resource, j.url
	return a != b && strings.TrimSuffix(a, "/") == strings.TrimSuffix(b, "/") && strings.Trim(pathOf(b), "/") != ""
}

// nearResource is metadata of a resource above the endpoint: strict clients do not use it.
func (j *judge) nearResource(c *Check) {
	c.compare(j.url, j.asked.n)
	c.as("resource-differs above")
	if j.slashDiffers() {
		c.as("resource-differs slash")
	}
	root, own := false, false
	for _, a := range j.attempts[Resource].list {
		at := strings.HasSuffix(strings.TrimSuffix(pathOf(a.url), "/"), ResourceWellKnown)
		root, own = root || at, own || !at
	}
	if root && !own {
		c.as("resource-differs root", "path", pathOf(j.url))
	}
}
