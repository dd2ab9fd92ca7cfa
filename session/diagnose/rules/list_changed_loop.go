package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var listChangedLoop = &diagnose.Rule{
	ID: "list-changed-loop",
	On: diagnose.Requests | diagnose.Results | diagnose.Notifications,
	Methods: []string{
		mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList,
		mcp.NotifyToolsListChanged, mcp.NotifyPromptsListChanged, mcp.NotifyResourcesListChanged,
	},
	Check: func(c *diagnose.Case) {
		if c.Session == nil {
			return
		}
		lists, k := made(diagnose.State[map[*kind]*reading](c)), kindOf(c.Method())
		list := lists[k]
		if list == nil {
			list = &reading{row: -1}
			lists[k] = list
		}
		switch {
		case c.Message.Kind == wire.MsgNotification:
			list.changed = c.N
			return
		case c.Call == nil || c.Call.Dir != wire.ToServer || len(wire.Get(c.Call.Params, "cursor")) > 2:
			return
		case c.Message.Kind == wire.MsgRequest:
			if list.row = -1; list.changed != 0 {
				list.row, list.because, list.changed = c.Row, list.changed, 0
			}
			return
		}
		method, in := c.Call.Method, c.Session.Index
		if list.row != c.Row {
			c.Progress(in, hashOf(method)) // the client had reasons of its own
		}
		s := c.Again(in, hashOf(method), hashOf(listItems(c)))
		if s.Count < 5 || s.Every() > 10e9 {
			return
		}
		c.ReportAs(method, diagnose.Finding{
			Message: "The list of " + quote(method) + " is the same as before (" + frame(c.N) + "). The server has said that it changed and the client has read it " +
				often(s) + ".",
			Frames: append([]uint64{c.N, list.because}, s.Frames...),
		})
	},
}

type reading struct {
	changed uint64 // the notification that it has not followed yet, 0 for none
	row     int32  // the latest call that followed one, -1 for none
	because uint64 // the notification that this one followed
}
