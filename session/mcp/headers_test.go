package mcp_test

import (
	"testing"
	"unicode/utf8"

	"midwire/session/mcp"
)

func TestHeaderValues(t *testing.T) {
	for value, want := range map[string]string{
		"":                   "",
		"read_file":          "read_file",
		"two words":          "two words",
		" ends":              "=?base64?IGVuZHM=?=",
		"tab\t":              "=?base64?dGFiCQ==?=",
		"größe":              "=?base64?Z3LDtsOfZQ==?=",
		"=?base64?eA==?=":    "=?base64?PT9iYXNlNjQ/ZUE9PT89?=",
		"=?base64?no suffix": "=?base64?no suffix",
		"\u00a0":             "=?base64?wqA=?=",
	} {
		if got := mcp.EncodeHeader(value); got != want || mcp.NeedsEncoding(value) != (got != value) {
			t.Errorf("%q is written %q, want %q", value, got, want)
		}
	}
	for text, ok := range map[string]bool{
		"plain": true, "": true, "=?base64??=": true, "=?BASE64?eA==?=": true,
		"=?base64?": false, "=?base64?eA==": false, "=?base64?!?=": false, "=?base64?/w==?=": false,
	} {
		if got, is := mcp.DecodeHeader(text); is != ok || !ok && got != text {
			t.Errorf("%q is read as %q, %v", text, got, is)
		}
	}
}

// FuzzHeaderValue: what is written is read again, and fits into a header.
func FuzzHeaderValue(f *testing.F) {
	for _, s := range []string{"a", " a", "é", "=?base64?", "=?base64?eA==?=", "\x00\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		text := mcp.EncodeHeader(value)
		for _, c := range []byte(text) {
			if c < 0x20 || c > 0x7e {
				t.Fatalf("%q is written %q", value, text)
			}
		}
		// A prefix alone needs no encoding, and is no encoded value either.
		if got, ok := mcp.DecodeHeader(text); utf8.ValidString(value) && got != value || ok && !utf8.ValidString(value) {
			t.Fatalf("%q is written %q and read as %q, %v", value, text, got, ok)
		}
	})
}
