package rules

import "midwire/session/diagnose"

var certificateUntrusted = rule("certificate-untrusted", diagnose.Processes, lacksAtStart)
