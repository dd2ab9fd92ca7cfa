package encoding

import (
	"bytes"
	"testing"
)

// What is encoded can be decoded, at the sizes where blocks begin and end too.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"", "gzip", "x-gzip", "deflate", "br", "zstd", "gzip, br", "identity,GZIP , deflate", "gzip,gzip,zstd", "gzip, chunked"} {
		for _, n := range []int{0, 1, 2, 255, 65535, 65536, 65537, 131072, 300_000} {
			plain := bytes.Repeat([]byte("token "), n/6+1)[:n]
			c := Parse(name)
			if got, ok := c.Decode(c.Encode(plain)); !ok || !bytes.Equal(got, plain) {
				t.Errorf("%q, %d bytes: %v, got %d", name, n, ok, len(got))
			}
		}
	}
	if got := Parse("compress").Encode([]byte("x")); string(got) != "x" {
		t.Errorf("an unknown coding makes %q", got)
	}
}

// Codings one over the other are undone in the order in which they must be.
func TestLayers(t *testing.T) {
	plain := []byte("token")
	over := Brotli.Encode(Gzip.Encode(plain))
	if got, ok := Parse("gzip, br").Decode(over); !ok || !bytes.Equal(got, plain) {
		t.Errorf("%q, %v", got, ok)
	}
	if got, ok := Parse("gzip").Join(Parse("br, chunked")).Decode(over); !ok || !bytes.Equal(got, plain) {
		t.Errorf("%q, %v", got, ok)
	}
	for _, value := range []string{"br, gzip", "gzip, compress", "gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip,gzip"} {
		if got, ok := Parse(value).Decode(over); ok {
			t.Errorf("%s makes %q of it", value, got)
		}
	}
	if c := Parse("gzip, chunked, identity, "); c != Gzip {
		t.Errorf("%x", uint32(c))
	}
}
