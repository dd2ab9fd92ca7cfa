package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

var serverDidNotStart = rule("server-did-not-start", diagnose.Processes, func(c *diagnose.Case) {
	trouble := text(wire.Get(c.Data, "error"))
	if c.Frame.Kind != wire.KindStart || trouble == "" {
		return
	}
	trouble, _, _ = strings.Cut(strings.TrimSuffix(trouble, "."), ". ") // advice follows
	f := diagnose.Finding{Message: c.Server() + " could not be started: " + trouble + "."}
	if strings.Contains(trouble, "cannot be run") || strings.Contains(trouble, "permission denied") {
		advise(&f, "file is no program")
	}
	c.ReportAs("", f)
})
