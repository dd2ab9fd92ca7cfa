package operation

import (
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// failureStarts are how results begin that tell of a failure, in lower case.
var failureStarts = [...]string{
	"error", "exception", "traceback (most recent", "failed to", "failure", "unable to", "could not", "mcp error", "internal error",
	"fatal", "unauthorized", "forbidden", "access denied", "request failed with status", "http error", "not found", "❌",
}

// ReadsFailed reports whether the text of a result reads like a failure: it begins like one, or
// is as a whole a JSON object with an error, says that a program ended with another exit code than 0,
// or is one line that names a limit of calls.
func ReadsFailed(text string) bool {
	s := strings.TrimLeft(text, " \r\n\t⚠️*#")
	if s == "" {
		return false
	}
	if s[0] == '{' {
		return isErrorObject(s)
	}
	for _, begin := range failureStarts {
		if words.HasPrefix(s, begin) && (len(s) == len(begin) || !isLetter(s[len(begin)]) || begin == "❌") {
			return true
		}
	}
	if exit := exitLine().FindStringSubmatch(s); exit != nil {
		return exit[1] != "0"
	}
	name, _, found := strings.Cut(s, ":")
	if found && !strings.ContainsAny(name, " \t\n") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) {
		return true
	}
	return !strings.ContainsAny(strings.TrimSpace(s), "\n") && len(s) < 200 &&
		(words.Contains(s, "rate limit") || words.Contains(s, "too many requests") || words.HasPrefix(s, "no ") && words.Contains(s, "session"))
}

// exitLine is a line that says how a program ended.
var exitLine = words.Pattern(`(?im)^(?:exit code|exited with code|exit status):? *(\d{1,3})\s*$`)

// isErrorObject reports whether a text, which may be cut off, is a JSON object that says of itself
// that it is an error.
func isErrorObject(s string) bool {
	is := false
	wire.Members([]byte(s), func(key, value []byte) bool {
		v := strings.Trim(string(value), `"`)
		switch string(key) {
		case "error", "errors":
			is = is || v != "null" && v != "" && v != "false" && v != "[]" && v != "{}" && v != "0"
		case "exitCode", "exit_code", "returncode":
			is = is || v != "0" && v != "null"
		case "success", "ok":
			is = is || v == "false"
		case "type", "status", "level":
			is = is || words.Equal(v, "error") || words.Equal(v, "failed") || len(v) == 3 && (v[0] == '4' || v[0] == '5')
		}
		return !is
	})
	return is
}
