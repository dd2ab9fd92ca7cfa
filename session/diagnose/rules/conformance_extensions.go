package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// extensionsConformance are those of all extensions of the table (SEP-2133).
var extensionsConformance = []formal{
	{
		id: "extension-undeclared", on: diagnose.Results | diagnose.Errors, methods: extensionMethods(),
		check: checkUndeclared,
	},
	{
		id: "extension-needs-missing", on: diagnose.Results, methods: []string{mcp.Initialize, mcp.Discover},
		check: func(c *diagnose.Case) {
			caps := c.Result("capabilities")
			if c.Call == nil || c.Call.Dir != wire.ToServer || caps == nil {
				return
			}
			for _, x := range mcp.Extensions() {
				if !diagnose.Capability(caps, "extensions", x.ID) {
					continue
				}
				for _, need := range x.Needs {
					if !diagnose.Capability(caps, need) {
						c.Say(x.ID+need, c.Server()+" declares "+x.Name+" ("+quote(x.ID)+", "+frame(c.N)+") and not the capability "+quote(need)+", which it needs.",
							c.N, c.Call.N)
					}
				}
			}
		},
	},
}

// extensionMethods are the requests of the extensions, but for those of tasks, which have
// rules of their own.
func extensionMethods() []string {
	var methods []string
	for _, x := range mcp.Extensions() {
		for _, m := range x.Methods {
			if x.ID != mcp.ExtensionTasks {
				methods = append(methods, m.Name)
			}
		}
	}
	return methods
}

// declares says whether a server declares an extension, at its place or where else some
// implementations have it.
func declares(o *diagnose.Offer, x *mcp.Extension) bool {
	return diagnose.Capability(o.Caps, "extensions", x.ID) || dialectOf(o, x) != ""
}

// dialectOf is where else than at its place a server declares an extension, "" for nowhere.
func dialectOf(o *diagnose.Offer, x *mcp.Extension) string {
	for _, name := range x.Dialects {
		if diagnose.Capability(o.Caps, name) {
			return name
		}
	}
	return ""
}

// checkUndeclared looks at what came of a request that the declaration of the server does
// not allow.
func checkUndeclared(c *diagnose.Case) {
	if c.Call == nil || c.Call.Dir != wire.ToServer {
		return
	}
	made := &c.Facts.Offered
	x, m := mcp.ExtensionOf(c.Call.Method)
	if m == nil || len(made.Caps) == 0 || byTransport(c) {
		return
	}
	what := "the extension " + quote(x.ID)
	switch {
	case !declares(made, x):
	case m.Setting != "" && !diagnose.Capability(made.Caps, "extensions", x.ID, m.Setting):
		what = "the setting " + quote(m.Setting) + " of " + quote(x.ID)
	default:
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N, made.N}}
	f.Message = c.Client() + " sent " + quote(c.Call.Method) + " (" + frame(c.Call.N) + "), and the server did not declare " + what + " (" + frame(made.N) + ")."
	if c.Message.Kind == wire.MsgResult {
		f.Side = diagnose.Server
		f.Message += " It got a result all the same (" + frame(c.N) + "): other clients never ask."
	} else {
		f.Side = diagnose.Client
		f.Message += " It was refused (" + frame(c.N) + "): " + quote(errorText(c)) + "."
		if m.Setting == "" && strings.HasSuffix(m.Name, "/list") {
			f.Severity, f.Harmless = diagnose.Note, true // so a client finds out
		}
	}
	c.ReportAs(c.Call.Method+f.Side.String(), f)
}
