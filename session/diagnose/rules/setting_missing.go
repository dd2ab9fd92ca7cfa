package rules

import "midwire/session/diagnose"

var settingMissing = rule("setting-missing", diagnose.Processes, lacksAtStart)
