package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

var refreshTokenMissing = rule("refresh-token-missing", diagnose.OtherBodies|diagnose.Refusals,
	func(c *diagnose.Case) {
		x, g := c.Exchange, diagnose.Memory[shortToken](c)
		switch {
		case x == nil:
		case c.Refusal == nil:
			g.issued(c)
		case x.Status == 401 && g.n != 0 && c.T >= g.t+g.life*1e9 && carries(x.Header("Authorization"), g.token):
			f := diagnose.Finding{Frames: append(headFrames(x), g.n)}
			f.Message = target(x) + " (" + frame(x.RequestN) + ") was refused with 401: its token was issued for " + number(int(g.life)) +
				" seconds (" + frame(g.n) + "), and without a refresh token."
			g.n = 0
			c.ReportAs("", f)
		}
	})

// shortToken is the latest token that was issued without a refresh token.
type shortToken struct {
	n     uint64
	t     int64
	life  int64 // seconds
	token string
}

func (g *shortToken) issued(c *diagnose.Case) {
	if c.Exchange.Status != 200 || c.Exchange.Verb != "POST" || wire.Get(c.Data, "access_token") == nil {
		return
	}
	*g = shortToken{}
	life, ok := wire.Int(wire.Get(c.Data, "expires_in"))
	if wire.Get(c.Data, "refresh_token") != nil || !ok || life <= 0 || life > 1<<31 {
		return
	}
	*g = shortToken{n: c.N, t: c.T, life: life, token: strings.Clone(wire.Text(wire.Get(c.Data, "access_token")))}
}

// carries says whether an Authorization header carries a token. A mask that stands
// for any token says nothing.
func carries(authorization, token string) bool {
	_, sent, ok := strings.Cut(authorization, " ")
	return ok && sent == token && token != "" && token != "redacted"
}
