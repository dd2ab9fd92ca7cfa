package session_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	. "midwire/session"
	"midwire/session/describe"
	"midwire/session/encoding"
	"midwire/session/wire"
)

// A recording of a few hundred small bodies that unfold to megabytes each is
// read in bounds, as bodies and as event streams. What is not read is not read
// later either, and nobody says of it that it never came.
func TestBombs(t *testing.T) {
	bomb := fold(t, "br", `{"jsonrpc":"2.0","id":1,"result":{"x":"`+string(bytes.Repeat([]byte("A"), 8<<20))+`"}}`)
	for _, media := range []string{"application/json", "text/event-stream"} {
		decoded := 0
		s := &transcript{}
		const n = 100
		for x := 1; x <= n; x++ {
			body := bomb
			if x == n {
				body = fold(t, "br", "data: "+fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, x)+"\n\n")
				if media == "application/json" {
					body = fold(t, "br", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, x))
				}
			}
			s.http(1, x, fmt.Sprintf(`> POST /mcp || {"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, x))
			s.http(1, x, "< 200 "+media+" | Content-Encoding: br")
			s.Add(wire.Frame{Kind: wire.KindBody, Dir: '<', Conn: 1, X: uint32(x)}, string(body))
			s.http(1, x, "close server")
		}
		tr := New(Options{Watch: func(e *Event) {
			if e.Kind == EventBody || e.Kind == EventSSE {
				decoded += len(e.Data)
			}
		}})
		for _, f := range s.Frames {
			tr.Apply(f)
		}
		if most := encoding.MaxDecoded + 64*n*len(bomb) + 1<<20; decoded > most {
			t.Errorf("%s: %d bytes unfolded, at most %d", media, decoded, most)
		}
		last := tr.Row(tr.Rows() - 1)
		if _, result := describe.Row(tr, last, nil, s.frame(last.Response)); last.Ending != NoEnding || !strings.Contains(result, "not read") {
			t.Errorf("%s: what was not read is called %v, %q", media, last.Ending, result)
		}
		later := 0
		for i := range tr.Rows() {
			if f := s.frame(tr.Row(i).Response); f != nil {
				later += len(tr.Payload(f))
			}
		}
		if later > decoded+1<<20 {
			t.Errorf("%s: %d bytes unfolded when words are asked for, %d at first", media, later, decoded)
		}
	}
}
