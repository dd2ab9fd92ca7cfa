package rules

import "midwire/session/diagnose"

var resultTypeMissing = rule("result-type-missing", diagnose.ModernResults, func(c *diagnose.Case) {
	if !modernResponse(c) {
		return
	}
	raw := c.Result("resultType")
	what := ""
	switch kind := text(raw); {
	case raw == nil:
		what = "has no resultType"
	case raw[0] != '"':
		what = "has a resultType that is not a string: " + quoteJSON(raw)
	case kind == "complete" || kind == "input_required" || kind == "task" || isExtended(c.Call):
		return
	default:
		what = "is of the type " + quote(kind) + ", which 2026-07-28 does not define, and the request declares no extension"
	}
	c.Say(c.Call.Method+what, "The result of "+quote(c.Call.Method)+" ("+frame(c.N)+") "+what+".", c.N, c.Call.N)
})
