package rules

import (
	"bytes"
	"strings"

	"midwire/session/diagnose"
)

var streamHeaders = &diagnose.Rule{
	ID:       "stream-headers",
	Title:    "An event stream is compressed or can be cached",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "Compression makes gateways and clients hold events back until a block is full. Intermediaries may store or buffer a stream that does not forbid caching. Both are legal, and a frequent cause of late events.",
		Wire:  "text/event-stream with Content-Encoding, or without Cache-Control: no-cache or no-store.",
		Cause: "A compression middleware or CDN treats the stream like any other response; or the server does not set the header.",
		Fix:   "In the server or gateway: exempt text/event-stream from compression, and send Cache-Control: no-cache.",
		Spec:  "WHATWG HTML 9.2; 2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `< 200 text/event-stream, Content-Encoding: gzip
< data: …`,
	},
	On: diagnose.HTTPResponses,
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
