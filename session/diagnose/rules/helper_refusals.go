package rules

import (
	"html"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

// posts says whether the refusal in hand is one of a message, or of a stream or the
// end of a session at the endpoint, by HTTP: what JSON-RPC alone says is left to others.
func posts(c *diagnose.Case) bool {
	x := c.Exchange
	return x != nil && c.Refusal.Status >= 400 && isMCP(c) && !c.Refusal.Means(sdkwords.MidwireRejected)
}

// refusalOf begins a finding about a refusal: what was sent, what came back and by
// whom it was sent.
func refusalOf(c *diagnose.Case) diagnose.Finding {
	x := c.Exchange
	f := diagnose.Finding{Frames: headFrames(x), Message: c.Client() + " sent " + target(x)}
	if name := rowName(c); x.Messages > 0 && name != "" && !strings.HasPrefix(name, x.Verb) {
		f.Message += " with " + quote(name)
	}
	f.Message += " (" + frame(x.RequestN) + ") and was refused with " + httpStatus(int(x.Status))
	if by := between(x); by != "" {
		f.Message += " by " + quote(by)
		f.Side = diagnose.Gateway
	}
	if wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaHTML) {
		f.Message += " and a web page"
		if says := pageText(c.Refusal.Text); says != "" {
			f.Message += ": " + quote(says)
		}
		if f.Side == 0 && x.ResponseHeader("X-Powered-By") == "" && x.Status != 500 && !c.Refusal.Says("csrf") {
			f.Side = diagnose.Gateway
		}
	} else {
		f.Message += because(c)
	}
	return f
}

// between names what stands before the server and made the response in hand or passed it on;
// "" when that is not known.
func between(x *session.Exchange) string { return operation.Between(x.ResponseHeader) }

// servedClients are, of each client, the session that was served last and the one before
// it: when, and which.
type servedClients map[session.Peer][2]servedAt

type servedAt struct {
	t       int64
	session int
}

// later reports whether the client of the session in hand was served in another
// session since.
func later(c *diagnose.Case, since int64) bool {
	all := diagnose.Standing(c, func(all *servedClients) {
		made((*map[session.Peer][2]servedAt)(all))
		for _, s := range c.Sessions() {
			f := c.FactsOf(s.Index)
			if f == nil || f.LastOK == 0 {
				continue
			}
			two, one := (*all)[s.Client], servedAt{f.LastOK, s.Index}
			switch {
			case one.t > two[0].t:
				two = [2]servedAt{one, two[0]}
			case one.t > two[1].t:
				two[1] = one
			}
			(*all)[s.Client] = two
		}
	})
	two := (*all)[c.Session.Client]
	if two[0].session == c.Session.Index {
		return two[1].t > since
	}
	return two[0].t > since
}

// pageText is what a web page of an error says, without its title where that says the same.
func pageText(page string) string {
	var b strings.Builder
	lower := words.Fold(page)
	for i := 0; i < len(page); {
		open := strings.IndexByte(page[i:], '<')
		if open < 0 {
			b.WriteString(page[i:])
			break
		}
		b.WriteString(page[i:i+open] + " ")
		i += open
		end := ">"
		for _, name := range []string{"script", "style", "title", "!--"} {
			if strings.HasPrefix(lower[i+1:], name) {
				end = map[string]string{"!--": "-->"}[name]
				if end == "" {
					end = "</" + name + ">"
				}
			}
		}
		close := strings.Index(lower[i:], end)
		if close < 0 {
			break
		}
		i += close + len(end)
	}
	text := html.UnescapeString(b.String())
	return strings.Join(strings.Fields(text), " ")
}

// initOf is the latest handshake of the session in hand, nil when none was
// seen.
func initOf(c *diagnose.Case) *diagnose.Init {
	if c.Facts == nil {
		return nil
	}
	return c.Facts.Init
}

// blamesHandshake says whether a refusal complains of a handshake that is
// missing or not complete.
func blamesHandshake(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.InitializeMissing, sdkwords.NotInitialized)
}

// blamesSession says whether a refusal complains of a session that is not
// known.
func blamesSession(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.SessionUnknown, sdkwords.SessionEnded)
}

// blamesMissingID says whether a refusal complains of a session id that is not
// there.
func blamesMissingID(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.SessionIDMissing)
}

// plain is what a JSON body says in words, of which it may have little room; a text as it is.
func plain(body string) string {
	raw := []byte(strings.TrimSpace(body))
	if len(raw) == 0 || raw[0] != '{' {
		return body
	}
	for _, path := range [][]string{{"error", "message"}, {"error_description"}, {"message"}, {"detail"}, {"title"}} {
		if said := text(wire.Get(raw, path...)); strings.TrimSpace(said) != "" {
			return said
		}
	}
	return body
}

// said quotes the text of a refusal, and its data if that is what speaks. It says whose
// words they are, where only one or two SDKs or gateways say so: with several programs in
// the path that shows which refused.
func said(r *diagnose.Refusal) string {
	text, names := quote(plain(r.Text)), r.SDKs()
	if strings.HasPrefix(strings.TrimSpace(r.Text), "<") {
		text = quote(pageText(r.Text))
	}
	if r.Data != "" && len(r.Words().Phrases) > 0 && len(sdkwords.Find(r.Code, r.Text).Phrases) == 0 {
		text += ", " + quote(r.Data)
	}
	if len(names) == 0 || len(names) > 2 {
		return text
	}
	for i, name := range names {
		if strings.HasSuffix(name, " SDK") {
			names[i] = "the " + name
		}
	}
	return text + ", in the words of " + strings.Join(names, " or ")
}
