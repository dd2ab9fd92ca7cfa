package record

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// unescape decodes the inside of a JSON string in place.
func unescape(in []byte) ([]byte, error) {
	i := bytes.IndexByte(in, '\\')
	if i < 0 {
		return in, nil
	}
	out := in[:i]
	for i < len(in) {
		c := in[i]
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		if i+1 >= len(in) {
			return nil, errPayload
		}
		i += 2
		switch c := in[i-1]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, n := unescapeRune(in[i:])
			if n == 0 {
				return nil, errPayload
			}
			out = utf8.AppendRune(out, r)
			i += n
		default:
			return nil, errPayload
		}
	}
	return out, nil
}

// unescapeRune reads what follows \u, and a second \uXXXX where the first is
// half of a pair. n is the number of bytes it took, 0 when they are wrong.
func unescapeRune(b []byte) (r rune, n int) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(b) >= 10 && b[4] == '\\' && b[5] == 'u' {
		if low, ok := hex4(b[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 10
			}
		}
	}
	return utf8.RuneError, 4
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// unbase64 decodes in place, in pieces because the decoder does not promise
// that it can.
func unbase64(in []byte) ([]byte, error) {
	out := in[:0]
	var piece [768]byte
	for len(in) > 0 {
		k := min(len(in), 1024)
		n, err := base64.StdEncoding.Decode(piece[:], in[:k])
		if err != nil || n < len(piece) && k < len(in) {
			return nil, fmt.Errorf("%w: bad base64", errPayload)
		}
		out = append(out, piece[:n]...)
		in = in[k:]
	}
	return out, nil
}
