package rules

import "midwire/session/diagnose"

var moduleMissing = rule("module-missing", diagnose.Processes, lacksAtStart)
