package rules

import "midwire/session/diagnose"

// messages are the rules of JSON-RPC, the life cycle, capabilities and stdio.
var messages = []*diagnose.Rule{}
