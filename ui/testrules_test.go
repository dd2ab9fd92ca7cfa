package ui

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/wire"
)

// testRules are the rules of the tests of this package, so that screens stay
// the same when the catalogue grows.
func testRules() []*diagnose.Rule {
	return []*diagnose.Rule{tooEarly(), stdoutNoise(), undeclared(), unanswered(), forgotten()}
}

// page is a page that is the same for every rule and server.
func page(h diagnose.Help) func() diagnose.Help {
	return func() diagnose.Help { return h }
}

// tooEarly fires when a server complains of the handshake.
func tooEarly() *diagnose.Rule {
	return &diagnose.Rule{
		ID: "initialized-late", Title: "A request came before notifications/initialized, and was refused",
		Severity: diagnose.Error, Side: diagnose.Client, Era: diagnose.Handshake, On: diagnose.Refusals,
		Page: page(diagnose.Help{
			Means:    "Up to revision 2025-11-25 a server may refuse whatever comes before notifications/initialized, and many do.",
			Cause:    "The client does not wait for its own notification before it asks for more.",
			Remedies: []diagnose.Remedy{{Side: diagnose.Client, Text: "wait for the answer to initialize, send notifications/initialized, and only then ask for anything."}},
			Spec:     "2025-06-18 basic/lifecycle: Initialization",
		}),
		Check: func(c *diagnose.Case) {
			if c.Call != nil && c.Refusal.Says("not initialized") {
				c.ReportAs("", diagnose.Finding{
					Message: c.Client() + " sent “" + c.Call.Method + "” (#" + strconv.Itoa(int(c.Call.N)) + ") before notifications/initialized, and the server refused: “" + c.Refusal.Text + "”.",
					Frames:  []uint64{c.Call.N, c.N},
				})
			}
		},
	}
}

// stdoutNoise fires on what is not JSON-RPC, and counts.
func stdoutNoise() *diagnose.Rule {
	return &diagnose.Rule{
		ID: "stdout-noise", Title: "The server wrote something else than JSON-RPC to its standard output",
		Severity: diagnose.Warning, Side: diagnose.Server, On: diagnose.Noise,
		Page: page(diagnose.Help{
			Means:    "Standard output belongs to the protocol. Clients may drop the line, or the session.",
			Cause:    "A print or a logger that writes to standard output.",
			Remedies: []diagnose.Remedy{{Side: diagnose.Server, Text: "write logs to standard error."}},
			Spec:     "2025-06-18 basic/transports: stdio",
		}),
		Check: func(c *diagnose.Case) {
			c.ReportAs("", diagnose.Finding{
				Message: "The server wrote “" + string(c.Data[:min(len(c.Data), 40)]) + "”.",
			})
		},
	}
}

// undeclared fires for every method that a server does not know.
func undeclared() *diagnose.Rule {
	return &diagnose.Rule{
		ID: "unknown-method", Title: "The server does not know a method that the client uses",
		Severity: diagnose.Note, Side: diagnose.Client, On: diagnose.Errors,
		Page: page(diagnose.Help{
			Means:    "What a server did not declare at initialize it need not answer.",
			Cause:    "The client does not look at the capabilities of the server.",
			Remedies: []diagnose.Remedy{{Side: diagnose.Client, Text: "ask only for what the server declared."}},
			Spec:     "2025-06-18 basic/lifecycle: Capability Negotiation",
		}),
		Check: func(c *diagnose.Case) {
			if code, _ := wire.Int(wire.Get(c.Message.Error, "code")); code == -32601 && c.Call != nil {
				c.Report(diagnose.Finding{
					Message: "The server does not know “" + c.Call.Method + "”: “" + wire.Text(wire.Get(c.Message.Error, "message")) + "”.",
					Frames:  []uint64{c.Call.N, c.N}, Seen: true,
				})
			}
		},
	}
}

// unanswered fires at the end of a recording.
func unanswered() *diagnose.Rule {
	return &diagnose.Rule{
		ID: "never-answered", Title: "A request was never answered",
		Severity: diagnose.Warning, Side: diagnose.Server, On: diagnose.Finish,
		Page: page(diagnose.Help{Means: "Every request has an answer.", Cause: "The server lost it.", Remedies: []diagnose.Remedy{{Side: diagnose.Server, Text: "answer."}}, Spec: "JSON-RPC 2.0"}),
		Check: func(c *diagnose.Case) {
			for _, i := range c.Session.Rows() {
				if row := c.Tracker().Row(int(i)); row.Ending.Open() {
					c.Report(diagnose.Finding{
						Message: "Nothing came back for #" + strconv.Itoa(int(row.Request)) + ".",
						Frames:  []uint64{uint64(row.Request)},
					})
				}
			}
		},
	}
}

// forgotten fires when a server does not know a session any more.
func forgotten() *diagnose.Rule {
	return &diagnose.Rule{
		ID: "session-forgotten", Title: "The server does not know the session any more",
		Severity: diagnose.Error, Side: diagnose.Unclear, On: diagnose.Refusals,
		Page: page(diagnose.Help{Means: "A session id that a server issued is good until it says 404.", Cause: "The server was restarted, or another replica answers.", Remedies: []diagnose.Remedy{{Side: diagnose.Client, Text: "initialize again when a session is gone."}}, Spec: "2025-06-18 basic/transports: Session Management"}),
		Check: func(c *diagnose.Case) {
			if c.Refusal.Status == 404 {
				c.Report(diagnose.Finding{
					Message: "The server answered 404: “" + c.Refusal.Text + "”.",
					Side:    diagnose.Server,
				})
			}
		},
	}
}
