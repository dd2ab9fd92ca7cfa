package coded

import (
	"bytes"
	"testing"
)

// What is encoded can be decoded, at the sizes where blocks begin and end too.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"", "gzip", "x-gzip", "deflate", "br", "zstd"} {
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
