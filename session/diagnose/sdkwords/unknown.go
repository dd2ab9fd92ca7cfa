package sdkwords

import (
	"strings"

	"midwire/session/words"
)

// What servers say in words of their own when they do not know what a client asks for
// by name. Few recordings need these patterns.
var (
	unknownThing = words.Pattern(`(?i)\b(unknown|no such|invalid|unrecognized|undefined|no) (tool|prompt|resource)\b`)
	thingUnknown = words.Pattern(`(?i)\b(tool|prompt|resource)\b.{0,12}$`)
	isUnknown    = words.Pattern(`(?i)^.{0,4}( is| was)? ?(not found|unknown|does not exist|doesn't exist|not registered|not available|not recognized|not exist)`)
)

// SaysUnknown says whether a text says that a tool, prompt or resource is unknown,
// whichever it is.
func SaysUnknown(text string) bool { return unknownThing().MatchString(text) }

// SaysUnknownName says whether a text says that there is nothing of a name.
func SaysUnknownName(text, name string) bool {
	if SaysUnknown(text) {
		return true
	}
	before, after, ok := strings.Cut(text, name)
	if !ok || name == "" {
		switch words.Fold(strings.TrimRight(text, ". ")) {
		case "tool not found", "prompt not found", "resource not found":
			return true
		}
		return false
	}
	return isUnknown().MatchString(after) && (thingUnknown().MatchString(before) || strings.TrimSpace(before) == "") ||
		words.Contains(before, "not found")
}
