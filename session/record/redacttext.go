package record

import "regexp"

// redactText masks what reads like a credential in an argument that has more
// than one thing in it: a command for a shell, or JSON.
func redactText(text string) string {
	const value = `('[^']*'|"[^"]*"|[^\s'"&;]+)`
	for _, p := range []struct {
		find   string // a name, what stands between, a value
		secret func(name string) bool
		mask   string
	}{
		{`([\w-]+)(\s*:\s*)([^'"\s][^'"]*)`, secretHeader, plainMask},
		{`(\w+)(\\*"\s*:\s*\\*")([^"\\]+)`, secretArgument, plainMask},
		{`([\w-]+)(=)` + value, secretArgument, plainMask},
		{`(--[\w-]+)(\s+)(?:` + value + `)`, secretArgument, plainMask},
		{`(://[^\s/?#'":@]*)(:)([^\s/?#'"@]+)@`, func(string) bool { return true }, plainMask + "@"},
	} {
		re := regexp.MustCompile(p.find)
		text = re.ReplaceAllStringFunc(text, func(found string) string {
			part := re.FindStringSubmatch(found)
			if !p.secret(part[1]) || part[3][0] == '-' {
				return found
			}
			return part[1] + part[2] + p.mask
		})
	}
	return text
}
