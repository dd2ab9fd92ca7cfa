package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var responseLengthWrong = rule("response-length-wrong",
	diagnose.HTTPResponses|diagnose.Bodies|diagnose.Ends|diagnose.Noise,
	func(c *diagnose.Case) {
		s := diagnose.Memory[bodyEnds](c)
		x := c.Exchange
		switch {
		case c.Kind == noiseKind:
			if c.Frame.Kind == wire.KindRaw && c.Dir == wire.ToClient {
				s.surplus(c)
			}
		case c.Kind == responseKind:
			if x.Conn == s.last.conn {
				s.last = bodyEnd{}
			}
		case x.Verb != "POST" || x.Messages == 0 || x.IsStream:
		case c.Kind == bodyKind:
			if c.Frame.Part == wire.Cut {
				s.cut = bodyEnd{x: x.X, n: c.N, got: len(c.Frame.Data)}
			}
		case c.Clean:
			s.last = bodyEnd{
				x: x.X, conn: x.Conn, n: uint64(x.ResponseN), asked: uint64(x.RequestN),
				promised: x.ResponseHeader("Content-Length"), gateway: between(x) != "",
			}
		case c.By == wire.ByServer && x.Status != 0 && x.Status < 400:
			s.brokeOff(c)
		}
	})

// bodyEnds is what is known of the ends of bodies: of the latest that was cut, and of
// the latest that was whole.
type bodyEnds struct{ cut, last bodyEnd }

type bodyEnd struct {
	x, conn  uint32
	n, asked uint64 // frames of the response and of the request
	got      int    // bytes that came
	promised string // Content-Length
	gateway  bool
}

// brokeOff looks at a response whose connection ended before its body did.
func (s *bodyEnds) brokeOff(c *diagnose.Case) {
	x := c.Exchange
	f := diagnose.Finding{Frames: append([]uint64{c.N}, headFrames(x)...)}
	if between(x) != "" || x.ResponseHeader("Via") != "" {
		f.Side = diagnose.Gateway
	}
	f.Message = "The response to " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") broke off (" + frame(c.N) + "): "
	arrived := "nothing of it came"
	if s.cut.x == x.X && s.cut.got > 0 {
		f.Frames = append(f.Frames, s.cut.n)
		arrived = words.Count(s.cut.got, "byte") + " came (" + frame(s.cut.n) + ")"
	}
	switch length := x.ResponseHeader("Content-Length"); {
	case hasWord(x.ResponseHeader("Transfer-Encoding"), "chunked"):
		f.Message += "the chunk that ends a body never came, or the chunks are not of the size that they say; " + arrived
		f.Cause = "The server writes chunks by hand and leaves out the last one (0, two line ends) or counts characters in place of bytes; or it, or a gateway, closed the connection in the middle."
		f.Remedies = fixes(inServer("let its HTTP library frame the body, and end the response."), inGateway("see why it closed the connection to the server."))
	case length != "":
		f.Message += "its Content-Length is " + length + ", and " + arrived
	default:
		f.Message += arrived
	}
	f.Message += " before the connection was closed."
	if r := rowOf(c); r != nil && r.Kind == session.RowCall && r.Ending == session.Served {
		f.Severity = diagnose.Warning
		f.Message += " The message in it is whole; many clients take the response for failed all the same."
	}
	c.ReportAs("short", f)
}

// surplus looks at bytes behind a response that seemed to be whole.
func (s *bodyEnds) surplus(c *diagnose.Case) {
	if s.last.conn != c.Frame.Conn || s.last.promised == "" || len(c.Data) == 0 {
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, s.last.n, s.last.asked}}
	if s.last.gateway {
		f.Side = diagnose.Gateway
	}
	f.Message = "Behind the response " + frame(s.last.n) + ", whose Content-Length is " + s.last.promised + ", came " +
		words.Count(len(c.Data), "byte") + " that belong to no response: " + quote(string(words.Clip(c.Data, 100))) + "."
	c.ReportAs("long", f)
}
