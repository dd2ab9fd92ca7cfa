package rules

import (
	"strings"
	"unicode/utf8"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// messagesConformance are those of JSON-RPC, the life cycle, stdio and results.
var messagesConformance = []*diagnose.Rule{
	{ID: "request-from-server", On: diagnose.Questions, Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToClient && overStdio(c) && c.Facts.LastOK != 0 {
			c.Found("", c.Call.Method, nil)
		}
	}},
	{ID: "line-ends", On: diagnose.Lines, Check: func(c *diagnose.Case) {
		switch {
		case c.Frame.Kind != wire.KindLine || c.Frame.EOL == "\n" || c.Frame.Part == wire.More:
		case c.Frame.EOL == "":
			c.Blame("none", "none"+string(c.Dir), nil)
		default:
			c.Blame("crlf", "crlf"+string(c.Dir), nil)
		}
	}},
	{ID: "structured-content-alone", On: diagnose.Results, Methods: toolCalls, Alike: true, Check: func(c *diagnose.Case) {
		if !isToolResponse(c) || c.Result("structuredContent") == nil {
			return
		}
		some := false
		if wire.Items(c.Result("content"), func(int, []byte) bool { some = true; return false }) && !some {
			c.Found("", c.Call.Target, nil)
		}
	}},
	{ID: "initialize-incomplete", On: diagnose.Requests, Methods: []string{mcp.Initialize}, Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer {
			return
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
		missingAll(c, "", missing, ", ")
	}},
	{ID: "invalid-utf8", On: diagnose.Foreign, Check: func(c *diagnose.Case) {
		if utf8.Valid(c.Message.Raw) {
			return
		}
		c.Blame("", "", fill{"bytes": badBytes(c.Message.Raw)})
	}},
	{
		ID: "task-times-short", On: diagnose.Results | diagnose.Notifications, Methods: taskTold,
		Check: func(c *diagnose.Case) {
			f, ok := taskIn(c)
			if !ok || f.poll < 1 || f.poll > 60 || c.Dir != wire.ToClient || f.over() {
				return
			}
			c.Found("", "", fill{"task": f.id, "poll": f.poll, "times": max(1, 1000/f.poll), "ttl": max(f.ttl, 0)})
		},
	},
	{ID: "gateway-id-changed", On: diagnose.Pairs, Check: func(c *diagnose.Case) {
		o, i := c.Pair.Outer, c.Pair.Inner
		if strings.Trim(o.ID, `"`) != strings.Trim(i.ID, `"`) || o.ID == i.ID {
			return
		}
		c.Found("", "", fill{"was": o.ID, "now": i.ID})
	}},
}

var taskTold = []string{mcp.TasksGet, mcp.NotifyTasksStatus, mcp.NotifyTasks}

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
