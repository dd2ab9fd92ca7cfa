package rules

import "midwire/session/diagnose"

var serviceUnreachable = rule("service-unreachable", diagnose.Processes, lacksAtStart)
