package library

import (
	"fmt"
	"strings"
	"testing"
)

// What was written stays as it was, whatever comes later.
func TestWordBook(t *testing.T) {
	var b RowTexts
	const rows = 5000
	long := strings.Repeat("é", maxWords)
	for i := range rows {
		b.add()
		b.setTarget(i, "search", fmt.Sprintf("q=%d", i))
	}
	for i := range rows {
		if i%3 == 0 {
			b.setResult(i, "waiting")
			b.setResult(i, long)
		}
	}
	if len(b.pages) < 2 {
		t.Fatalf("%d pages: they are not all tried", len(b.pages))
	}
	for i := range rows {
		w := b.Of(i)
		if want := fmt.Sprintf("search q=%d", i); w.Target != want {
			t.Fatalf("row %d: %q, not %q", i, w.Target, want)
		}
		if name, more := w.Parts(); name != "search" || more != fmt.Sprintf("q=%d", i) {
			t.Fatalf("row %d: %q and %q", i, name, more)
		}
		want := ""
		if i%3 == 0 {
			want = long[:maxWords] + "…"
		}
		if w.Result != want {
			t.Fatalf("row %d: %q, not %q", i, w.Result, want)
		}
	}
}
