package hub

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"midwire/session/defect"
)

// TestDefect: a request that the hub panics at gets an error that says so, and the next
// one is served.
func TestDefect(t *testing.T) {
	var told error
	h := &Hub{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), OnTrouble: func(err error) { told = err }}
	mux := http.NewServeMux()
	h.mux = mux
	mux.HandleFunc("/broken", func(http.ResponseWriter, *http.Request) { panic("a handler that lost its way") })
	mux.HandleFunc("/whole", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "fine") })
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+path, nil))
		return w
	}
	if w := ask("/broken"); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "midwire has a defect") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !errors.As(told, new(*defect.Defect)) {
		t.Errorf("told %v", told)
	}
	if w := ask("/whole"); w.Code != http.StatusOK {
		t.Errorf("the next request: %d %s", w.Code, w.Body)
	}
}
