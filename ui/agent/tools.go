package agent

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/session/safe"
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

// prompt is a request to the model that a user can choose.
type prompt struct{ name, title, about, text string }

var prompts = []prompt{
	{
		"diagnose-my-server", "Diagnose my server", "Why does my MCP server fail? With the change that mends it.",
		"Call midwire_diagnose. Tell me in one sentence what is wrong and which side is responsible, quote the frames that " +
			"prove it, and propose the smallest change of my code. If it is not the server's fault, say whose it is. " +
			"After the change, call midwire_wait with for: finding while I try again, then midwire_diagnose once more.",
	},
	{
		"why-is-my-tool-never-called", "Why is my tool never called?", "Looks at the list of tools and what the client made of it.",
		"Call midwire_sessions and choose the newest session of my server, then midwire_tools. Is the tool in the list that the " +
			"client got? Is its definition valid, its description clear about when to use it, its schema simple? Did the client " +
			"ever ask for the list, before or after the tool was added? Is it called under another name, or refused? " +
			"Say which it is, with frames, and what to change.",
	},
	{
		"before-i-file-a-bug", "Before I file a bug", "Collects what a maintainer needs, and nothing secret.",
		"Call midwire_diagnose. Write a bug report for the responsible side: what was expected, what happened, protocol version, " +
			"names and versions of both sides, the few frames that show it (midwire_message), and the section of the specification. " +
			"Leave out tokens, paths and personal data. Say how to attach a masked report: midwire export RECORDING -o report.html.",
	},
}

func addPrompts(s *mcp.Server) {
	for _, p := range prompts {
		s.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.about},
			func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				said := &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: p.text}}
				return &mcp.GetPromptResult{Description: p.about, Messages: []*mcp.PromptMessage{said}}, nil
			})
	}
}

const (
	scheme   = "midwire://session/"
	markdown = "text/markdown"
	mostHTML = 4 << 20 // of a report
)

func addResources(s *mcp.Server, r *ask.Recordings) {
	for _, t := range []struct{ end, name, text, kind string }{
		{"", "session", "The first messages of a session, a line each.", markdown},
		{"/findings", "findings", "What is wrong with a session.", markdown},
		{"/frame/{n}", "frame", "One frame of a session.", markdown},
		{"/report.html", "report", "A report for a bug tracker, masked.", "text/html"},
	} {
		s.AddResourceTemplate(&mcp.ResourceTemplate{
			URITemplate: scheme + "{id}" + t.end, Name: t.name, Description: t.text, MIMEType: t.kind,
		}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			text, err := read(ctx, r, strings.TrimPrefix(req.Params.URI, scheme), t.name)
			if err != nil {
				return nil, fmt.Errorf("%s", safe.Whole(err.Error()))
			}
			one := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: t.kind, Text: text}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{one}}, nil
		})
	}
}

func read(ctx context.Context, r *ask.Recordings, address, name string) (string, error) {
	id, rest, _ := strings.Cut(address, "/")
	id, err := url.PathUnescape(id)
	if err != nil {
		return "", err
	}
	switch name {
	case "session":
		return text(ctx, r, ask.Messages{Session: id})
	case "findings":
		return text(ctx, r, ask.Diagnose{Session: id})
	case "frame":
		n, err := strconv.ParseUint(strings.TrimPrefix(rest, "frame/"), 10, 64)
		if err != nil {
			return "", fmt.Errorf("%s%s: a frame is a number from 1", scheme, address)
		}
		return text(ctx, r, ask.Message{Session: id, Frame: n})
	}
	var b bytes.Buffer
	if err := r.Report(id, &b); err != nil {
		return "", err
	}
	if b.Len() > mostHTML {
		return "", fmt.Errorf("the report has %d bytes: midwire export %s -o report.html writes it to a file", b.Len(), id)
	}
	return b.String(), nil
}

func text[Q ask.Question[R], R ask.Result](ctx context.Context, r *ask.Recordings, q Q) (string, error) {
	out, err := ask.Answer(ctx, r, q)
	if err != nil {
		return "", err
	}
	return ask.Markdown(out, false), nil
}

// link is the address of what is behind a result. Many clients ignore it.
func link(l ask.Linked) *mcp.ResourceLink {
	session, what := l.Link()
	kind := markdown
	if strings.HasSuffix(what, ".html") {
		kind = "text/html"
	}
	name := strings.TrimPrefix(what, "/")
	return &mcp.ResourceLink{URI: scheme + url.PathEscape(session) + what, Name: name, MIMEType: kind}
}
