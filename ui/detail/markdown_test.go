package detail

import "testing"

func TestMarkdownOfAMessage(t *testing.T) {
	got := fenced("Request", 4, []byte(`{"a":"`+"```"+`"}`))
	if want := "\nRequest (#4):\n\n````json\n{\n  \"a\": \"```\"\n}\n````\n"; got != want {
		t.Errorf("got %q", got)
	}
}
