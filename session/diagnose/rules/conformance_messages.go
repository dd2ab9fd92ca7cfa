package rules

import (
	"strings"
	"unicode/utf8"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// messagesConformance are those of JSON-RPC, the life cycle, stdio and results.
var messagesConformance = []formal{
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
