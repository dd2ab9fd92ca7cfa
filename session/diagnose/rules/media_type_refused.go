package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
)

var mediaTypeRefused = rule("media-type-refused", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Verb != "POST" || (!posts(c) || x.Messages == 0) && !compressed(x) ||
		x.Status != 415 && (x.Status != 400 || !c.Refusal.Means(sdkwords.ContentType)) {
		return
	}
	sent, coding := wire.HeadValues(x.RequestHead, "Content-Type"), wire.HeadValues(x.RequestHead, "Content-Encoding")
	f := refusalOf(c)
	switch {
	case compressed(x):
		f.Message += ". Its body has the Content-Encoding " + quote(coding)
		advise(&f, "compressed request refused")
	case sent == "":
		f.Side = diagnose.Client
		f.Message += ". It has no Content-Type"
	case !wire.IsMediaType(sent, mediaJSON):
		f.Side = diagnose.Client
		f.Message += ". Its Content-Type is " + quote(sent)
	default:
		if f.Side == 0 {
			f.Side = diagnose.Server
		}
		f.Message += ", although its Content-Type is " + quote(sent)
		advise(&f, "media type compared too strictly")
		if !strings.EqualFold(strings.TrimSpace(sent), mediaJSON) {
			f.Remedies = append(f.Remedies, inClient("until then, leave the parameter out."))
		}
	}
	f.Message += "."
	c.ReportAs(sent+coding, f)
})

// compressed says whether the body of a request is JSON in a coding.
func compressed(x *session.Exchange) bool {
	coding := x.Header("Content-Encoding")
	return coding != "" && !strings.EqualFold(coding, "identity") && wire.IsMediaType(x.Header("Content-Type"), mediaJSON)
}
