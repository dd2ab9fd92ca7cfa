package gate

import (
	"strings"

	"midwire/session/filter"
	"midwire/session/mcp"
)

// Preset is a fault with a name: it stands for some rules.
type Preset struct {
	Name  string
	Lines []string // {} is where the argument of the preset stands
	Usual string   // the argument when none is given, "" when it takes none
	Help  string
	Spec  string // the section of the specification that decides what is correct
}

const (
	sessionManagement = "2025-11-25 basic/transports: Session Management"
	resumability      = "2025-11-25 basic/transports: Resumability and Redelivery"
	lifecycle         = "2025-11-25 basic/lifecycle"
	progress          = "2025-11-25 basic/utilities/progress"
	cancellation      = "2025-11-25 basic/utilities/cancellation"
	toolsPage         = "2025-11-25 server/tools"
	authorization     = "2025-11-25 basic/authorization"
	stdioPage         = "2025-11-25 basic/transports: stdio"
	jsonRPC           = "JSON-RPC 2.0, 5: Response object"
	httpSemantics     = "RFC 9110"
)

var presets = []Preset{
	{"expire-session", []string{"kind:request method:tools/call #2 => expire-session {}"}, "404", "the session is gone from the second tools/call on, for ever", sessionManagement},
	{"replica", []string{"kind:request method:tools/ #every 3 => status {}"}, "404", "each third request of tools reaches another replica that does not know the session", sessionManagement},
	{"forget-handshake", []string{"method:notifications/initialized => drop"}, "", "the server never learns that the client is ready", lifecycle},
	{"slow-start", []string{"kind:request method:initialize => delay {}"}, "35s", "the server takes long to start", lifecycle},
	{"cut-stream", []string{"kind:request method:tools/call #2 => cut after 0 events {}"}, "clean", "a response stream ends before the response (reset: breaks)", resumability},
	{"cut-without-ids", []string{"kind:event => remove-header id", "kind:request method:tools/call #2 => cut after 0 events {}"}, "clean", "the same, and its events have no ids to resume by", resumability},
	{"no-resume", []string{"http:GET => no-resume {}"}, "405", "a stream that broke cannot be resumed", resumability},
	{"dying-stream", []string{"http:GET => cut after 0 events {}"}, "clean", "the stream of a GET opens and ends at once, each time", resumability},
	{"delay", []string{"kind:response method:tools/call #2 => delay {}"}, "10s", "a response comes late", lifecycle + ": Timeouts"},
	{"never", []string{"kind:response method:tools/call #2 => drop"}, "", "a response never comes", lifecycle + ": Timeouts"},
	{"late-cancelled", []string{"kind:response method:tools/call #2 => delay {}", "method:notifications/cancelled => drop"}, "65s", "a response comes after the client has given up", cancellation},
	{"no-progress", []string{"method:notifications/progress => drop"}, "", "no progress is reported", progress},
	{"reorder", []string{"kind:response method:tools/call #2+ => reorder within {}"}, "1s", "responses come in another order than their requests", jsonRPC},
	{"duplicate", []string{"kind:response method:tools/call #2 => duplicate {}"}, "1", "a response comes twice", jsonRPC},
	{"no-list-changed", []string{"dir:s2c method:list_changed => drop"}, "", "changes of lists are not reported", toolsPage + ": List Changed Notification"},
	{"drop-cancelled", []string{"method:notifications/cancelled => drop"}, "", "cancellations get lost", cancellation},
	{"list-changed-storm", []string{"kind:response method:tools/call #1 => storm notifications/tools/list_changed {} at 100/s"}, "50", "the server reports changes of its tools without end", toolsPage + ": List Changed Notification"},
	{"error", []string{`kind:request method:tools/call #2 => error {} "made by midwire"`}, "-32603", "a call is answered with an error", jsonRPC},
	{"tool-error", []string{`kind:request method:tools/call #2 => tool-error "{}"`}, "made by midwire", "a tool fails", toolsPage + ": Error Handling"},
	{"truncate-json", []string{"kind:response method:tools/call #2 => truncate"}, "", "a response ends in the middle", jsonRPC},
	{"garbage-line", []string{`kind:response method:tools/call #2 => garbage "{}"`}, "Traceback (most recent call last):", "a response is no JSON", jsonRPC},
	{"html", []string{`kind:request method:tools/call #2 => status 200 Content-Type: text/html & body "<html>{}</html>"`}, "login", "a web page comes in place of a response", httpSemantics},
	{"two-on-a-line", []string{"kind:response method:tools/call #2 => two-on-a-line"}, "", "two messages are on one line", stdioPage},
	{"bom", []string{"kind:response method:tools/call #2 => bom"}, "", "a byte order mark stands before a response", stdioPage},
	{"stdout-noise", []string{`kind:response method:tools/call #2 => noise "{}"`}, "INFO server ready", "a line of a log is on standard output", stdioPage},
	{"kill-server", []string{"kind:request method:tools/call #2 => kill"}, "", "the server is killed", stdioPage},
	{"exit", []string{"kind:request method:tools/call #2 => exit {}"}, "1", "the server ends with this code", stdioPage},
	{"ignore-eof", []string{"kind:request method:initialize => ignore-eof"}, "", "the server goes on when its standard input is closed", lifecycle + ": Shutdown"},
	{"401", []string{`kind:request method:tools/call #2 => status 401 WWW-Authenticate: Bearer error="{}"`}, "invalid_token", "the token is refused once", authorization},
	{"401-always", []string{`kind:request method:tools/call #2+ => status 401 WWW-Authenticate: Bearer error="{}"`}, "invalid_token", "the token is refused from then on", authorization},
	{"expired-token", []string{"kind:request method:tools/ #2+ => remove-header Authorization"}, "", "the server does not get the token", authorization},
	{"403", []string{`kind:request method:tools/call #2 => status 403 WWW-Authenticate: Bearer error="insufficient_scope", scope="{}"`}, "extra", "the token has not the scope", authorization + ": Scope Challenge Handling"},
	{"429", []string{"kind:request method:tools/call #2 => status 429 Retry-After: {}"}, "2", "too many requests; the client should wait so many seconds", httpSemantics + " 10.2.3"},
	{"503", []string{"kind:request method:tools/call #2 => status 503 Retry-After: {}"}, "2", "the server is not available for a moment", httpSemantics + " 15.6.4"},
	{"huge-result", []string{"kind:response method:tools/call #2 => huge {}"}, "20MB", "a result is huge", toolsPage},
	{"schema-corrupt", []string{"kind:response method:tools/call #2+ => set result.structuredContent {}"}, "[]", "structured content does not fit the output schema", toolsPage + ": Output Schema"},
	{"wrong-version", []string{`kind:response method:initialize => set result.protocolVersion "{}"`}, "1999-01-01", "the server negotiates a protocol version that nobody knows", lifecycle + ": Version Negotiation"},
	{"lower-protocol", []string{`kind:response method:initialize => set result.protocolVersion "{}"`}, string(mcp.V20241105), "the server knows an old protocol version only", lifecycle + ": Version Negotiation"},
	{"version-header", []string{"!method:initialize kind:request => set-header MCP-Protocol-Version: {}"}, "1999-01-01", "the server gets another protocol version", "2025-11-25 basic/transports: Protocol Version Header"},
	{"no-session-header", []string{"!method:initialize kind:request => remove-header Mcp-Session-Id"}, "", "the server does not get the session id", sessionManagement},
	{"no-session-id", []string{"kind:head dir:s2c method:initialize => remove-header Mcp-Session-Id"}, "", "the client does not get a session id", sessionManagement},
	{"strip-accept", []string{"kind:request => set-header Accept: {}"}, "application/json", "the server does not get that streams are accepted", "2025-11-25 basic/transports: Sending Messages to the Server"},
	{"id-as-text", []string{`kind:response method:tools/call #2 => set id "{}"`}, "2", "a response has an id of another type than its request", jsonRPC},
	{"bandwidth", []string{"kind:request method:initialize => bandwidth {}"}, "16kB/s", "the network is slow", httpSemantics},
	{"slice", []string{"kind:request method:initialize => slice {}"}, "7", "bytes come in pieces, within characters too", httpSemantics},
	{"reset", []string{"kind:request method:tools/call #2 => cut reset"}, "", "the connection breaks during a call", httpSemantics},
	{"half-close", []string{"kind:request method:tools/call #2 => cut half"}, "", "the server ends its side of the connection during a call", httpSemantics},
}

// Presets are the faults that have names.
func Presets() []Preset { return presets }

// Expand is the lines that a preset stands for, with its usual argument when arg
// is empty.
func (p *Preset) Expand(arg string) []string {
	if arg == "" {
		arg = p.Usual
	}
	var all []string
	for _, l := range p.Lines {
		all = append(all, strings.ReplaceAll(l, "{}", arg))
	}
	return all
}

// presetOf finds the preset that a line names: NAME, NAME ARGUMENT or
// NAME=ARGUMENT.
func presetOf(line string) (p *Preset, arg string, ok bool) {
	line = strings.TrimSpace(line)
	i := strings.IndexAny(line, " =")
	name := line
	if i >= 0 {
		name, arg = line[:i], strings.TrimSpace(line[i+1:])
	}
	if arrow(line) >= 0 {
		return nil, "", false
	}
	for i := range presets {
		if presets[i].Name == name {
			return &presets[i], arg, true
		}
	}
	return nil, "", false
}

func (p *Preset) rules(line, arg string) (all []*Rule, err *filter.Error) {
	if arg != "" && p.Usual == "" {
		at := strings.Index(line, arg)
		return nil, &filter.Error{At: at, From: at, To: at + len(arg), Text: p.Name + " takes nothing behind it"}
	}
	for _, l := range p.Expand(arg) {
		r, err := ParseRule(l)
		if err != nil {
			return nil, &filter.Error{At: len(line), From: 0, To: len(line), Text: p.Name + ": " + err.Text}
		}
		r.Preset = p.Name
		all = append(all, r)
	}
	return all, nil
}
