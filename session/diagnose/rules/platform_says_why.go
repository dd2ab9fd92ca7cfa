package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
	"midwire/session/words"
)

// platformSaysWhy is about what stands in the place of a response in the words of what the
// server runs on or behind: a platform, a tunnel, a firewall.
var platformSaysWhy = rule("platform-says-why", diagnose.Refusals|diagnose.OddBodies, func(c *diagnose.Case) {
	x := c.Exchange
	page := c.Refusal == nil && x != nil && x.Status == 200 && wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaHTML)
	if !page && (c.Refusal == nil || !posts(c)) || x.Messages == 0 {
		return
	}
	said := words.Clip(c.Data, 4096)
	if c.Refusal != nil {
		said = []byte(c.Refusal.Text)
	}
	name := quote(rowName(c)) + " (" + frame(x.RequestN) + ")"
	m, ok := sdkwords.Find(0, string(said), string(x.ResponseHead)).Platform(int(x.Status))
	if !ok {
		return
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	if page {
		f.Message = target(x) + " with " + name + " got HTTP 200 and a web page: " + quote(pageText(string(said)))
	} else {
		f = refusalOf(c)
	}
	f.Message += "."
	advise(&f, m.String())
	c.ReportAs(m.String(), f)
})
