package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// lists are the methods with pages.
var lists = []string{mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.TasksList}

var cursorAltered = &diagnose.Rule{
	ID: "cursor-altered", On: diagnose.Requests | diagnose.Results, Methods: lists,
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
		c.Say("", c.Client()+" sent "+quote(c.Call.Method)+" ("+frame(c.N)+") with the cursor "+raw(cursor)+". The server had not issued it in this session.")
	},
}

// cursors are those that a server has given out.
type cursors struct {
	hashes map[uint64]struct{}
	full   bool // some were not kept
}

const maxCursors = 4096

func (s *cursors) add(cursor string) {
	if len(s.hashes) >= maxCursors {
		s.full = true
		return
	}
	made(&s.hashes)[hashID(cursor)] = struct{}{}
}

func (s *cursors) has(cursor string) bool {
	_, ok := s.hashes[hashID(cursor)]
	return ok
}
