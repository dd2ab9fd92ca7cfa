package rules

import (
	"cmp"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/words"
)

var hostRejected = rule("host-rejected", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	form := x != nil && x.Verb == "POST" && x.Messages == 0 // of a login: it names other hosts
	if x == nil || form && x.Status != 421 || x.Status != 421 && x.Status != 403 && x.Status != 400 {
		return
	}
	if c.Refusal.Means(sdkwords.MidwireRejected) {
		refusedByUs(c)
		return
	}
	origin := blamesOrigin(c.Refusal)
	if !origin && x.Status != 421 && !c.Refusal.Means(sdkwords.HostRejected) {
		return
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	if origin {
		f.Message = c.Server() + " rejects the Origin " + quote(x.Header("Origin"))
		f.Remedies = fixes(inServer("add this origin to the allowed origins, if the page is yours."))
	} else {
		f.Message = c.Server() + " rejects the Host " + quote(cmp.Or(x.Host, x.Header("Host"))) + hostStory(x, &f)
		if servesOthers(c) {
			f.Severity = diagnose.Note // it may have done its duty
			f.Cause = "The server responds to other names. Either this name is missing on its list, or the request is an attack that the check is meant to stop."
		}
	}
	f.Message += ", and responded to " + target(x) + " with " + httpStatus(int(x.Status)) + because(c) + "."
	c.ReportAs(x.Header("Host")+" "+x.Header("Origin"), f)
})

// servesOthers says whether the server has responded anybody at this endpoint.
func servesOthers(c *diagnose.Case) bool {
	return slices.ContainsFunc(c.Responded(), func(s *session.Session) bool { return s.Endpoint == c.Exchange.Path })
}

func blamesOrigin(r *diagnose.Refusal) bool {
	return r.Means(sdkwords.OriginRejected)
}

// hostStory says what midwire has to do with the Host that the server got, and
// who must act then.
func hostStory(x *session.Exchange, f *diagnose.Finding) string {
	host := x.Header("Host")
	_, port := words.HostName(host)
	_, upstream := words.HostName(x.Upstream)
	switch {
	case x.Host != "" && x.Host != host:
		advise(f, "Host replaced by midwire")
		return ", which replaced " + quote(host)
	case x.Upstream != "" && port != upstream && words.IsLoopback(host) && words.IsLoopback(x.Upstream):
		advise(f, "Host with the port of midwire")
		return ", which is midwire's address, not the server's (" + x.Upstream + ")"
	}
	return ""
}

// refusedByUs reports a request that midwire itself turned down.
func refusedByUs(c *diagnose.Case) {
	x := c.Exchange
	name := x.Header("Host")
	if origin := x.Header("Origin"); origin != "" &&
		strings.Contains(c.Refusal.Text, strings.TrimPrefix(strings.TrimPrefix(origin, "https://"), "http://")) {
		name = origin
	}
	c.ReportAs("us "+name, withAdvice("midwire before a remote server", diagnose.Finding{
		Side:    diagnose.Client,
		Frames:  headFrames(x),
		Message: "midwire refused " + target(x) + ", as " + quote(name) + " is not a local name and the target is a remote server.",
	}))
}
