package rules

import (
	"bytes"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var corsPreflightRefused = rule("cors-preflight-refused", diagnose.PageResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Verb != "OPTIONS" || x.Header("Origin") == "" || x.Header("Access-Control-Request-Method") == "" {
		return
	}
	why := preflight(x)
	if why == "" {
		return
	}
	c.Say(why, "A page of "+quote(x.Header("Origin"))+" asked whether it may send "+x.Header("Access-Control-Request-Method")+" "+x.Path+" ("+frame(x.RequestN)+"): the response "+why+".",
		headFrames(x)...)
})

// preflight says what a browser misses in the response, "" for nothing.
func preflight(x *session.Exchange) string {
	switch method := x.Header("Access-Control-Request-Method"); {
	case x.Status < 200 || x.Status > 299:
		return "is " + httpStatus(int(x.Status))
	case !allowsOrigin(x):
		return "does not allow this origin"
	case method != "GET" && method != "HEAD" && method != "POST" && !allows(x, "Access-Control-Allow-Methods", method):
		return "does not allow the method " + method
	}
	var missing []string
	for name := range strings.SplitSeq(wire.HeadValues(x.RequestHead, "Access-Control-Request-Headers"), ",") {
		if name = strings.TrimSpace(name); name != "" && !allows(x, "Access-Control-Allow-Headers", name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return "does not allow the headers " + strings.Join(missing, ", ")
	}
	return ""
}

// allows says whether a list in the response holds a name; a star holds all
// but Authorization.
func allows(x *session.Exchange, header, name string) bool {
	list := wire.HeadValues(x.ResponseHead, header)
	return listsToken(list, name) || listsToken(list, "*") && !strings.EqualFold(name, "authorization") && !withCredentials(x)
}

// allowsOrigin says whether the response lets the page read it.
func allowsOrigin(x *session.Exchange) bool {
	allowed := x.ResponseHeader("Access-Control-Allow-Origin")
	return allowed == x.Header("Origin") || allowed == "*"
}

// withCredentials says whether the page and server exchange cookies: then a
// star means nothing.
func withCredentials(x *session.Exchange) bool {
	return x.Header("Cookie") != "" && x.ResponseHeader("Access-Control-Allow-Credentials") == "true"
}

// hasOrigin says whether a request may have an Origin, at little cost.
func hasOrigin(x *session.Exchange) bool { return bytes.Contains(x.RequestHead, []byte("rigin:")) }

// isPage says whether a request comes from a web page of another origin, in a
// browser that keeps pages apart.
func isPage(x *session.Exchange) bool {
	origin := x.Header("Origin")
	u := words.ParseURL(origin)
	if u == nil || u.Scheme != "http" && u.Scheme != "https" || words.SameHost(u.Host, x.Header("Host"), u.Scheme) {
		return false
	}
	switch x.Header("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		return strings.HasPrefix(x.Header("User-Agent"), "Mozilla/5.0 (")
	}
	return x.Header("Sec-Fetch-Mode") == "cors"
}
