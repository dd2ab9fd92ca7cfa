package rules

import (
	"midwire/session/diagnose"
)

var resultTypeMissing = &diagnose.Rule{
	ID:       "result-type-missing",
	Title:    "A result does not have a valid resultType",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A result of 2026-07-28 is the final response, a question for more input, or a kind that an extension defines. resultType says which. Without it a client treats the result as the final response; it cannot read an unknown kind.",
		Wire:  "A result without resultType, with one that is not a string, or with another one than complete and input_required although the request declared no extension.",
		Cause: "The server, or a gateway, builds results as in older protocol versions; or it uses an extension without checking whether the client supports it.",
		Fix:   `In the server: add "resultType":"complete" to every final result, including empty ones, and use the kinds of an extension only for requests that declare it in clientCapabilities.extensions.`,
		Spec:  "2026-07-28 basic/index: Result Type",
		Example: `< {"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"done"}]}}
  correct: {"resultType":"complete","content":[…]}`,
	},
	On: diagnose.Results,
	Check: func(c *diagnose.Case) {
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
		c.ReportAs(c.Call.Method+what, diagnose.Finding{
			Message: "The result of " + quote(c.Call.Method) + " (" + frame(c.N) + ") " + what + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
