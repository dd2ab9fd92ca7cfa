package rules

import "midwire/session/diagnose"

// transports are the rules of HTTP, its streams, and authorization.
var transports = []*diagnose.Rule{}
