package intercept

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"midwire/session/wire"
)

// feed gives an editor a text in pieces, ends it, and returns what came out.
func feed(t *testing.T, e editor, text string, piece int) string {
	t.Helper()
	var out bytes.Buffer
	for len(text) > 0 {
		n := min(piece, len(text))
		b, err := e.edit([]byte(text[:n]))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b)
		text = text[n:]
	}
	out.Write(e.rest())
	return out.String()
}

// What a side sent before it broke off arrives, held back or not.
func TestEditorsGiveBackWhatWasCutOff(t *testing.T) {
	for _, text := range []string{"P", "\r\n\r\nPOST / HTTP/1.1\r\nAccept: x"} {
		n := &relay{http: &httpRun{HTTP: &HTTP{}}}
		e := &hostEditor{relay: n, framer: wire.NewRequestStream(), next: getWatcher{&endpointEditor{relay: n}}}
		if got := feed(t, e, text, 3); got != text {
			t.Errorf("the server got %q of %q", got, text)
		}
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
	for _, text := range []string{head[:20], head + "event: endp", head + "event: endpoint\ndata: http://upstream.example/m"} {
		if got := feed(t, watching(), text, 7); got != text {
			t.Errorf("the client got %q of %q", got, text)
		}
	}
}

// An endpoint event without an end is passed on once it is too long to be one.
func TestEndlessEndpointEventIsNotHeldBack(t *testing.T) {
	e := watching()
	text := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\ndata: http://upstream.example/" + strings.Repeat("x", 4*maxEndpoint)
	if got := feed(t, e, text, 4<<10); got != text || e.framer != nil {
		t.Errorf("%d bytes of %d came out; still watching: %v", len(got), len(text), e.framer != nil)
	}
}

// watching is an endpointEditor that waits for the answer to a GET.
func watching() *endpointEditor {
	host := "127.0.0.1"
	target := &url.URL{Scheme: "http", Host: "upstream.example"}
	e := &endpointEditor{relay: &relay{http: &httpRun{HTTP: &HTTP{Target: target}}}}
	e.host.Store(&host)
	return e
}
