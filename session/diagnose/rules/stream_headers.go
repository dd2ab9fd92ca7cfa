package rules

import (
	"bytes"
	"strings"

	"midwire/session/diagnose"
)

var streamHeaders = &diagnose.Rule{
	ID:       "stream-headers",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	On:       diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if !x.IsStream || x.Status != 200 || c.Session == nil && x.Verb != "GET" {
			return
		}
		if !bytes.Contains(x.ResponseHead, []byte("ent-Encoding:")) && !bytes.Contains(x.ResponseHead, []byte("ent-encoding:")) &&
			bytes.Contains(x.ResponseHead, []byte("no-cache")) {
			return // the usual ones: the rule runs for every stream
		}
		coding := x.ResponseHeader("Content-Encoding")
		if coding != "" && !strings.EqualFold(coding, "identity") {
			c.ReportAs(coding, diagnose.Finding{
				Message: "The stream of " + target(x) + " (" + frame(uint64(x.ResponseN)) + ") is compressed with " + quote(coding) + ".",
				Frames:  headFrames(x),
			})
		}
		if cache := headerValues(x.ResponseHead, "Cache-Control"); !hasWord(cache, "no-cache", "no-store") {
			c.ReportAs("cache", diagnose.Finding{
				Message: "The stream of " + target(x) + " (" + frame(uint64(x.ResponseN)) + ") has no Cache-Control: no-cache.",
				Frames:  headFrames(x),
			})
		}
	},
}
