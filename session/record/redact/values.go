package redact

import "bytes"

// A name is not always enough: what stands under it may say how to log in, or
// stand for a credential that is somewhere else.

// ways to log in, and other values that are no credentials.
var ways = wordSet(`none no yes true false on off basic bearer digest ntlm negotiate kerberos oauth oauth2 oidc saml jwt apikey api-key api_key token key
	password header query cookie session anonymous public required optional enabled disabled auto default include omit same-origin string
	null undefined mtls tls ok pass fail passed failed skip skipped code client_secret_basic client_secret_post private_key_jwt`)

// isCredential reports whether a value that is not empty is one, under a name of
// that kind.
func isCredential(value []byte, k kind) bool {
	if isMask(value) || isPlaceholder(value) {
		return false
	}
	switch k {
	case plural:
		return len(bytes.Trim(value, "0123456789")) > 0
	case auth, mode:
		return !isWay(value) && !isPath(value) && !isProse(value)
	case keyLike:
		return !isPath(value)
	}
	return true
}

// isWay reports whether a value is the name of a way to log in.
func isWay(value []byte) bool {
	var small [24]byte
	if len(value) > len(small) {
		return false
	}
	lower := small[:copy(small[:], value)]
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	return ways()[string(lower)]
}

// maxProse is how long a sentence is, and a placeholder, at most: what is no
// credential is looked at again, and hostile text must not make that long.
const maxProse = 1 << 10

// isProse reports whether a value is a sentence: one that explains how to log in.
func isProse(value []byte) bool {
	return len(value) < maxProse && bytes.Count(value, []byte(" ")) > 2 && bytes.IndexByte(value, '=') < 0 &&
		!bytes.HasPrefix(value, []byte(pemStart))
}

// isPath reports whether a value is the name of a file: PWD=/home/me.
func isPath(value []byte) bool {
	if len(value) > 2 && value[1] == ':' && value[2] == '\\' { // of Windows
		return true
	}
	for _, start := range [...]string{"./", "../", "~/"} {
		if bytes.HasPrefix(value, []byte(start)) {
			return true
		}
	}
	// Base64 may begin with a slash too.
	return len(value) > 0 && value[0] == '/' && len(value) < 200 && !bytes.ContainsAny(value, "+=") &&
		bytes.Count(value, []byte("/")) > 1
}

// isPlaceholder reports whether a value stands for one that was not written down:
// ${TOKEN}, $TOKEN, {{token}}, <token>, ***.
func isPlaceholder(value []byte) bool {
	n := len(value)
	switch {
	case n < 2 || n > maxProse:
		return false
	case value[0] == '$' && value[1] == '{', value[0] == '{' && value[1] == '{':
		return value[n-1] == '}' && bytes.IndexByte(value, '}') >= n-2
	case value[0] == '<':
		return value[n-1] == '>' && bytes.IndexByte(value, '>') == n-1
	case value[0] == '$':
		return len(bytes.Trim(value[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")) == 0
	}
	return len(bytes.Trim(value, "*")) == 0
}
