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
