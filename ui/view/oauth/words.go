package oauth

import (
	"cmp"
	"slices"
	"strings"

	auth "midwire/session/oauth"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

func stateSign(sc *library.Scene, s auth.State) (safe.Text, term.Style) {
	switch s {
	case auth.Done:
		return sc.Glyphs.Ok, sc.Theme.Ok
	case auth.Failed:
		return sc.Glyphs.Err, sc.Theme.Err
	case auth.Skipped:
		return sc.Glyphs.Skipped, sc.Theme.Dim
	}
	return sc.Glyphs.Dot, sc.Theme.Faint
}

// statusStyle is what the response of a step looks like: red where it failed.
func statusStyle(sc *library.Scene, s *auth.Step, x *auth.Exchange) term.Style {
	last := x.Request == s.Exchanges[len(s.Exchanges)-1].Request
	switch {
	case x.Status >= 400 && (s.Kind == auth.Ask || s.State != auth.Failed):
		return sc.Theme.Warn
	case x.Status >= 400 || x.Status == 0 || s.State == auth.Failed && last:
		return sc.Theme.Err
	}
	return sc.Theme.Dim
}

var statusNames = map[int]safe.Text{
	200: " OK", 201: " Created", 202: " Accepted", 302: " Found", 400: " Bad Request", 401: " Unauthorized",
	403: " Forbidden", 404: " Not Found", 405: " Method Not Allowed", 429: " Too Many Requests", 500: " Server Error",
}

// requestName shortens what a request is: the places of metadata by what they are.
func requestName(what string) safe.Text {
	for _, one := range [][2]string{
		{"/.well-known/oauth-protected-resource", "resource metadata"},
		{"/.well-known/oauth-authorization-server", "OAuth metadata"},
		{"/.well-known/openid-configuration", "OpenID metadata"},
	} {
		if strings.Contains(what, one[0]) {
			return safe.Line(one[1])
		}
	}
	return safe.Line(what)
}

// leading is, by step, the link that leads to the next one, and what to call it.
var leading = [auth.Kinds]struct{ link, word, none string }{
	{"resource_metadata", "metadata at", "no metadata URL"},
	{"authorization_server", "ask", "no authorization server"},
	{"token_endpoint", "endpoints at", "no issuer"},
	{"client_id", "client_id", "no client_id"},
	{"redirect_uri", "back to", "no code"},
	{"state", "code, state", "no code"},
	{"access_token", "token", "no token"},
	{"access_token", "token", "no token"},
	{"access_token", "token", "no token"},
	{"scope", "scope", "no scope"},
}

func hostOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// value is what stands beside a step: the value for the next one, or why there is
// none.
func (d *drawing) value(i int) []term.Seg {
	th, s := d.sc.Theme, &d.f.Steps[i]
	lead := &leading[s.Kind]
	at := slices.IndexFunc(s.Links, func(l auth.Link) bool { return l.Name == lead.link })
	switch {
	case s.State == auth.Failed && !d.long[i]:
		return []term.Seg{term.S(th.Err, safe.Line(cmp.Or(d.came(s), lead.none)))}
	case s.State == auth.Failed && at < 0:
		return []term.Seg{term.S(th.Err, safe.Line(lead.none))}
	case s.State == auth.NotSeen:
		text := cmp.Or(s.Text, "not needed yet")
		if strings.HasSuffix(text, " is not in this recording") {
			text = "not in this recording"
		}
		return []term.Seg{term.S(th.Faint, safe.Line(text))}
	case s.State == auth.Skipped && at < 0:
		return []term.Seg{term.S(th.Dim, safe.Line(s.Text))}
	case at < 0:
		return []term.Seg{term.S(th.Dim, safe.Line(s.Text))}
	}
	value := s.Links[at].Value
	switch s.Kind {
	case auth.Resource, auth.Server, auth.Authorize:
		value = hostOf(value)
	case auth.Ask:
		_, value, _ = strings.Cut(value, "://")
	}
	return []term.Seg{term.S(th.Dim, safe.Line(lead.word)+" "), term.S(term.Underline, safe.Line(value))}
}

// unseen says which party is not in the recording, and what to do about it: not as
// long as the client may still ask it.
func unseen(sc *library.Scene, f *auth.Flow) []term.Seg {
	if !f.Unseen() || f.Outcome == auth.Open && sc.Rec.Live {
		return nil
	}
	return []term.Seg{
		term.S(sc.Theme.Warn, sc.Glyphs.Warn+" "), term.S(term.Plain, safe.Line(hostOf(f.AuthServer))),
		term.S(sc.Theme.Dim, " is not in this recording.  "),
		term.S(sc.Theme.Key, "midwire exec --host "+safe.Line(hostOf(f.AuthServer))+" "+sc.Glyphs.Ellipsis+" -- CLIENT"),
		term.S(sc.Theme.Dim, " records it"),
	}
}
