package redact

import (
	"testing"

	"midwire/session/wire"
)

// Bytes of a connection that are not framed hold heads as well.
func TestUnframedHeadsAreMasked(t *testing.T) {
	r := New(Options{}, []byte("key"))
	const text = "\x00\xff\nPOST /mcp?token=abc&x=1 HTTP/1.1\r\nAuthorization: Bearer abc\r\nX: abd\r\n\r\n"
	const want = "\x00\xff\nPOST /mcp?token=redacted:9c196e32&x=1 HTTP/1.1\r\nAuthorization: Bearer redacted:9c196e32\r\nX: abd\r\n\r\n"
	got, masked := r.Frame(&wire.Frame{Kind: wire.KindRaw, Data: []byte(text)})
	if !masked || string(got) != want {
		t.Errorf("%v, %q", masked, got)
	}
}
