package words

import "testing"

func TestWords(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Count(1, "call"), "1 call"},
		{Count(0, "call"), "0 calls"},
		{CountOf(2, "reply", "replies"), "2 replies"},
		{Join("a", "b"), "a b"},
		{Join("", "b"), "b"},
		{Join("a", ""), "a"},
		{Clip("aé", 2), "a"},
		{Clip("aé", 3), "aé"},
		{Clip("\xa4\xa4\xa4\xa4\xa4\xa4", 5), "\xa4\xa4\xa4\xa4\xa4"}, // of another encoding
		{Ellipsis("abc", 2), "ab…"},
		{Line(" a\n\tb  c ", 20), "a b c"},
		{Excerpt([]byte("  one\ntwo three"), 7), "one two…"},
		{Excerpt([]byte("界世界"), 4), "界…"},
		{Size(999), "999"},
		{Size(4100), "4.1k"},
		{Size(2_000_000), "2.0M"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
