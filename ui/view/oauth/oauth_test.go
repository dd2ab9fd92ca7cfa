package oauth

import "testing"

// What differs of two values begins and ends between characters, whatever their bytes have
// in common.
func TestDifference(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"https://a.example/mcp", "https://b.example/mcp", "a"},
		{"https://a.example", "https://a.example/", ""},
		{"übung", "äbung", "ü"},
		{"same", "same", ""},
		{"", "x", ""},
	} {
		from, to := difference(c.a, c.b)
		if got := c.a[from:to]; got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
	if likeness("https://a.example/mcp", "resource") || !likeness("https://a.example", "https://a.example/") {
		t.Error("what is alike is shown inside the values, and nothing else")
	}
}
