package document

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/term"
)

// Media is base64 of a known type.
type Media struct {
	mime string
	Code []byte // base64, standard or for URLs
	Size int    // bytes that it stands for
}

// readMedia recognises the content of a JSON string as base64.
func readMedia(mime string, code []byte) (Media, bool) {
	body := bytes.TrimRight(code, "=")
	pad := len(code) - len(body)
	if len(body) < 4 || pad > 2 || len(body)%4 == 1 || pad > 0 && len(code)%4 != 0 {
		return Media{}, false
	}
	for _, c := range body {
		if !base64Letters[c] {
			return Media{}, false
		}
	}
	return Media{mime: words.Fold(mime), Code: body, Size: len(body) * 3 / 4}, true
}

var base64Letters = func() (is [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_" {
		is[c] = true
	}
	return is
}()

// Decoded is the first n bytes, or fewer when there are no more.
func (m Media) Decoded(n int) []byte {
	code := m.Code[:min(len(m.Code), n/3*4)]
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(m.Code, "-_") {
		enc = base64.RawURLEncoding
	}
	out := make([]byte, enc.DecodedLen(len(code)))
	k, _ := enc.Decode(out, code) // letters of both alphabets: as far as it goes
	return out[:k]
}

// words say what it is: image/png, 12.3k.
func (m Media) words() safe.Text {
	t := safe.Line(m.mime)
	if m.mime == "" {
		t = "bytes of no declared type"
	}
	return t + ", " + term.Bytes(m.Size) + " in base64"
}

// Base64 says in words what a JSON string with base64 of a type stands for.
func Base64(mime string, raw []byte) safe.Text {
	if len(raw) > 2 {
		if m, ok := readMedia(mime, raw[1:len(raw)-1]); ok {
			return m.words()
		}
	}
	return safe.Line(mime) + ", no base64"
}

// textual says whether it is text, which can be shown.
func (m Media) textual() bool {
	base, _, _ := strings.Cut(m.mime, ";")
	base = strings.TrimSpace(base)
	switch {
	case strings.HasPrefix(base, "text/"), strings.HasSuffix(base, "+json"), strings.HasSuffix(base, "+xml"):
	case base == "application/json", base == "application/xml", base == "application/yaml", base == "application/javascript", base == "application/toml":
	default:
		return false
	}
	head := m.Decoded(4 << 10)
	return utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)])
}
