package rules

import "midwire/session/diagnose"

var runtimeTooOld = rule("runtime-too-old", diagnose.Processes, lacksAtStart)
