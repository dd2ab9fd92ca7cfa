package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var pagedMethods = []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list"}

var cursorAltered = &diagnose.Rule{
	ID:       "cursor-altered",
	Title:    "A client asks for a page with a cursor that it was not given",
	Severity: diagnose.Error,
	Fault:    diagnose.Client,
	Lint:     "L-36",
	Help: diagnose.Help{
		Means: "A cursor is the server's own note of where a list goes on. A client must bring it back as it is, within the session in which it got it. With another one the server refuses, or sends a page that nobody meant.",
		Wire:  "A list request whose cursor is no nextCursor of an earlier answer to that method in the session.",
		Cause: "The client counts pages by itself, decodes and encodes the cursor, keeps it from one session to the next, or sends an empty one for the first page.",
		Fix:   "In the client: send nextCursor byte for byte as cursor of the next request, and no cursor for the first page.",
		Spec:  "2025-11-25 server/utilities/pagination: Implementation Guidelines",
		Example: `< {"jsonrpc":"2.0","id":2,"result":{"tools":[…],"nextCursor":"eyJwIjoyfQ=="}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"{\"p\":2}"}}`,
	},
	On:      diagnose.Requests | diagnose.Results,
	Methods: pagedMethods,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer || c.Facts == nil {
			return
		}
		s := diagnose.State[cursors](c)
		if c.Message.Kind == wire.MsgResult {
			s.given(c)
			return
		}
		raw := c.Param("cursor")
		if raw == nil {
			s.begin(c.Call.Method)
			return
		}
		if raw[0] != '"' || s.full || c.Gapped() || !c.Facts.Negotiated() && !s.begun[c.Call.Method] {
			return // it may be from before the recording began
		}
		last, some := s.last[c.Call.Method]
		confidence := diagnose.Certain
		if !c.Facts.Negotiated() || c.Session.Transport != session.TransportStdio && c.Session.ID == "" {
			confidence = diagnose.Likely
		}
		switch {
		case s.known[s.key(c.Call.Method, raw)]:
		case some:
			c.ReportAs(c.Call.Method, diagnose.Finding{
				Confidence: confidence,
				Message:    "The cursor " + quote(text(raw)) + " of " + quote(c.Call.Method) + " (" + frame(c.N) + ") is none that the server gave. The latest was " + quote(last.text) + " (" + frame(last.n) + ").",
				Frames:     []uint64{c.N, last.n},
			})
		case confidence == diagnose.Certain:
			c.ReportAs(c.Call.Method, diagnose.Finding{
				Message: "The cursor " + quote(text(raw)) + " of " + quote(c.Call.Method) + " (" + frame(c.N) + ") is none that the server gave: it has given none for this list yet.",
			})
		}
	},
}

// cursors are those that a server gave in a session.
type cursors struct {
	begun map[string]bool // lists that were asked for from the beginning
	known map[uint64]bool
	last  map[string]cursor // by method
	full  bool              // there were more than are kept
}

type cursor struct {
	text string
	n    uint64
}

const maxCursors = 4096

func (s *cursors) key(method string, raw []byte) uint64 {
	return hashOf([]byte(text(raw))) ^ hashOf([]byte(method))
}

func (s *cursors) begin(method string) {
	if s.begun == nil {
		s.begun = map[string]bool{}
	}
	s.begun[method] = true
}

func (s *cursors) given(c *diagnose.Case) {
	raw := c.Result("nextCursor")
	if raw == nil || raw[0] != '"' || s.full {
		return
	}
	if s.known == nil {
		s.known, s.last = map[uint64]bool{}, map[string]cursor{}
	}
	if s.full = len(s.known) >= maxCursors; s.full {
		s.known = nil
		return
	}
	s.known[s.key(c.Call.Method, raw)] = true
	t := text(raw)
	s.last[c.Call.Method] = cursor{t[:min(len(t), 100)], c.N}
}
