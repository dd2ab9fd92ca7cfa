package rules

import (
	"unicode/utf8"

	"midwire/session/diagnose"
)

var invalidUTF8 = rule("invalid-utf8", diagnose.Messages,
	func(c *diagnose.Case) {
		if utf8.Valid(c.Message.Raw) {
			return
		}
		blameSender(c, "", "sent a message ("+frame(c.N)+") that is not UTF-8: "+quote(badBytes(c.Message.Raw))+".")
	})

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
