package rules

import (
	"maps"
	"slices"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var nameNotListed = &diagnose.Rule{
	ID: "name-not-listed",
	On: diagnose.Results | diagnose.Errors | diagnose.Notifications,
	Methods: []string{
		mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList,
		mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead,
		mcp.NotifyToolsListChanged, mcp.NotifyPromptsListChanged, mcp.NotifyResourcesListChanged,
	},
	Check: func(c *diagnose.Case) {
		if c.Message.Kind == wire.MsgNotification {
			listTakenBack(c)
			return
		}
		if c.Call == nil || c.Call.Dir != wire.ToServer || c.Session == nil {
			return
		}
		k := kindOf(c.Call.Method)
		switch {
		case c.Call.Method != k.list:
			notListed(c, k)
		case c.Message.Kind == wire.MsgResult:
			learnList(c, k)
		}
	},
}

func listTakenBack(c *diagnose.Case) {
	if c.Session == nil || c.Dir != wire.ToClient {
		return
	}
	if l := listOf(c, kindOf(string(c.Message.Method))); l != nil {
		l.changed = c.N
	}
}

// notListed explains why a name is not known that is not on the list.
func notListed(c *diagnose.Case, k *kind) {
	why, name := failure(c), c.Call.Target
	if why == "" {
		return
	}
	l := listOf(c, k)
	if l == nil || l.full || l.names[name] != 0 || !sdkwords.SaysUnknownName(why, name) && !k.errs(c) {
		return
	}
	f := diagnose.Finding{
		Message: c.Client() + " asked for the " + k.word + " " + quote(name) + " (" + frame(c.Call.N) + "), and the server does not know it: " + quote(why) + ".",
		Frames:  []uint64{c.Call.N, c.N, l.page},
	}
	switch like, how := l.misspelled(name); {
	case like != "":
		f.Message += " It lists " + quote(like) + " (" + frame(l.names[like]) + "), which " + how + "."
		f.Frames[2] = l.names[like]
		advise(&f, "another spelling")
	case l.next != "":
		f.Message += " The list has a next page (nextCursor in " + frame(l.page) + ") that nobody asked for."
		advise(&f, "first page only")
	case k.list == mcp.ResourcesList && stoppedBySlash(c, &f):
		advise(&f, "variable stops at a slash")
	default:
		return // asked for by a mistake that the error explains
	}
	c.ReportAs(k.word+" "+name, f)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
