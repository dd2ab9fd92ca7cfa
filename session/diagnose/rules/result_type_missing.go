package rules

import (
	"midwire/session/diagnose"
)

var resultTypeMissing = &diagnose.Rule{
	ID:       "result-type-missing",
	Title:    "A result does not say what kind of result it is",
	Severity: diagnose.Error,
	Fault:    diagnose.Server,
	Lint:     "L-74",
	Help: diagnose.Help{
		Means: "A result of 2026-07-28 is the answer, a question for more input, or something that an extension defines. resultType says which. A client that finds none takes it for the answer, and one that finds an unknown one cannot read it.",
		Wire:  "A result without resultType, with one that is no string, or with another one than complete and input_required although the request declared no extension.",
		Cause: "The server, or a gateway, builds results the way older revisions do; or it uses an extension without asking whether the client knows it.",
		Fix:   `In the server: add "resultType":"complete" to every result that is the answer, empty ones included, and use the kinds of an extension only for requests that declare it in clientCapabilities.extensions.`,
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
			what = "has a resultType that is no string: " + quote(string(raw))
		case kind == "complete" || kind == "input_required" || kind == "task" || isExtended(c.Call):
			return
		default:
			what = "is of the type " + quote(kind) + ", which is neither of 2026-07-28 nor of an extension, as the request declares none"
		}
		c.ReportAs(c.Call.Method+what, diagnose.Finding{
			Message: "The result of " + quote(c.Call.Method) + " (" + frame(c.N) + ") " + what + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
