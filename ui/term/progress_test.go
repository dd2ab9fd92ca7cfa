package term

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestProgress: a terminal gets a line, and no escape of a peer; a pipe, and what takes no
// second, nothing.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{w: &b, began: time.Now().Add(-time.Minute)}
	p.Show(1, 4, "ping \x1b]0;evil\x07"+strings.Repeat("д", 200))
	p.Show(9, 4, "more than all")
	p.End()
	text := b.String()
	for _, want := range []string{"████░", "1 of 4", "ping", "4 of 4"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if strings.Contains(text, "\x1b]") {
		t.Errorf("an escape of a peer: %q", text)
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
