package redact

import (
	"strings"

	"midwire/session/words"
)

const plainMask = "redacted"

// Args returns a command line with its credentials masked: values of flags and
// variables whose names say that they are credentials (--api-key X, --token=X,
// NAME=VALUE), passwords and tokens in URLs and in names of data sources, fields
// (-H "Authorization: X"), and these within a command for a shell and in JSON.
// It does not change args. There is no key here, so that all masks look the
// same: "redacted".
func Args(args []string) []string {
	if args == nil {
		return nil
	}
	r := &Redactor{plain: true}
	out := make([]string, len(args))
	flag := "" // the argument before, if it is a flag without its value
	for i, arg := range args {
		isValue := flag != "" && (!strings.HasPrefix(arg, "--") || strings.HasPrefix(arg, pemStart))
		switch {
		case isValue && isFlag([]byte(flag), []byte(arg)):
			out[i] = plainMask
		case isValue && isLogin(flag):
			out[i] = login(arg)
		default:
			out[i] = r.arg(arg)
		}
		flag = ""
		if strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "=: ") {
			flag = arg
		}
	}
	return out
}

// arg masks one argument.
func (r *Redactor) arg(arg string) string {
	if strings.HasPrefix(arg, "-u") && strings.Contains(arg, ":") && !strings.ContainsAny(arg, "/= ") {
		return "-u" + login(arg[2:]) // as curl has it
	}
	if name, value, ok := strings.Cut(arg, ":"); ok && !strings.HasPrefix(value, "//") && !strings.ContainsAny(name, "/?& '\"{}[]") {
		field := name[strings.LastIndex(name, "=")+1:]
		if value = strings.TrimSpace(value); value != "" && r.isHeader(field) && isCredential([]byte(value), sure) {
			return name + ": " + plainMask
		}
	}
	name, value, ok := strings.Cut(arg, "=")
	if ok && value != "" && !strings.ContainsAny(name, "/?:& '\"{}[]") {
		switch {
		case isFlag([]byte(name), []byte(value)):
			return name + "=" + plainMask
		case isLogin(name):
			return name + "=" + login(value)
		}
		return name + "=" + r.arg(value)
	}
	p := pass{r: r, data: []byte(arg)}
	p.step(members)
	p.step(links)
	p.step(texts)
	return sourced(p.data)
}

// Text returns a text of ours, like an error, without the credentials in what it
// quotes: passwords and parameters of URLs, members of JSON, and names of data sources.
// What stands behind a name and a colon stays: that is how errors are written.
func Text(s string) string {
	p := pass{r: &Redactor{plain: true}, data: []byte(s)}
	p.step(members)
	p.step(links)
	return sourced(p.data)
}

func sourced(text []byte) string {
	return sources().ReplaceAllString(string(text), "${1}${2}:"+plainMask+"@${3}")
}

// sources finds user:password@ in the names of data sources that are no URLs.
var sources = words.Pattern(`(^|[\s='"])([^\s:/@='"{}]+):[^\s@'"/][^\s@'"]*@((?:tcp|unix|udp)?\(|[\w.-]+:\d+\b|[\w.-]+/)`)

// isHeader reports whether a field of that name, or one behind -H, is a credential.
func (r *Redactor) isHeader(name string) bool {
	field := []byte(strings.TrimSpace(strings.TrimPrefix(name, "-H")))
	switch r.fieldKind(field) {
	case allSecret, scheme, cookies, setCookie:
		return true
	}
	return false
}

// logins are flags for user:password.
var logins = wordSet("-u --user -U --proxy-user --userpwd --login --basic-auth --basic")

func isLogin(flag string) bool { return logins()[flag] }

// login masks the password in user:password. Two numbers are a user and a group.
func login(s string) string {
	user, secret, ok := strings.Cut(s, ":")
	if !ok || secret == "" || strings.Trim(s, "0123456789:") == "" || isPlaceholder([]byte(secret)) {
		return s
	}
	return user + ":" + plainMask
}
