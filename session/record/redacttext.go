package record

import (
	"regexp"
	"strings"
	"sync"
)

// credential is a way to write one in a text: a name, what stands between, and
// a value.
type credential struct {
	find   *regexp.Regexp
	secret func(name string) bool
	mask   string
}

// credentials are compiled when they are needed: most taps start without.
var credentials = sync.OnceValue(func() []credential {
	const value = `('[^']*'|"[^"]*"|[^\s'"&;]+)`
	always := func(string) bool { return true }
	return []credential{
		{regexp.MustCompile(`([\w-]+)(\s*:\s*)([^'"\s][^'"]*)`), secretHeader, plainMask},
		{regexp.MustCompile(`(\w+)(\\*"\s*:\s*\\*")([^"\\]+)`), secretArgument, plainMask},
		{regexp.MustCompile(`([\w-]+)(=)` + value), secretArgument, plainMask},
		{regexp.MustCompile(`(--[\w-]+)(\s+)(?:` + value + `)`), secretArgument, plainMask},
		{regexp.MustCompile(`(://[^\s/?#'":@]*)(:)([^\s/?#'"@]+)@`), always, plainMask + "@"},
	}
})

// redactText masks what reads like a credential in an argument that has more
// than one thing in it: a command for a shell, or JSON.
func redactText(text string) string {
	if !strings.ContainsAny(text, ":= ") {
		return text
	}
	for _, c := range credentials() {
		text = c.find.ReplaceAllStringFunc(text, func(found string) string {
			part := c.find.FindStringSubmatch(found)
			if !c.secret(part[1]) || part[3][0] == '-' {
				return found
			}
			return part[1] + part[2] + c.mask
		})
	}
	return text
}
