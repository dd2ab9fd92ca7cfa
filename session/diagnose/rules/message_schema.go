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

// schemas are those of the protocol versions that a recording has met.
type schemas struct {
	of map[mcp.Version]*schema.Protocol
}

func (s *schemas) get(version mcp.Version) *schema.Protocol {
	if p, ok := s.of[version]; ok {
		return p
	}
	if len(s.of) > 16 { // there are not as many
		return nil
	}
	p := schema.ForVersion(version)
	made(&s.of)[version] = p
	return p
}

func checkSchema(c *diagnose.Case) {
	version := schemaVersion(c)
	if version == "" {
		return
	}
	all := diagnose.Shared[schemas](c)
	p := all.get(version)
	if p == nil {
		return
	}
	m, o := &c.Message, c.Outline()
	var faults []schema.Fault
	kind := "params"
	switch m.Kind {
	case wire.MsgRequest:
		faults = p.Request(o, c.Call.Method, m.Raw)
	case wire.MsgNotification:
		faults = p.Notification(o, string(m.Method), m.Raw)
	default:
		kind = "result"
		faults = resultFaults(c, p, o)
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
			return p.InputRequired(o, c.Message.Result)
		case "", "complete":
		default:
			return nil
		}
	}
	if p.Version == mcp.V20251125 && c.Result("task") != nil && c.Call.Method != mcp.TasksResult {
		return p.Task(o, c.Message.Result)
	}
	return p.Result(o, c.Call.Method, c.Message.Result)
}

func reportFault(c *diagnose.Case, f *schema.Fault, kind string, version mcp.Version) {
	base := "/result"
	if kind == "params" {
		base = ""
	}
	path, within := strings.CutPrefix(f.Path, "/params")
	if kind == "params" && !within && f.Path != "" || hasOwnRule(c, kind, path, f) {
		return
	}
	if kind == "params" && !within {
		kind = "it"
	}
	if kind == "params" && f.Keyword == "format" && c.Dir == wire.ToServer {
		return // it repeats what the server wrote
	}
	fault := diagnose.Server
	if c.Dir == wire.ToServer {
		fault = diagnose.Client
	}
	method, what := c.Method(), "message"
	switch c.Message.Kind {
	case wire.MsgRequest:
		what = "request"
	case wire.MsgNotification:
		what = "notification"
	case wire.MsgResult:
		what = "result of"
	}
	frames := []uint64{c.N}
	if c.Message.Kind == wire.MsgResult {
		frames = append(frames, c.Call.N)
	}
	c.ReportAs(what+method+f.Keyword+anyIndex(path), diagnose.Finding{
		Severity: severityOf(f, path), Side: fault, Frames: frames, Place: place(base, f),
		Message: "The " + what + " " + quote(method) + " (" + frame(c.N) + ") does not fit the schema of " + string(version) + ": " + kind + path + " " + f.Text + ".",
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
