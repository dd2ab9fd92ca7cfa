package words

import (
	"strconv"
	"strings"
	"testing"
)

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

func TestLongListsOfNamesEnd(t *testing.T) {
	names := make([]string, 12)
	for i := range names {
		names[i] = "t" + strconv.Itoa(i)
	}
	if got := List(names[:10], 10); got != strings.Join(names[:10], ", ") {
		t.Errorf("ten: %s", got)
	}
	if got := List(names, 10); !strings.HasSuffix(got, ", t9 and 2 more") {
		t.Errorf("twelve: %s", got)
	}
}
