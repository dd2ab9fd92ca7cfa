package rules

import (
	"bytes"
	"strings"

	"midwire/session/diagnose"
)

var resourceParameterMissing = rule("resource-parameter-missing", diagnose.OtherResponses|diagnose.OtherRequests,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x.Messages > 0 {
			return
		}
		m := diagnose.Memory[hasMetadata](c)
		if c.Kind == responseKind {
			m.yes = m.yes || x.Status == 200 && strings.HasPrefix(x.Path, resourceWellKnown)
			return
		}
		authorize := x.Verb == "GET" && strings.Contains(x.Query, "response_type=code") && strings.Contains(x.Query, "client_id=")
		token := x.Verb == "POST" && bytes.Contains(c.Data, []byte("grant_type=authorization_code"))
		if !m.yes || !authorize && !token || strings.Contains("&"+x.Query, "&resource=") ||
			bytes.HasPrefix(c.Data, []byte("resource=")) || bytes.Contains(c.Data, []byte("&resource=")) {
			return
		}
		c.Say(x.Verb, target(x)+" ("+frame(x.RequestN)+") has no resource parameter.", uint64(x.RequestN))
	})

// hasMetadata says that the client got protected-resource metadata: both sides
// know protocol version 2025-06-18 or later.
type hasMetadata struct{ yes bool }
