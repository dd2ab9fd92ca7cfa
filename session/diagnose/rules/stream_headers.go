package rules

import (
	"bytes"
	"strings"

	"midwire/session/diagnose"
)

var streamHeaders = rule("stream-headers", diagnose.HTTPResponses, func(c *diagnose.Case) {
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
		c.Say(coding, "The stream of "+target(x)+" ("+frame(x.ResponseN)+") is compressed with "+quote(coding)+".",
			headFrames(x)...)
	}
	if cache := headerValues(x.ResponseHead, "Cache-Control"); !hasWord(cache, "no-cache", "no-store") {
		c.Say("cache", "The stream of "+target(x)+" ("+frame(x.ResponseN)+") has no Cache-Control: no-cache.", headFrames(x)...)
	}
})
