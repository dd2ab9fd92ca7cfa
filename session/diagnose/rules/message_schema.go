package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/outline"
	"midwire/session/wire"
	"midwire/session/words"
)

var messageSchema = &diagnose.Rule{
	ID: "message-schema", On: diagnose.Requests | diagnose.Notifications | diagnose.Results, Alike: true, Check: checkSchema,
}

func checkSchema(c *diagnose.Case) {
	version := schemaVersion(c)
	if !version.IsPublished() {
		return
	}
	met := made(diagnose.Shared[map[mcp.Version]*schema.Protocol](c))
	p := met[version]
	if p == nil {
		p = schema.ForVersion(version)
		met[version] = p
	}
	var faults []schema.Fault
	kind := "params"
	if o := c.Outline(); c.Message.Kind != wire.MsgResult {
		faults = p.Message(o, c.Method(), c.Message.Raw)
	} else {
		kind, faults = "result", resultFaults(c, p, o)
	}
	for i := range faults {
		reportFault(c, &faults[i], kind, version)
	}
}

// schemaVersion is the protocol version whose schema a message must fit, "" when it is
// not known or not bound to any.
func schemaVersion(c *diagnose.Case) mcp.Version {
	switch {
	case c.Call != nil && c.Call.Method == mcp.Initialize:
		if c.Message.Kind == wire.MsgResult {
			if chosen := mcp.Version(text(c.Result("protocolVersion"))); chosen.IsPublished() && !chosen.IsModern() {
				return chosen
			}
			return mcp.Version(text(wire.Get(c.Call.Params, "protocolVersion")))
		}
		return mcp.Version(text(c.Param("protocolVersion")))
	case c.Message.Kind == wire.MsgResult:
		if c.Call == nil || c.Call.Modern && !modernResponse(c) {
			return "" // a server of another era responses in its own way
		}
	case c.Message.Kind == wire.MsgRequest && c.Dir == wire.ToClient && c.IsModern():
		return "" // there are none
	}
	return c.ProtocolVersion()
}

func resultFaults(c *diagnose.Case, p *schema.Protocol, o *outline.Outline) []schema.Fault {
	if c.Call.Modern {
		switch resultType(c) {
		case "input_required":
			return p.Named(o, "InputRequiredResult", c.Message.Result)
		case "", "complete":
		default:
			return nil
		}
	}
	if p.Version == mcp.V20251125 && c.Result("task") != nil && c.Call.Method != mcp.TasksResult {
		return p.Named(o, "CreateTaskResult", c.Message.Result)
	}
	return p.Result(o, c.Call.Method, c.Message.Result)
}

func reportFault(c *diagnose.Case, f *schema.Fault, kind string, version mcp.Version) {
	base, at, path := "/result", "result"+f.Path, f.Path
	if kind == "params" {
		base, at = "", "it"
		inner, within := strings.CutPrefix(f.Path, "/params")
		switch path = inner; {
		case !within && f.Path != "":
			return
		case within && f.Keyword == "format" && c.Dir == wire.ToServer:
			return // it repeats what the server wrote
		case within:
			at = "params" + path
		}
	}
	if hasOwnRule(c, kind, path, f) {
		return
	}
	what, frames := "message", []uint64{c.N}
	switch c.Message.Kind {
	case wire.MsgRequest:
		what = "request"
	case wire.MsgNotification:
		what = "notification"
	case wire.MsgResult:
		what, frames = "result of", append(frames, c.Call.N)
	}
	c.ReportAs(what+c.Method()+f.Keyword+anyIndex(path), diagnose.Finding{
		Severity: severityOf(f, path), Side: c.Sender(), Frames: frames, Place: place(base, f),
		With: fill{"what": what, "schema": version, "fault": at + " " + f.Text},
	})
}

// severityOf says how bad a fault is: clients refuse messages that lack what must be
// there, that have it in another type, or whose data they cannot decode.
func severityOf(f *schema.Fault, path string) diagnose.Severity {
	switch {
	case isAside(path):
	case f.Keyword == "required" || f.Keyword == "type" || f.Keyword == "format" && words.Holds(f.Text, "not base64"):
		return diagnose.Error
	case f.Keyword == "format" && words.Holds(f.Text, "absolute"):
		return diagnose.Warning
	}
	return diagnose.Note
}

// hasOwnRule says whether another rule reports the same more precisely.
func hasOwnRule(c *diagnose.Case, kind, path string, f *schema.Fault) bool {
	modern := c.Message.Kind != wire.MsgNotification && c.Call != nil && c.Call.Modern
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if kind == "params" {
		switch {
		case c.Method() == mcp.Initialize && (path == "" || first == "clientInfo" && rest == ""):
			return true
		case modern && (path == "" && strings.Contains(f.Text, "“_meta”") || f.Path == ""):
			return true
		case modern && first == "_meta" && (rest == "" || rest == "io.modelcontextprotocol~1clientCapabilities" || rest == "io.modelcontextprotocol~1protocolVersion"):
			return true
		}
		return false
	}
	switch first {
	case "":
		return f.Keyword == "required" &&
			(strings.HasSuffix(f.Text, "“resultType”") || strings.HasSuffix(f.Text, "“ttlMs”") || strings.HasSuffix(f.Text, "“cacheScope”"))
	case "resultType", "ttlMs", "cacheScope", "structuredContent", "inputRequests":
		return true
	case "_meta":
		return c.Call.Method == mcp.Listen && f.Keyword == "required"
	case "tools":
		_, member, _ := strings.Cut(rest, "/")
		return strings.HasPrefix(member, "inputSchema") || strings.HasPrefix(member, "outputSchema") ||
			f.Keyword == "required" && strings.HasSuffix(f.Text, "“inputSchema”")
	}
	return false
}

// isAside says whether a place is one that nothing hangs on.
func isAside(path string) bool {
	return words.Holds(path, "/_meta", "/annotations", "/icons", "/experimental", "/extensions")
}

// anyIndex replaces numbers in a pointer, so that what is wrong with all items
// of a list is one finding.
func anyIndex(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}
