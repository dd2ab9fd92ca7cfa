package agent

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/ui/agent/ask"
)

// addTools adds the tools: at most ten, since every chat pays for them.
func addTools(s *mcp.Server, r *ask.Recordings) {
	add[ask.Diagnose](s, r, reads("diagnose", "Diagnose",
		"What is wrong with an MCP session, why, which side, what to change, and the frames that prove it. Ask this first."))
	add[ask.Sessions](s, r, reads("sessions", "Sessions",
		"Recorded sessions, newest first: client, server, state, errors, verdict."))
	add[ask.Messages](s, r, reads("messages", "Messages",
		"The messages of a session, a line each, by a filter or around a frame."))
	add[ask.Message](s, r, reads("message", "Message",
		"One frame: its text, a part of it by jq, or all of it as a file."))
	add[ask.Search](s, r, reads("search", "Search",
		"Where a text stands in what was said, in all recordings or one."))
	add[ask.Tools](s, r, reads("tools", "Tools",
		"A server's tools: calls, failures, time, size, what is wrong with them, never called."))
	add[ask.Compare](s, r, reads("compare", "Compare",
		"What differs between two sessions, or between the two sides of a gateway."))
	add[ask.Explain](s, r, reads("explain", "Explain", "What a rule of a finding, or an error text, means."))
	add[ask.Wait](s, r, reads("wait", "Wait", "Waits, less than a minute, for a message that passes a filter, or for a finding."))
	if r.Replay == nil {
		return
	}
	yes := true
	add[ask.Replay](s, r, &mcp.Tool{
		Name: prefix + "replay", Title: "Replay",
		Description: "What a server answers to a recorded client. Only a plan unless send is true.",
		Annotations: &mcp.ToolAnnotations{Title: "Replay", DestructiveHint: &yes, OpenWorldHint: &yes},
	})
}

const prefix = "midwire_"

func reads(name, title, text string) *mcp.Tool {
	no := false
	return &mcp.Tool{
		Name: prefix + name, Title: title, Description: text,
		Annotations: &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no},
	}
}
