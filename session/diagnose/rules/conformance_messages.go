package rules

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// messagesConformance are those of JSON-RPC, the life cycle, stdio and results.
var messagesConformance = []formal{
	{
		id: "response-from-client", on: diagnose.Strays,
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Dir == wire.ToServer && overStdio(c) && stray(c) && c.Facts.LastOK != 0 {
				return "", c.Client() + " sent a response (" + frame(c.N) + ") under the id " + raw(c.Message.ID) + " in a conversation of protocol version " + string(c.ProtocolVersion()) + "."
			}
			return
		},
	},
	{
		id: "request-from-server", on: diagnose.Questions,
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Dir != wire.ToClient || !overStdio(c) || c.Facts.LastOK == 0 {
				return
			}
			return c.Call.Method, c.Server() + " sent the request " + quote(c.Call.Method) + " (" + frame(c.N) +
				") in a conversation of protocol version " + string(c.ProtocolVersion()) + "."
		},
	},
	{
		id: "deprecated-feature", on: diagnose.Requests, methods: []string{mcp.SamplingCreateMessage},
		wrong: func(c *diagnose.Case) (key, says string) {
			if context := text(c.Param("includeContext")); context == "thisServer" || context == "allServers" {
				return "", c.Server() + " asked the client to include context (" + frame(c.N) + "): includeContext " + quote(context) + " is deprecated."
			}
			return
		},
	},
	{
		id: "initialize-in-batch", on: diagnose.Requests, methods: []string{mcp.Initialize},
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Batched {
				return "", c.Client() + " sent initialize (" + frame(c.N) + ") within a batch."
			}
			return
		},
	},
	{
		id: "task-result-unrelated", on: diagnose.Results, methods: []string{mcp.TasksResult}, bySender: true,
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Call == nil || c.Result("_meta", mcp.MetaRelatedTask) != nil {
				return
			}
			return "", c.Named(sender(c)) + " responded to " + about(c.Call) + " without the task's id in _meta (" + frame(c.N) + ")."
		},
	},
	{
		id: "jsonrpc-version", on: diagnose.Messages, bySender: true, alike: true,
		wrong: func(c *diagnose.Case) (key, says string) {
			if string(c.Message.Version) == `"2.0"` {
				return
			}
			what := `with "jsonrpc":` + string(words.Clip(c.Message.Version, 40))
			if c.Message.Version == nil {
				what = `without "jsonrpc"`
			}
			return what, c.Named(sender(c)) + " sent a message (" + frame(c.N) + ") " + what + `. It must be "2.0".`
		},
	},
	{
		id: "line-ends", on: diagnose.Lines, bySender: true,
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Frame.Kind != wire.KindLine || c.Frame.EOL == "\n" || c.Frame.Part == wire.More {
				return
			}
			key, what := "crlf", "ends its lines with a carriage return and a line feed, first in "+frame(c.N)
			if c.Frame.EOL == "" {
				key, what = "none", "did not end its last line ("+frame(c.N)+") with a line feed"
			}
			return key + string(c.Dir), c.Named(sender(c)) + " " + what + "."
		},
	},
	{
		id: "structured-content-alone", on: diagnose.Results, methods: []string{mcp.ToolsCall}, alike: true,
		wrong: func(c *diagnose.Case) (key, says string) {
			if !isToolResponse(c) || c.Result("structuredContent") == nil {
				return
			}
			some := false
			if !wire.Items(c.Result("content"), func(int, []byte) bool { some = true; return false }) || some {
				return
			}
			return c.Call.Target, "The result of " + quote(c.Call.Target) + " (" + frame(c.N) + ") has its data in structuredContent and nothing in content."
		},
	},
	{
		id: "cursor-error-code", on: diagnose.Errors, methods: lists,
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Call == nil || c.Dir != wire.ToClient {
				return
			}
			code, said := errorCode(c), errorText(c)
			if code == mcp.CodeInvalidParams || !words.Contains(said, "cursor") ||
				len(wire.Get(c.Call.Params, "cursor")) == 0 {
				return
			}
			return "", c.Server() + " refused the cursor of " + about(c.Call) + " with the code " + number(code) + ": " + quote(said) + "."
		},
	},
	{
		id: "initialize-incomplete", on: diagnose.Requests, methods: []string{mcp.Initialize},
		wrong: func(c *diagnose.Case) (key, says string) {
			if c.Dir != wire.ToServer {
				return
			}
			var missing []string
			lacks := func(name string, value []byte, first byte) {
				if len(value) == 0 || value[0] != first {
					missing = append(missing, name)
				}
			}
			lacks("protocolVersion", c.Param("protocolVersion"), '"')
			lacks("capabilities", c.Param("capabilities"), '{')
			if info := c.Param("clientInfo"); len(info) == 0 || info[0] != '{' {
				missing = append(missing, "clientInfo")
			} else {
				lacks("clientInfo.name", wire.Get(info, "name"), '"')
				lacks("clientInfo.version", wire.Get(info, "version"), '"')
			}
			if len(missing) > 0 {
				return "", "initialize (" + frame(c.N) + ") lacks " + strings.Join(missing, ", ") + ", or has it in another JSON type."
			}
			return
		},
	},
	{
		id: "invalid-utf8", on: diagnose.Foreign, bySender: true,
		wrong: func(c *diagnose.Case) (key, says string) {
			if utf8.Valid(c.Message.Raw) {
				return
			}
			return "", c.Named(sender(c)) + " sent a message (" + frame(c.N) + ") that is not UTF-8: " + quote(badBytes(c.Message.Raw)) + "."
		},
	},
	{
		id: "bad-request-id", on: diagnose.Requests, bySender: true, alike: true,
		wrong: func(c *diagnose.Case) (key, says string) {
			if usableID(c.Message.ID) {
				return
			}
			return "", c.Named(sender(c)) + " sent " + quote(c.Method()) + " (" + frame(c.N) + ") with the id " + raw(c.Message.ID) + ", which is neither a string nor an integer."
		},
	},
	{
		id: "task-times-short", on: diagnose.Results | diagnose.Notifications,
		methods: []string{mcp.TasksGet, mcp.NotifyTasksStatus, mcp.NotifyTasks},
		wrong: func(c *diagnose.Case) (key, says string) {
			f, ok := taskIn(c)
			if !ok || f.poll < 1 || f.poll > 60 || c.Dir != wire.ToClient || f.over() {
				return
			}
			msg := "The task " + quote(f.id) + " has the poll interval " + number(f.poll) + " (" + frame(f.n) + "). That is in milliseconds: the client is told to ask " + number(max(1, 1000/f.poll)) + " times a second."
			if f.ttl > 0 {
				msg += " Its ttl is " + number(f.ttl) + " ms."
			}
			return "", msg + " The numbers look like seconds."
		},
	},
	{
		id: "gateway-id-changed", on: diagnose.Pairs,
		wrong: func(c *diagnose.Case) (key, says string) {
			if o, i := c.Pair.Outer, c.Pair.Inner; strings.Trim(o.ID, `"`) == strings.Trim(i.ID, `"`) && o.ID != i.ID {
				return "", "The request " + o.ID + " (" + frame(o.N) + ") has the id " + i.ID + " behind the gateway (" + frame(i.N) + " of " + c.Flow.Inner.Name + ")."
			}
			return
		},
	},
}

// badBytes is what stands around the first bytes that are not UTF-8.
func badBytes(b []byte) string {
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return string(b[max(0, at-20):min(len(b), at+12)])
}

// usableID says whether an id is a string or an integer. JSON Schema takes 1.0
// for an integer.
func usableID(id []byte) bool {
	switch {
	case len(id) == 0:
		return false
	case id[0] == '"':
		return true
	case id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		return false
	}
	whole, rest, ok := bytes.Cut(id, []byte("."))
	return !ok || bytes.ContainsAny(whole, "eE") || len(bytes.Trim(rest, "0")) == 0 || bytes.ContainsAny(rest, "eE")
}
