package rules

import "midwire/session/diagnose"

// modern are the rules of revision 2026-07-28.
var modern = []*diagnose.Rule{}
