package peer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"midwire/session/wire"
)

// TestSSE: a server of HTTP+SSE gets messages at its endpoint and answers on the stream, also
// what it asks in between; one that names an endpoint elsewhere gets nothing, and one that
// never names any costs no more than the time there is.
func TestSSE(t *testing.T) {
	events := make(chan string, 8)
	var posted []string
	endpoint := "/messages?sessionId=1"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			raw, _ := io.ReadAll(r.Body)
			posted = append(posted, r.URL.RequestURI()+" "+string(raw))
			w.WriteHeader(http.StatusAccepted)
			if strings.Contains(string(raw), `"ping"`) {
				events <- `{"jsonrpc":"2.0","id":"q","method":"roots/list"}`
			} else {
				events <- `{"jsonrpc":"2.0","id":7,"result":{}}`
			}
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if endpoint != "" {
			fmt.Fprintf(w, "event: endpoint\ndata: %s\n\n", endpoint)
		}
		for {
			w.(http.Flusher).Flush()
			select {
			case e := <-events:
				fmt.Fprintf(w, "data: %s\n\n", e)
			case <-r.Context().Done():
				return
			}
		}
	}))
	defer srv.Close()
	ask := func(wait time.Duration) (Response, error) {
		p := new(Server).SSE(srv.URL+"/sse", func(m *wire.Message) []byte {
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"roots":[]}}`, m.ID)
		}, func() (string, error) { return "", nil })
		defer p.Close()
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		return p.Send(ctx, []byte(`{"jsonrpc":"2.0","id":7,"method":"ping"}`), http.Header{"Content-Type": {"application/json"}})
	}
	r, err := ask(10 * time.Second)
	if err != nil || r.Message.Kind != wire.MsgResult || len(posted) != 2 || !strings.HasPrefix(posted[1], "/messages?sessionId=1 ") {
		t.Errorf("%+v, %v, %q", r, err, posted)
	}
	posted, endpoint = nil, "http://192.0.2.1/messages"
	if r, err := ask(10 * time.Second); err == nil || !strings.Contains(err.Error(), "elsewhere") || len(posted) > 0 {
		t.Errorf("%+v, %v, %q", r, err, posted)
	}
	endpoint = ""
	if r, err := ask(50 * time.Millisecond); err != nil || r.Came || len(posted) > 0 {
		t.Errorf("%+v, %v, %q", r, err, posted)
	}
}
