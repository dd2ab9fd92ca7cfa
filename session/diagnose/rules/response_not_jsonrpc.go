package rules

import (
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var responseNotJSONRPC = rule("response-not-jsonrpc", diagnose.OddBodies|diagnose.Ends|diagnose.SSE|diagnose.Noise,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Calls == 0 || x.Verb != "POST" || x.Status != 200 || isSSE(c) {
			return
		}
		r := rowOf(c)
		if c.Kind == noiseKind && r.Parent >= 0 {
			r = c.Tracker().Row(int(r.Parent))
		}
		if r == nil || r.Kind != session.RowCall || r.Ending == session.Served {
			return
		}
		switch {
		case c.Kind == noiseKind:
			if kind := classifyBody(c.Data); x.IsStream && kind.half {
				halfEvent(c, c.Tracker().Name(r.Name), kind)
			}
		case x.IsStream:
			if c.Kind == sseKind && x.Events == 0 && isMessage(c.Data) { // without a field of an event
				reportBody(c, body{what: "JSON, and its head declares an event stream (Content-Type text/event-stream)", why: "message called a stream"})
			}
		case !wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaJSON):
		case c.Kind == bodyKind && c.Frame.Part == wire.Whole:
			notMessage(c)
		case c.Kind == endKind && r.Ending.Lost() && c.Clean && x.ResponseHeader("Content-Length") == "0":
			reportBody(c, emptyBody)
		}
	})

// notMessage looks at a body that is declared as JSON.
func notMessage(c *diagnose.Case) {
	if isMessage(c.Data) {
		return
	}
	coding := c.Exchange.ResponseHeader("Content-Encoding")
	switch kind := classifyBody(c.Data); {
	case len(c.Data) > 0:
		reportBody(c, kind)
	case coding != "" && len(c.Frame.Data) > 0 && isMessage(c.Frame.Data):
		reportBody(c, body{what: "not compressed, and its head says Content-Encoding " + quote(coding), why: "coding said, not used"})
	case coding != "" && len(c.Frame.Data) > 0:
		reportBody(c, body{what: "said to be compressed with " + quote(coding) + " (Content-Encoding), and cannot be decompressed", why: "another coding than said"})
	}
}

func isMessage(b []byte) bool {
	n, _ := wire.ScanMessages(b, func(int, wire.Message) bool { return false })
	return n > 0
}

func reportBody(c *diagnose.Case, kind body) {
	x := c.Exchange
	f := diagnose.Finding{Frames: headFrames(x)}
	advise(&f, kind.why)
	f.Message = quote(rowName(c)) + " (" + frame(x.RequestN) + ") got 200 and a body that is " + kind.what
	if c.Kind != endKind {
		f.Frames = append(f.Frames, c.N)
		f.Message += ": " + quote(strings.Join(strings.Fields(string(words.Clip(c.Data, 100))), " "))
	}
	f.Message += "."
	if between(x) != "" && kind.half {
		f.Side = diagnose.Gateway
	}
	c.ReportAs(rowName(c)+kind.what, f)
}

func halfEvent(c *diagnose.Case, method string, kind body) {
	x := c.Exchange
	f := diagnose.Finding{Frames: append([]uint64{c.N}, headFrames(x)...)}
	advise(&f, kind.why)
	f.Message = quote(method) + " (" + frame(x.RequestN) + ") got an event (" + frame(c.N) + ") whose data is " + kind.what + ", after " + number(len(c.Data)) + " bytes."
	if between(x) != "" {
		f.Side = diagnose.Gateway
	}
	c.ReportAs(method+kind.what, f)
}
