package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"midwire/session/words"
)

// Hidden are texts that a user declared secret, in every spelling in which a peer may repeat
// them: with escapes of JSON, also of JSON within JSON, of URLs and of HTML, and in base64.
// nil hides nothing. Any goroutine may use it.
type Hidden struct {
	forms  [][]byte     // longest first
	starts [256][]int32 // the forms that may begin at a byte
}

const (
	leastHidden = 4 // bytes of what is secret; all that is shorter occurs everywhere
	leastBase64 = 5 // characters of base64 that say enough
)

// Hide makes secrets ready to be looked for. What is shorter than four bytes is none.
func Hide(secrets []string) *Hidden {
	h := &Hidden{}
	for _, s := range secrets {
		if len(s) < leastHidden {
			continue
		}
		h.forms = append(h.forms, []byte(s))
		for _, encoding := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			for before := range 3 {
				if core := coreOf(encoding, s, before); len(core) >= leastBase64 {
					h.forms = append(h.forms, core)
				}
			}
		}
	}
	if h.forms == nil {
		return nil
	}
	slices.SortFunc(h.forms, func(a, b []byte) int { return cmp.Or(len(b)-len(a), bytes.Compare(a, b)) })
	h.forms = slices.CompactFunc(h.forms, bytes.Equal)
	for i, form := range h.forms {
		for _, c := range [...]byte{form[0], '\\', '%', '&'} {
			if of := &h.starts[c]; !slices.Contains(*of, int32(i)) {
				*of = append(*of, int32(i))
			}
		}
		if form[0] == ' ' {
			h.starts['+'] = append(h.starts['+'], int32(i))
		}
	}
	return h
}

// coreOf is what base64 has of a text wherever so many bytes, of three, stand before it.
func coreOf(e *base64.Encoding, s string, before int) []byte {
	whole := e.EncodeToString(append(make([]byte, before), s...))
	return []byte(whole[(before*8+5)/6 : (before+len(s))*8/6])
}

// Mask replaces what is hidden in data, which it does not change.
func (h *Hidden) Mask(data []byte) (out []byte, masked bool) {
	if h == nil {
		return data, false
	}
	from := 0
	for i := 0; i < len(data); i++ {
		for _, form := range h.starts[data[i]] {
			if n := spellingOf(data[i:], h.forms[form]); n > 0 {
				out = append(append(out, data[from:i]...), maskAt(data, i, i+n)...)
				from, masked = i+n, true
				i += n - 1
				break
			}
		}
	}
	if !masked {
		return data, false
	}
	return append(out, data[from:]...), true
}

// maskAt is the mask for data[from:to]; that of a number of JSON is a text of it.
func maskAt(data []byte, from, to int) string {
	before, after := bytes.TrimRight(data[:from], " "), bytes.TrimLeft(data[to:], " ")
	if len(bytes.Trim(data[from:to], "0123456789")) == 0 && len(before) > 0 && len(after) > 0 &&
		strings.IndexByte(":,[", before[len(before)-1]) >= 0 && strings.IndexByte(",}]", after[0]) >= 0 {
		return `"` + plainMask + `"`
	}
	return plainMask
}

// Text is Mask of a text.
func (h *Hidden) Text(s string) string {
	if out, masked := h.Mask([]byte(s)); masked {
		return string(out)
	}
	return s
}

// spellingOf is how long the spelling of a text is at the start of data, 0 for none.
func spellingOf(data, text []byte) (n int) {
	if bytes.HasPrefix(data, text) {
		return len(text)
	}
	for len(text) > 0 {
		long, of := unit(data[n:], text)
		if long == 0 {
			return 0
		}
		n, text = n+long, text[of:]
	}
	return n
}

// unit is how many bytes of data spell the next bytes of a text, and how many these are.
func unit(data, text []byte) (long, of int) {
	if len(data) == 0 {
		return 0, 0
	}
	switch data[0] {
	case '\\':
		long, of = escaped(data, text)
	case '%':
		i := 1
		for bytes.HasPrefix(data[i:], []byte("25")) && hexOf(data[i+2:], 2) >= 0 {
			i += 2 // encoded again
		}
		if c := hexOf(data[i:], 2); c == int(text[0]) {
			long, of = i+2, 1
		}
	case '&':
		end := bytes.IndexByte(data[:min(len(data), 10)], ';')
		if r := entity(data[1:max(end, 1)]); r >= 0 {
			long, of = begins(text, r, end+1)
		}
	case '+':
		if text[0] == ' ' {
			long, of = 1, 1
		}
	}
	if long == 0 && data[0] == text[0] {
		return 1, 1
	}
	return long, of
}

// escaped is unit behind a backslash. There may be several, of JSON within JSON.
func escaped(data, text []byte) (long, of int) {
	k := 0
	for k < len(data) && data[k] == '\\' {
		k++
	}
	if k == len(data) {
		return 0, 0
	}
	if text[0] == '\\' && (data[k] != 'u' || hexOf(data[k+1:], 4) != '\\') {
		return k, 1
	}
	switch c := data[k]; {
	case c == 'u':
		r := rune(hexOf(data[k+1:], 4))
		long = k + 5
		if utf16.IsSurrogate(r) {
			next := bytes.TrimLeft(data[min(long, len(data)):], `\`)
			skipped := len(data) - long - len(next)
			if low := rune(0); len(next) > 0 && next[0] == 'u' {
				low = rune(hexOf(next[1:], 4))
				r, long = utf16.DecodeRune(r, low), long+skipped+5
			}
		}
		if r >= 0 {
			return begins(text, r, long)
		}
	case c == 'x' && hexOf(data[k+1:], 2) == int(text[0]):
		return k + 3, 1
	case strings.IndexByte("ntrbf", c) >= 0:
		if text[0] == "\n\t\r\b\f"[strings.IndexByte("ntrbf", c)] {
			return k + 1, 1
		}
	case c == text[0]:
		return k + 1, 1
	}
	return 0, 0
}

// begins is unit of a character that is spelled in so many bytes.
func begins(text []byte, r rune, long int) (int, int) {
	if c := string(r); bytes.HasPrefix(text, []byte(c)) {
		return long, len(c)
	}
	return 0, 0
}

// hexOf reads digits, -1 for what is none.
func hexOf(data []byte, digits int) int {
	if len(data) < digits {
		return -1
	}
	n, err := strconv.ParseUint(string(data[:digits]), 16, 32)
	if err != nil {
		return -1
	}
	return int(n)
}

// entity is the character that HTML has a name or a number for, -1 for none.
func entity(name []byte) rune {
	switch s := string(name); {
	case s == "amp":
		return '&'
	case s == "lt":
		return '<'
	case s == "gt":
		return '>'
	case s == "quot":
		return '"'
	case s == "apos":
		return '\''
	case strings.HasPrefix(s, "#x"), strings.HasPrefix(s, "#X"):
		if n, err := strconv.ParseUint(s[2:], 16, 32); err == nil && n <= utf8.MaxRune {
			return rune(n)
		}
	case strings.HasPrefix(s, "#"):
		if n, err := strconv.ParseUint(s[1:], 10, 32); err == nil && n <= utf8.MaxRune {
			return rune(n)
		}
	}
	return -1
}

// ShowURL is a URL for people: without a login, and of its parameters the names alone.
func ShowURL(u *url.URL) string {
	shown := *u
	if u.User != nil {
		shown.User = url.User(plainMask)
	}
	shown.RawQuery, shown.Fragment, shown.RawFragment = values(u.RawQuery), "", ""
	return Args([]string{"", words.ShowURL(&shown)})[1]
}

// values are the parameters of a query, without what they are.
func values(query string) string {
	all := strings.Split(query, "&")
	for i, one := range all {
		if name, value, ok := strings.Cut(one, "="); ok && value != "" {
			all[i] = name + "=" + plainMask
		} else if len(name) > 0 && !ok {
			all[i] = plainMask // a token alone
		}
	}
	return strings.Join(all, "&")
}

// InURL are the credentials in a URL: its login, and parameters whose names or looks say so.
func InURL(u *url.URL) (secrets []string) {
	if u == nil {
		return nil
	}
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	} else if u.User != nil {
		secrets = append(secrets, u.User.Username())
	}
	r := &Redactor{plain: true}
	for one := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, ok := strings.Cut(one, "=")
		if !ok {
			name, value = "token", one
		}
		looks := len(value) >= 8 && strings.ContainsAny(value, "0123456789")
		if value == "" || !looks && !r.isParameter([]byte(name), []byte(value), true) {
			continue
		}
		secrets = append(secrets, value)
		if plain, err := url.QueryUnescape(value); err == nil {
			secrets = append(secrets, plain)
		}
	}
	return secrets
}

// plainFields are those whose values are no secrets.
var plainFields = wordSet("Accept Accept-Encoding Accept-Language Content-Type Host Origin User-Agent " +
	"Mcp-Method Mcp-Name Mcp-Protocol-Version Transfer-Encoding")

// InHeader are the credentials in the fields of requests that a user gave, without the scheme
// before them; of Basic also what it encodes.
func InHeader(h map[string][]string) (secrets []string) {
	for name, values := range h {
		if plainFields()[http.CanonicalHeaderKey(name)] {
			continue
		}
		for _, v := range values {
			scheme, rest, ok := strings.Cut(v, " ")
			switch {
			case strings.EqualFold(name, "Cookie"):
				for one := range strings.SplitSeq(v, ";") {
					_, value, _ := strings.Cut(one, "=")
					secrets = append(secrets, strings.TrimSpace(value))
				}
				continue
			case !ok:
				secrets = append(secrets, v)
				continue
			}
			secrets = append(secrets, strings.TrimSpace(rest), v[strings.LastIndexByte(v, ' ')+1:])
			if raw, err := base64.StdEncoding.DecodeString(rest); err == nil && strings.EqualFold(scheme, "Basic") {
				_, password, _ := strings.Cut(string(raw), ":")
				secrets = append(secrets, string(raw), password)
			}
		}
	}
	return secrets
}
