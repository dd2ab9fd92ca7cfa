package rules

import "midwire/session/diagnose"

var scopeChallengeIncomplete = rule("scope-challenge-incomplete", diagnose.Refusals, deviates)
