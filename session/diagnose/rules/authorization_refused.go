package rules

import (
	"net/url"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

var authorizationRefused = rule("authorization-refused", lookupOn, func(c *diagnose.Case) {
	l := lookupOf(c)
	x := c.Exchange
	if x == nil || x.Verb != "GET" || !strings.Contains(x.Query, "response_type=") {
		return
	}
	if (x.Status == 404 || x.Status == 405) && l.server.n == 0 {
		return // the place was guessed, and there is no authorization server
	}
	asked, _ := url.ParseQuery(x.Query)
	var name, why string
	switch {
	case c.Refusal != nil && x.Status >= 400 && !c.Refusal.RPC:
		name = wire.Text(wire.Get([]byte(c.Refusal.Text), "error"))
		if why = wire.Text(wire.Get([]byte(c.Refusal.Text), "error_description")); why == "" && name == "" {
			why = entraCode(c.Refusal.Text)
		}
	case c.Kind == responseKind && x.Status/100 == 3:
		u, err := url.Parse(x.ResponseHeader("Location"))
		if err != nil || u.Query().Get("error") == "" {
			return
		}
		name, why = u.Query().Get("error"), u.Query().Get("error_description")
	default:
		return
	}
	if slices.Contains([]string{"login_required", "interaction_required", "consent_required"}, name) {
		return // it was asked whether it would do without people
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	f.Message = "The request " + target(x) + " (" + frame(x.RequestN) + ") was refused with " + httpStatus(int(x.Status))
	if x.Status < 400 {
		f.Message = "The request " + target(x) + " (" + frame(x.RequestN) + ") came back to the client with an error"
	}
	for i, said := range []string{name, why} {
		if said != "" {
			f.Message += [...]string{": ", ", "}[i] + quote(said)
		}
	}
	f.Message += l.refusedFor(asked, name, why, &f) + "."
	c.ReportAs(name, f)
})

// entraCode is the code of an error on a page of Microsoft Entra, "" for none.
func entraCode(page string) string {
	i := strings.Index(page, "AADSTS")
	if i < 0 {
		return ""
	}
	end := i + len("AADSTS")
	for end < len(page) && page[end] >= '0' && page[end] <= '9' {
		end++
	}
	return page[i:end]
}

// refusedFor says what of a request for authorization was refused, and what to do.
func (l *lookup) refusedFor(asked url.Values, name, why string, f *diagnose.Finding) string {
	resource, redirect := asked.Get("resource"), asked.Get("redirect_uri")
	switch {
	case name == "access_denied":
		f.Severity, f.Side = diagnose.Note, diagnose.Unclear
		f.Cause = "The user did not agree, or may not use this client."
		f.Remedies = fixes(anyone("Agree in the browser."), inAuthServer("or allow the user and the client."))
		return ""
	case resource != "" && (name == "invalid_target" || strings.Contains(why, "AADSTS9010010") || strings.Contains(why, "AADSTS650053")):
		f.Side, f.Confidence = diagnose.Server, diagnose.Likely
		f.Cause = "The authorization server does not know the resource, or does not take it beside the scopes: Microsoft Entra wants the resource in the scopes."
		f.Remedies = fixes(inAuthServer("register the URL of the MCP server, in Entra as Application ID URI. Or use a client that can leave the parameter resource out."))
		return "; the request names the resource " + quote(resource)
	case name == "invalid_scope":
		f.Side = diagnose.Server
		f.Cause = "The client, or the user, may not have one of the scopes: often offline_access, which the server's metadata lists and the authorization server does not allow."
		f.Remedies = fixes(inAuthServer("allow the scopes for this client."), inServer("list in scopes_supported only what can be granted."))
		return "; the request asks for the scopes " + quote(asked.Get("scope"))
	case redirect != "" && len(l.registered) > 0 && !slices.Contains(l.registered, redirect) && hasWord(why+name, "redirect"):
		f.Confidence = diagnose.Certain
		f.Cause = "The client registers one redirect_uri and asks for authorization with another. They must be equal."
		f.Remedies = fixes(inClient("register the redirect_uri that its requests for authorization name."))
		return "; the request names the redirect_uri " + quote(redirect) + ", and the client had registered " + quote(strings.Join(l.registered, ", "))
	case name != "" && (len(l.registered) == 0 || !hasWord(why, "redirect")):
		return ""
	case slices.Contains(l.registered, redirect) && redirect != "":
		f.Side = diagnose.Server
		f.Cause = "The authorization server has registered the client with this redirect_uri, and refuses the request: it compares the redirect_uri wrongly (the port of a loopback address must not count), or has lost the registration."
		f.Remedies = fixes(inAuthServer("compare redirect_uri with what was registered, without the port for loopback addresses (RFC 8252 7.3), and keep registrations."))
		return "; the client had registered the redirect_uri " + quote(redirect)
	case len(l.registered) == 0:
		f.Confidence = diagnose.Possible
		f.Cause = "The client uses a client_id from before, " + quote(asked.Get("client_id")) + ", which the authorization server does not know any more, or its redirect_uri is not registered."
		f.Remedies = fixes(inClient("delete the stored registration, so that it registers again; see the page in the browser."))
		return "; the client did not register in this recording"
	}
	return ""
}
