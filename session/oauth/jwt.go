package oauth

import (
	"encoding/base64"
	"strconv"
	"strings"

	"midwire/session/wire"
)

const (
	maxToken  = 16 << 10
	maxClaims = 32
)

// claims reads the payload of a JWT that the recording holds as it is. opaque
// says that it is held, and no JWT. The signature is not looked at.
func (b *Book) claims(token string) (all []Claim, opaque bool) {
	if strings.HasPrefix(b.mask(token), maskMark) {
		return nil, false
	}
	parts := strings.Split(token[:min(len(token), maxToken)], ".")
	if len(parts) != 3 {
		return nil, true
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || !wire.Valid(payload) {
		return nil, true
	}
	ok := wire.Each(payload, func(key, value []byte) bool {
		all = append(all, Claim{b.text(wire.Text([]byte(`"` + string(key) + `"`))), b.text(string(value))})
		return len(all) < maxClaims
	})
	return all, !ok && len(all) == 0
}

// claim is the JSON of a claim, "" for none.
func (g *grant) claim(name string) string {
	for _, c := range g.claims {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// audience lists those of a token.
func (g *grant) audience() []string {
	raw := []byte(g.claim("aud"))
	if one := wire.Text(raw); one != "" {
		return []string{one}
	}
	var all []string
	wire.Items(raw, func(_ int, v []byte) bool {
		all = append(all, wire.Text(v))
		return len(all) < maxList
	})
	return all
}

// expiry is when the token says that it ends, in seconds since 1970, 0 when it
// does not.
func (g *grant) expiry() int64 {
	n, err := strconv.ParseFloat(g.claim("exp"), 64)
	if err != nil || n < 0 || n > 1e12 {
		return 0
	}
	return int64(n)
}
