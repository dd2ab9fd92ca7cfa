package mock

import (
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestLongRequestsWait: one long request is in memory at a time, and short ones do not wait for it.
func TestLongRequestsWait(t *testing.T) {
	h := newHandler(nil)
	read := func(ctx context.Context, size int) (func(), error) {
		r := httptest.NewRequest("POST", "/mcp", io.LimitReader(strings.NewReader(strings.Repeat("x", size)), int64(size)))
		body, done, err := h.body(httptest.NewRecorder(), r.WithContext(ctx))
		if err == nil && len(body) != size {
			t.Errorf("%d bytes of %d", len(body), size)
		}
		return done, err
	}
	first, err := read(t.Context(), 3<<20)
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := read(gone, 2<<20); err == nil {
		t.Error("a second long request did not wait")
	}
	if _, err := read(gone, 100); err != nil {
		t.Errorf("a short one: %v", err)
	}
	first()
	if done, err := read(t.Context(), 2<<20); err != nil {
		t.Errorf("after the first: %v", err)
	} else {
		done()
	}
}
