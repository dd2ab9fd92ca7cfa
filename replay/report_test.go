package replay

import (
	"testing"

	"midwire/fixtures/replaytest"
)

// A report keeps responses, so that they can be looked at, as far as there is
// room, and says of which there was too much.
func TestReportKeepsResponses(t *testing.T) {
	s := load(t, replaytest.Tape(t, "stdio", `> {"jsonrpc":"2.0","id":1,"method":"echo"}`))
	side := func(body string) Response { return Response{There: true, Body: []byte(body)} }
	r := NewReport(s, 10)
	shared := side(`[1]`)
	for _, o := range []Outcome{
		{Method: "echo", Was: shared, Now: side(`{"a":1}`)},
		{Method: "tools/call", Was: side(`{"isError":true}`)},
	} {
		r.Add(&o)
	}
	shared.Body[1] = '2'
	first, second := r.Outcomes[0], r.Outcomes[1]
	if string(first.Was.Body) != `[1]` || string(first.Now.Body) != `{"a":1}` || first.Now.Cut {
		t.Errorf("the first: %+v", first)
	}
	if second.Was.Body != nil || !second.Was.Cut || !second.Was.Failed || second.Now.There || second.Now.Failed {
		t.Errorf("the second: %+v", second)
	}
	if _, ok := r.Comparison().Lines(0); !ok {
		t.Error("what was kept is not laid out")
	}
	if _, ok := r.Comparison().Lines(1); ok {
		t.Error("what was not kept is laid out")
	}
}

// TestSilenceIsNoError: a call that was refused, and gets no response now, is not the same.
func TestSilenceIsNoError(t *testing.T) {
	refused := Response{There: true, Error: true, Body: []byte(`{"code":-32600,"message":"no"}`)}
	silent := NoResponse("no response within 3s")
	for _, c := range []struct {
		was, now Response
		want     Verdict
	}{{refused, silent, Changed}, {silent, refused, Changed}, {silent, silent, Same}, {refused, refused, Same}} {
		o := Outcome{Method: "tools/call"}
		if (&Masks{}).Compare(&o, &c.was, &c.now, Slow{}); o.Verdict != c.want || c.want == Changed && o.Note == "" {
			t.Errorf("%+v, then %+v: %v, %q", c.was, c.now, o.Verdict, o.Note)
		}
	}
}
