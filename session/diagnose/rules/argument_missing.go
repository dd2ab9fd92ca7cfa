package rules

import "midwire/session/diagnose"

var argumentMissing = rule("argument-missing", diagnose.Processes, lacksAtStart)
