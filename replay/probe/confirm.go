package probe

import (
	"context"
	"slices"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/diagnose/schema"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/library"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// topic is what something that was put back is about.
type topic string

// The topics, each with the rules that say the same of a request. A finding of theirs is
// certain when asking has shown it.
const (
	onSession    topic = "session"
	onDeadID     topic = "dead session"
	onReady      topic = "initialized"
	onVersion    topic = "version"
	onAccept     topic = "accept"
	onMedia      topic = "media"
	onEra        topic = "era"
	onMirror     topic = "mirror"
	onEnvelope   topic = "envelope"
	onHost       topic = "host"
	onOrigin     topic = "origin"
	onCredential topic = "credential"
	onParams     topic = "params"
	onArguments  topic = "arguments"
	onName       topic = "name"
	onRounded    topic = "rounded"
	onAnswer     topic = "answer"
	onFraming    topic = "framing"
	onCapability topic = "capability"
)

var sameTopic = map[topic][]string{
	onSession:    {"session-id-not-echoed", "session-header-missing", "handshake-skipped", "handshake-forgotten"},
	onDeadID:     {"session-not-renewed", "session-unknown-status", "unassigned-session-id", "sse-session-over"},
	onReady:      {"initialized-missing", "handshake-race", "method-misspelled", "handshake-skipped", "server-too-early"},
	onVersion:    {"version-header-missing", "version-header-refused", "version-header-differs", "version-refused"},
	onAccept:     {"accept-incomplete", "not-acceptable"},
	onMedia:      {"media-type-refused", "wrong-content-type"},
	onEra:        {"modern-client-legacy-server", "legacy-client-modern-server", "version-promised", "unknown-version"},
	onMirror:     {"modern-header-missing", "header-body-mismatch", "header-value-encoding"},
	onEnvelope:   {"envelope-incomplete", "server-mute", "unanswered-request", "server-says-why"},
	onHost:       {"host-rejected"},
	onOrigin:     {"request-forbidden", "cors-preflight-refused"},
	onCredential: {"credential-refused", "credential-loop", "scope-insufficient", "request-forbidden"},
	onParams:     {"message-schema", "request-not-jsonrpc", "message-refused", "server-says-why"},
	onArguments:  {"tool-arguments-invalid", "arguments-refused", "message-schema", "server-says-why"},
	onName:       {"name-not-listed"},
	onRounded:    {"integer-rounded"},
	onAnswer:     {"question-unanswered", "question-answered-oddly", "question-refused", "advertised-not-implemented"},
	onFraming:    {"message-refused", "batch-not-allowed", "server-says-why"},
	onCapability: {"server-says-why", "message-refused", "initialize-incomplete"},
}

// confirm says which findings about the request are certain by the outcome, and which are not
// the cause.
func (p *prober) confirm(ctx context.Context) error {
	r := p.result
	if !r.Certain {
		return nil
	}
	checked, err := library.CheckUntil(ctx, []string{p.script.Path}, rules.All(), nil)
	if err != nil {
		return err
	}
	for _, q := range p.questions {
		r.About = append(r.About, q.frames...)
	}
	for _, root := range checked[0].Findings {
		root.Each(func(f *diagnose.Finding, _ int) {
			about := slices.ContainsFunc(slices.Concat(f.Frames, f.About), func(n uint64) bool {
				call, ok := p.script.CallAt(n)
				return ok && call == p.call || slices.Contains(r.About, n)
			})
			if about && !f.Rule.Proof && f.Rule.Fallback <= 1 && f.Severity < diagnose.Note {
				p.weigh(f)
			}
		})
	}
	slices.Sort(r.Confirms)
	slices.Sort(r.Withdrawn)
	r.Confirms, r.Withdrawn = slices.Compact(r.Confirms), slices.Compact(r.Withdrawn)
	return nil
}

// weigh takes one finding about the request.
func (p *prober) weigh(f *diagnose.Finding) {
	r, side := p.result, f.Side.String()
	beyond := f.Side == diagnose.Server || f.Side == diagnose.Gateway
	confirms := false
	switch r.Outcome {
	case Refused:
		confirms = beyond && f.Rule.ID != "request-refused" // which asking says better
		if f.Side == diagnose.Gateway || beyond && r.Side == "" {
			r.Side = side // what stands before the server is the server's side of midwire
		}
	case Decided:
		for _, t := range p.shown {
			fits := r.Side == "" || r.Side == side || f.Side == diagnose.Gateway
			confirms = confirms || fits && slices.Contains(sameTopic[t], f.Rule.ID)
		}
	}
	switch {
	case f.Known():
	case confirms:
		r.Confirms = append(r.Confirms, f.Rule.ID)
	case r.Outcome == Refused && f.Side == diagnose.Client,
		r.Side != "" && side != r.Side && f.Side != diagnose.Unclear && !(beyond && r.Side != "client"):
		r.Withdrawn = append(r.Withdrawn, f.Rule.ID)
	}
}

// needs is the capability that a server declares which serves a method that asks for nothing
// it need not have.
var needs = map[string]string{
	mcp.ToolsList: "tools", mcp.PromptsList: "prompts", mcp.ResourcesList: "resources",
	mcp.ResourceTemplatesList: "resources", mcp.LogSetLevel: "logging",
}

// owed says whether a server has to serve the request of a conforming client that it refused as
// a try says, whatever it holds: then it is the server, or what stands before it.
func (p *prober) owed(t *Try) bool {
	a := t.answer
	switch {
	case a.status/100 == 3, a.status == 429, a.status >= 401 && a.status <= 405:
		return false // another URL, a credential or patience may be all that it takes
	case a.status >= 500, a.exited:
		return true
	case a.none && a.text != "":
		return false // a page: another URL
	}
	switch p.method {
	case mcp.Initialize, mcp.Ping, mcp.Discover:
		return true
	case mcp.Listen:
		return a.none // it has to be acknowledged at once
	case mcp.ToolsCall:
		return p.owedTool(a)
	}
	member := needs[p.method]
	if a.code == mcp.CodeMethodNotFound && member != "logging" {
		return false // of a list only 2026-07-28 demands that it is there
	}
	return member != "" && wire.Get(p.declared, member) != nil
}

// owedTool is owed, of a call of a tool that the server lists.
func (p *prober) owedTool(a answer) bool {
	called := wire.Text(wire.Get(p.tool, "name"))
	if p.tool == nil || a.none {
		return false
	}
	return a.code == mcp.CodeMethodNotFound ||
		a.code == mcp.CodeInternalError && len(schema.Read(wire.Get(p.tool, "inputSchema")).Members()) == 0 ||
		sdkwords.SaysUnknownName(a.text, called)
}
