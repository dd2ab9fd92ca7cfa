package rules

import (
	"midwire/session/defect"
	"midwire/session/diagnose"
)

var midwireDefect = rule("midwire-defect", diagnose.Defects, func(c *diagnose.Case) {
	f := defective(c.Defect)
	c.ReportAs(c.Defect.Key(), f)
})

func defective(d *defect.Defect) diagnose.Finding {
	f := diagnose.Finding{Message: "While midwire read the recording, " + d.Unit + " failed", Defect: d}
	if d.Frame != 0 {
		f.Message += " at " + frame(d.Frame)
		f.Frames = []uint64{d.Frame}
	}
	f.Message += ": " + d.What + ". It is left out; everything else is judged as usual, and no traffic was affected."
	return f
}

// Defect is the finding about a recording that midwire failed to read to its end.
func Defect(d *defect.Defect) *diagnose.Finding {
	r := Find("midwire-defect")
	f, help := defective(d), r.Help()
	f.Rule, f.Severity, f.Side = r, r.Severity, r.Side
	f.Session, f.Count, f.Cause, f.Remedies = -1, 1, help.Cause, help.Remedies
	return &f
}
