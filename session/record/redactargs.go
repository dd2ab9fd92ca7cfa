package record

import "strings"

// RedactArgs returns a command line with the values of flags masked whose
// names say that they are credentials (--api-key X, --token=X), as well as
// passwords and tokens in URLs and credentials in NAME=VALUE and in headers
// (-H "Authorization: X"). It does not change args. There is no key here, so
// that all masks look the same: "redacted".
func RedactArgs(args []string) []string {
	if args == nil {
		return nil
	}
	out := make([]string, len(args))
	secret := false // the argument belongs to the flag before it
	for i, arg := range args {
		switch {
		case i == 0:
			out[i] = arg
		case secret && !strings.HasPrefix(arg, "--"):
			out[i], secret = plainMask, false
		default:
			out[i], secret = redactArg(arg)
		}
	}
	return out
}

const plainMask = "redacted"

// redactArg masks one argument, and says whether the next one is its value.
func redactArg(arg string) (masked string, next bool) {
	if name, value, ok := strings.Cut(arg, ":"); ok && !strings.HasPrefix(value, "//") && secretHeader(name) {
		return name + ": " + plainMask, false
	}
	name, value, ok := strings.Cut(arg, "=")
	isFlag := strings.HasPrefix(name, "-")
	switch {
	case strings.ContainsAny(name, "/?:& "):
		return redactText(redactURL(arg)), false
	case !secretArgument(strings.TrimLeft(name, "-")):
		if ok {
			masked, _ := redactArg(value)
			return name + "=" + masked, false
		}
		return arg, false
	case ok && value != "":
		return name + "=" + plainMask, false
	}
	return arg, isFlag && !ok
}

// secretArgument says whether a flag or variable of that name holds a
// credential. A lone word like "auth" can be a mode as well as a credential.
func secretArgument(name string) bool {
	n := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
	switch n {
	case "key", "auth", "code", "sig", "signature", "pass":
		return false
	case "pat", "credential", "credentials", "bearer", "authorization":
		return true
	}
	for _, end := range [...]string{"token", "password", "passwd", "secret", "apikey", "accesskey", "privatekey", "secretkey", "passphrase", "accesstoken"} {
		if strings.HasSuffix(n, end) {
			return true
		}
	}
	return false
}

func secretHeader(name string) bool {
	_, name, _ = cutLast(name, "=")
	switch (&redactor{}).fieldSecret([]byte(strings.TrimSpace(name))) {
	case noSecret, link:
		return false
	}
	return true
}

// cutLast cuts around the last sep; without one, all of s is after it.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// redactURL masks the password and the credential parameters of a URL.
func redactURL(s string) string {
	if i := strings.Index(s, "://"); i > 0 {
		rest := s[i+3:]
		end := strings.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		if userinfo, host, ok := cutLast(rest[:end], "@"); ok {
			user, _, ok := strings.Cut(userinfo, ":")
			switch {
			case ok:
				s = s[:i+3] + user + ":" + plainMask + "@" + host + rest[end:]
			case strings.HasPrefix(s, "http"): // a token alone
				s = s[:i+3] + plainMask + "@" + host + rest[end:]
			}
		}
	}
	var b strings.Builder
	kept := 0
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], "?&#")
		if next < 0 {
			break
		}
		i += next + 1
		n := untilAny([]byte(s[i:]), nameEnds)
		if i+n >= len(s) || s[i+n] != '=' || !secretParameter([]byte(s[i:i+n])) {
			continue
		}
		from := i + n + 1
		i = from + untilAny([]byte(s[from:]), valueEnds)
		if i > from {
			b.WriteString(s[kept:from] + plainMask)
			kept = i
		}
	}
	return b.String() + s[kept:]
}
