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
	{id: "request-from-server", on: diagnose.Questions, wrong: func(c *diagnose.Case) (string, fill) {
		return iff(c.Dir == wire.ToClient && overStdio(c) && c.Facts.LastOK != 0, c.Call.Method)
	}},
	{id: "line-ends", on: diagnose.Lines, bySender: true, wrong: func(c *diagnose.Case) (string, fill) {
		switch {
		case c.Frame.Kind != wire.KindLine || c.Frame.EOL == "\n" || c.Frame.Part == wire.More:
			return "", nil
		case c.Frame.EOL == "":
			return "none" + string(c.Dir), fill{"what": "did not end its last line (#" + number(c.N) + ") with a line feed"}
		}
		return "crlf" + string(c.Dir), fill{"what": "ends its lines with a carriage return and a line feed, first in #" + number(c.N)}
	}},
	{id: "structured-content-alone", on: diagnose.Results, methods: toolCalls, alike: true, wrong: func(c *diagnose.Case) (string, fill) {
		if !isToolResponse(c) || c.Result("structuredContent") == nil {
			return "", nil
		}
		some := false
		list := wire.Items(c.Result("content"), func(int, []byte) bool { some = true; return false })
		return iff(list && !some, c.Call.Target)
	}},
	{id: "initialize-incomplete", on: diagnose.Requests, methods: []string{mcp.Initialize}, wrong: func(c *diagnose.Case) (string, fill) {
		if c.Dir != wire.ToServer {
			return "", nil
		}
		var missing []string
		lacks := func(name string, first byte) bool {
			value := wire.Get(c.Message.Params, strings.Split(name, ".")...)
			if len(value) > 0 && value[0] == first {
				return false
			}
			missing = append(missing, name)
			return true
		}
		lacks("protocolVersion", '"')
		lacks("capabilities", '{')
		if !lacks("clientInfo", '{') {
			lacks("clientInfo.name", '"')
			lacks("clientInfo.version", '"')
		}
		return list("", missing, ", ")
	}},
	{id: "invalid-utf8", on: diagnose.Foreign, bySender: true, wrong: func(c *diagnose.Case) (string, fill) {
		if utf8.Valid(c.Message.Raw) {
			return "", nil
		}
		return "", fill{"bytes": badBytes(c.Message.Raw)}
	}},
	{
		id: "task-times-short", on: diagnose.Results | diagnose.Notifications, methods: taskTold,
		wrong: func(c *diagnose.Case) (string, fill) {
			f, ok := taskIn(c)
			if !ok || f.poll < 1 || f.poll > 60 || c.Dir != wire.ToClient || f.over() {
				return "", nil
			}
			return "", fill{"task": f.id, "poll": f.poll, "times": max(1, 1000/f.poll), "ttl": max(f.ttl, 0)}
		},
	},
	{id: "gateway-id-changed", on: diagnose.Pairs, wrong: func(c *diagnose.Case) (string, fill) {
		o, i := c.Pair.Outer, c.Pair.Inner
		if strings.Trim(o.ID, `"`) != strings.Trim(i.ID, `"`) || o.ID == i.ID {
			return "", nil
		}
		return "", fill{"was": o.ID, "now": i.ID}
	}},
}

var (
	toolCalls = []string{mcp.ToolsCall}
	taskTold  = []string{mcp.TasksGet, mcp.NotifyTasksStatus, mcp.NotifyTasks}
)

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
