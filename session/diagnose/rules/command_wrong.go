package rules

import "midwire/session/diagnose"

var commandWrong = rule("command-wrong", diagnose.Processes, lacksAtStart)
