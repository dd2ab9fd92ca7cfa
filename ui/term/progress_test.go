package term

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestProgress: a terminal gets a line and a bar, and no escape of a peer; a pipe, and what
// takes no second, nothing.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{w: &b, bar: true, began: time.Now().Add(-time.Minute)}
	p.Show(1, 4, "ping \x1b]0;evil\x07"+strings.Repeat("д", 200))
	p.Show(9, 4, "more than all")
	p.End()
	text := b.String()
	for _, want := range []string{"████░", "1 of 4", "ping", "\x1b]9;4;1;25", "\x1b]9;4;1;100", "\x1b]9;4;0"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if strings.Contains(text, "\x1b]0;") {
		t.Errorf("an escape of a peer: %q", text)
	}
	b.Reset()
	p.Show(1, 4, strings.Repeat("👩\u200d👩\u200d👧\u200d👦", 20))
	if line, _, _ := strings.Cut(strings.TrimPrefix(b.String(), "\r"), "\x1b"); Counting().StringWidth(line) > progressLine {
		t.Errorf("a line of %d cells: %q", Counting().StringWidth(line), line)
	}
	b.Reset()
	plain := &Progress{w: &b, began: time.Now().Add(-time.Minute)}
	plain.Show(1, 4, "ping")
	plain.End()
	if text := b.String(); !strings.Contains(text, "1 of 4") || strings.Contains(text, "\x1b]9") {
		t.Errorf("a terminal without a bar gets %q", text)
	}
	for _, quiet := range []*Progress{{began: time.Now().Add(-time.Minute)}, {w: &b, began: time.Now()}} {
		b.Reset()
		quiet.Show(1, 4, "ping")
		quiet.End()
		if b.Len() > 0 {
			t.Errorf("it shows %q", b.String())
		}
	}
}
