package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var settingMissing = rule("setting-missing", diagnose.Processes|diagnose.Finish, func(c *diagnose.Case) {
	if c.N == 0 {
		offersNothing(c)
		return
	}
	lacksAtStart(c)
})

// offersNothing reports a server that runs without what it needs: it said what it lacks, and has
// no tools.
func offersNothing(c *diagnose.Case) {
	if c.Facts == nil || !c.Facts.Negotiated() {
		return
	}
	a := c.Operations().Of(c.Session.Index)
	if a == nil || len(a.Tools)+len(a.Resources) > 0 || len(a.Stderr.First) == 0 {
		return
	}
	for _, method := range []string{mcp.ToolsCall, mcp.ResourcesRead, mcp.PromptsGet, mcp.PromptsList} {
		if t := a.Tally(method); t != nil && t.Served > 0 {
			return
		}
	}
	line := a.Stderr.First[0]
	list := a.Tally(mcp.ToolsList)
	if list == nil && offersAnything(c.Facts.Init.ServerCaps) || !holdsSetting(line.Text, nil) {
		return
	}
	f := diagnose.Finding{
		Severity: diagnose.Warning, Says: "runs", Frames: []uint64{line.N, c.Facts.Init.ResponseN},
		With: fill{"said": strings.TrimSpace(line.Text), "line": line.N},
	}
	if names := lacking("setting-missing", line.Text); names != "" {
		f.Remedies = addSetting(names)
	}
	c.ReportAs("", f)
}
