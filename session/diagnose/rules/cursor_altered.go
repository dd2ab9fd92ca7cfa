package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// lists are the methods with pages.
var lists = []string{mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.TasksList}

var cursorAltered = &diagnose.Rule{
	ID:       "cursor-altered",
	Title:    "The client sends a cursor that the server did not issue",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "A cursor is an opaque token of the server. The client must send back the nextCursor of the previous page unchanged, in the same session.",
		Wire:  "The cursor of a list request equals no nextCursor of this session.",
		Cause: "The client counts pages itself, sends an empty cursor for the first page, uses cursors of an earlier session, or decodes and re-encodes them.",
		Fix:   "In the client: omit the cursor for the first page, and send nextCursor unchanged for the following pages.",
		Spec:  "2025-11-25 server/utilities/pagination: Implementation Guidelines",
		Example: `< {"jsonrpc":"2.0","id":1,"result":{"tools":[…],"nextCursor":"eyJwIjoxfQ=="}}
> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"2"}}`,
	},
	On:      diagnose.Requests | diagnose.Results,
	Methods: lists,
	Check: func(c *diagnose.Case) {
		if c.Message.Kind == wire.MsgResult {
			if next := c.Result("nextCursor"); len(next) > 0 && next[0] == '"' {
				diagnose.State[cursors](c).add(text(next))
			}
			return
		}
		cursor := c.Param("cursor")
		if len(cursor) == 0 || string(cursor) == "null" || !c.Facts.Negotiated() || c.Blind() || !assigned(c) {
			return
		}
		if given := diagnose.State[cursors](c); given.full || given.has(text(cursor)) {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The client sent " + quote(c.Call.Method) + " (" + frame(c.N) + ") with the cursor " + raw(cursor) + ". The server had not issued it in this session.",
		})
	},
}

// cursors are those that a server has given out.
type cursors struct {
	hashes map[uint64]struct{}
	full   bool // some were not kept
}

const maxCursors = 4096

func (s *cursors) add(cursor string) {
	if s.hashes == nil {
		s.hashes = map[uint64]struct{}{}
	}
	if len(s.hashes) >= maxCursors {
		s.full = true
		return
	}
	s.hashes[hashID(cursor)] = struct{}{}
}

func (s *cursors) has(cursor string) bool {
	_, ok := s.hashes[hashID(cursor)]
	return ok
}
