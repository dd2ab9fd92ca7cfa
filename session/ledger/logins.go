package ledger

import (
	"bytes"
	"net/url"
	"strings"

	"midwire/session"
	"midwire/session/wire"
)

// Rows of the table about logins: they are of no session. Credentials are masks, or are
// hashed here; none is kept.

const maxForm = 8 << 10

// codeGiven opens the debt of the token request: the browser came back with a code, or
// was sent back with one.
func codeGiven(l *Ledger, e *session.Event) *Debt {
	x, query := e.Exchange, e.Exchange.Query
	switch {
	case x.Messages > 0 || x.Verb != "GET":
		return nil
	case e.Kind == session.EventResponse:
		if x.Status/100 != 3 {
			return nil
		}
		_, query, _ = strings.Cut(x.ResponseHeader("Location"), "?")
	}
	v, _ := url.ParseQuery(query[:min(len(query), maxForm)])
	if v.Get("code") == "" || v.Get("state") == "" {
		return nil
	}
	return l.due(Token, -1, Whole, wire.ToServer, e.N, e.T)
}

func tokenAsked(_ *Ledger, e *session.Event) (int32, session.Ending) {
	if e.Kind == session.EventRequest && e.Exchange.Verb == "POST" && e.Exchange.Messages == 0 &&
		bytes.Contains(e.Data[:min(len(e.Data), maxForm)], []byte("grant_type=authorization_code")) {
		return -1, session.Served
	}
	return 0, 0
}

// tokenGiven opens the debt of using a token. The latest one counts.
func tokenGiven(l *Ledger, e *session.Event) *Debt {
	x := e.Exchange
	if e.Kind != session.EventBody || x.Verb != "POST" || x.Status != 200 || x.Messages > 0 {
		return nil
	}
	token := wire.Said(wire.Get(e.Data, "access_token"))
	if token == "" {
		return nil
	}
	l.end(keyOf(-1, TokenUse), session.Withdrawn, e.N, e.T)
	d := l.due(TokenUse, -1, Whole, wire.ToServer, e.N, e.T)
	if d.id = hash([]byte(token)); strings.HasSuffix(token, anyToken) {
		d.id = 0 // the mask stands for any token
	}
	return d
}

const anyToken = "redacted"

// tokenUsed is a request with the token that was issued last, or with one of which the
// recording does not say which.
func tokenUsed(l *Ledger, e *session.Event) (int32, session.Ending) {
	s := l.slot(-1, TokenUse)
	if s == nil || e.Kind != session.EventRequest {
		return 0, 0
	}
	_, token, _ := strings.Cut(e.Exchange.Header("Authorization"), " ")
	fits := s.id == 0 || strings.HasSuffix(token, anyToken) || s.id == hash([]byte(token))
	if token != "" && fits && s.N < uint64(e.Exchange.RequestN) {
		return -1, session.Served
	}
	return 0, 0
}
