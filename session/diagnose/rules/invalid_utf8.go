package rules

import (
	"unicode/utf8"

	"midwire/session/diagnose"
)

var invalidUTF8 = &diagnose.Rule{
	ID:       "invalid-utf8",
	Title:    "A message is not valid UTF-8",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means:   "Messages must be UTF-8. Some peers replace the invalid bytes and continue with a damaged text; others reject the whole message.",
		Wire:    "The bytes of a message are not UTF-8: a single byte of Latin-1 or Windows-1252, or a character that was cut in two.",
		Cause:   "Text of a file, a terminal or a subprocess is passed on in the code page of the machine, mostly on Windows, or a text was cut at a byte count.",
		Fix:     "In the side that sends it: decode texts when you read them, write UTF-8, and cut texts between characters. For Python on Windows set PYTHONUTF8=1.",
		Spec:    "2025-11-25 basic/transports",
		Example: "< {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"caf\\xe9\"}]}}",
	},
	On: diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if utf8.Valid(c.Message.Raw) {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: the(sender(c)) + " sent a message (" + frame(c.N) + ") that is not UTF-8: " + quote(badBytes(c.Message.Raw)) + ".",
			Side:    sender(c),
		})
	},
}

// badBytes is what stands around the first bytes that are not UTF-8.
func badBytes(b []byte) string {
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return string(b[max(0, at-20):min(len(b), at+12)])
}
