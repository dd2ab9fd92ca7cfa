package peer

import (
	"net/http"
	"strings"

	"midwire/session/record"
)

// Secrets are the credentials in header fields that a user gave: they are neither recorded
// nor printed, also where a server repeats them. What is shorter than six bytes is none, as
// in a recording.
type Secrets []string

// SecretsIn are those of some header fields, without the scheme before a credential.
func SecretsIn(h http.Header) (s Secrets) {
	for _, values := range h {
		for _, v := range values {
			if v = v[strings.LastIndexByte(v, ' ')+1:]; len(v) >= 6 {
				s = append(s, v)
			}
		}
	}
	return s
}

// Record is open, of recordings that do not hold them, and that say that midwire asks.
func (s Secrets) Record(open func(record.Header) *record.Writer) func(record.Header) *record.Writer {
	return func(h record.Header) *record.Writer {
		h.Asks = true
		w := open(h)
		w.Hide(s)
		return w
	}
}

// Text is a text without them.
func (s Secrets) Text(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "redacted")
	}
	return text
}
