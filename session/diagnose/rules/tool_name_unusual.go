package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var toolNameUnusual = &diagnose.Rule{
	ID: "tool-name-unusual", On: diagnose.Results, Methods: []string{mcp.ToolsList},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer {
			return
		}
		var names []string
		wire.Items(c.Result("tools"), func(_ int, tool []byte) bool {
			if name := text(wire.Get(tool, "name")); name != "" {
				names = append(names, name)
			}
			return len(names) < maxNames
		})
		seen := make(map[string]bool, len(names))
		for _, name := range names {
			if seen[name] {
				c.ReportAs("twice"+name, diagnose.Finding{
					Severity: diagnose.Warning, Items: []string{name},
					Message: "There are two tools of the name " + quote(name) + " in one list (" + frame(c.N) + ").",
					Frames:  []uint64{c.N, c.Call.N},
				})
			}
			seen[name] = true
		}
		reportNames(c, names)
	},
}

const maxNames = 4096

// reportNames reports the unusual names of a list, those that the protocol version
// advises against apart from those that only some clients refuse.
func reportNames(c *diagnose.Case, names []string) {
	var bad, refused []string
	for _, name := range names {
		plain, advised := len(name) <= 64, len(name) <= 128
		for i := range len(name) {
			b := name[i]
			plain = plain && (isWordByte(b) || b == '-')
			advised = advised && (isWordByte(b) || b == '-' || b == '.' || b == '/')
		}
		switch {
		case plain:
		case !advised && c.ProtocolVersion() >= mcp.V20251125:
			bad = append(bad, name)
		default:
			refused = append(refused, name)
		}
	}
	report := func(severity diagnose.Severity, names []string) {
		if len(names) == 0 {
			return
		}
		what := "The name of the tool " + quote(names[0]) + " (" + frame(c.N) + ") has"
		if len(names) > 1 {
			what = "The names of " + number(len(names)) + " tools (" + frame(c.N) + "), such as " + quote(names[0]) + ", have"
		}
		what += " other characters than letters, digits, _ and -, or more than 64 of them"
		c.ReportAs(severity.String(), diagnose.Finding{
			Severity: severity, Items: names, Message: what + ", which some clients and models refuse.", Frames: []uint64{c.N, c.Call.N},
		})
	}
	report(diagnose.Warning, bad)
	report(diagnose.Note, refused)
}
