package replay

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/replaytest"
	"midwire/session/record"
)

// manyHandles is a recording in which a call uses n handles that one
// response issued, each as a value of its own.
func manyHandles(t *testing.T, n int) *Script {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf(`"k3J9xQ2mZ8wP%05d"`, i)
	}
	all := strings.Join(ids, ",")
	s, err := Load(replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open","arguments":{}}}
		< {"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"ids":[`+all+`]}}}
		> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"use","arguments":{"ids":[`+all+`]}}}
		< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// allocated is how many bytes a function allocates: a measure of its work that
// does not depend on the machine.
func allocated(work func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// Twice as many handles are about twice the work, in the plan and in what is
// sent.
func TestManyHandles(t *testing.T) {
	work := func(n int) (plan, send float64) {
		s := manyHandles(t, n)
		var p *Plan
		var err error
		plan = allocated(func() { p, err = s.Plan(PlanOptions{}) })
		if err != nil || len(p.Subs) != n {
			t.Fatalf("%d handles, %v", n, err)
		}
		response, err := s.RawResponse(0)
		if err != nil {
			t.Fatal(err)
		}
		response = []byte(strings.ReplaceAll(string(response), `"k3J9`, `"m3J9`))
		send = allocated(func() {
			now := map[string]string{}
			p.Learn(0, "", response, now)
			payload, missing, err := p.Payload(p.Subs[0].Step, func(i int32) (string, bool) {
				v, ok := now[p.Sources[i].Was]
				return v, ok
			})
			if err != nil || len(missing) > 0 || strings.Count(string(payload), `"m3J9`) != n {
				t.Errorf("%d missing, %v, sent %.200s", len(missing), err, payload)
			}
		})
		return plan, send
	}
	plan, send := work(500)
	plan2, send2 := work(1000)
	if plan2 > 3*plan || send2 > 3*send {
		t.Errorf("500 handles: %.0f bytes for the plan and %.0f to send; 1000: %.0f and %.0f", plan, send, plan2, send2)
	}
}

// A batch is not read anew for each of its messages.
func TestManyInABatch(t *testing.T) {
	work := func(n int) float64 {
		calls, responses := make([]string, n), make([]string, n)
		for i := range n {
			calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d","arguments":{}}}`, i, i)
			responses[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i)
		}
		s, err := Load(replaytest.Tape(t, "stdio", "\n> ["+strings.Join(calls, ",")+"]\n< ["+strings.Join(responses, ",")+"]"))
		if err != nil {
			t.Fatal(err)
		}
		bytes := allocated(func() { _, err = s.Plan(PlanOptions{}) })
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Label(int32(n - 1)); got != fmt.Sprintf("tools/call t%d", n-1) {
			t.Errorf("the last of %d calls is %q", n, got)
		}
		return bytes
	}
	one, two := work(500), work(1000)
	if two > 3*one {
		t.Errorf("500 calls in a batch: %.0f bytes for the plan; 1000: %.0f", one, two)
	}
}

// Pairing asks for each key once a level, however many there are: sessions and
// calls are not compared each with each.
func TestPairingIsLinear(t *testing.T) {
	const many = 2000
	asked := 0
	key := func(level, i int) int { asked++; return (many - i) * (3 - level) / 2 }
	pairs := pairUp(3, many, many, key, func(level, i int) int { asked++; return i * (3 - level) / 2 })
	if asked > 3*2*many {
		t.Errorf("%d keys were asked for", asked)
	}
	seen := map[int]bool{}
	for _, j := range pairs {
		if j >= 0 && seen[j] {
			t.Fatalf("%d is paired twice", j)
		}
		seen[j] = true
	}
}

// Two recordings of 2,000 sessions each, which began in another order, are
// compared session by session.
func TestDiffOfManySessions(t *testing.T) {
	const many = 2000
	text := func(order func(i int) int) string {
		var b strings.Builder
		b.WriteString("tap http\n")
		for n := range many {
			i := order(n)
			fmt.Fprintf(&b, "%d.%d > POST /mcp || {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c%d\",\"version\":\"1\"}}}\n", n+1, 2*n+1, i)
			fmt.Fprintf(&b, "%d.%d < 200 application/json | Mcp-Session-Id: session-%d || {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}\n", n+1, 2*n+1, i)
			fmt.Fprintf(&b, "%d.%d > POST /mcp | Mcp-Session-Id: session-%d || {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{\"i\":%d}}\n", n+1, 2*n+2, i, i)
			fmt.Fprintf(&b, "%d.%d < 200 application/json || {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":%d}}\n", n+1, 2*n+2, i)
		}
		return b.String()
	}
	a := load(t, replaytest.Transcript(t, record.Header{Tap: "http"}, text(func(i int) int { return i })))
	b := load(t, replaytest.Transcript(t, record.Header{Tap: "http"}, text(func(i int) int { return many - 1 - i })))
	r, err := Diff(a, b, DiffOptions{})
	if err != nil || r.Differs() || r.Count(Same) != 2*many {
		t.Errorf("%v, %d same of %d", err, r.Count(Same), len(r.Outcomes))
	}
}

// Two recordings of one batch are compared without reading it anew for each of
// its messages, and their responses.
func TestDiffOfABatch(t *testing.T) {
	work := func(n int) float64 {
		calls, responses := make([]string, n), make([]string, n)
		for i := range n {
			calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d","arguments":{}}}`, i, i)
			responses[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i)
		}
		text := "\n> [" + strings.Join(calls, ",") + "]\n< [" + strings.Join(responses, ",") + "]"
		before, err := Load(replaytest.Tape(t, "stdio", text))
		if err != nil {
			t.Fatal(err)
		}
		after, err := Load(replaytest.Tape(t, "stdio", text))
		if err != nil {
			t.Fatal(err)
		}
		var r *Report
		bytes := allocated(func() { r, err = Diff(before, after, DiffOptions{}) })
		if err != nil || r.Differs() {
			t.Fatalf("%v, %+v", err, r)
		}
		return bytes
	}
	one, two := work(500), work(1000)
	if two > 3*one {
		t.Errorf("500 calls in a batch: %.0f bytes for the comparison; 1000: %.0f", one, two)
	}
}

// What a call needs is asked of each step once, and the handshake of a session
// is gone through once, however many steps and handshakes there are.
func TestNeedsAreLinear(t *testing.T) {
	const many = 2000
	var b strings.Builder
	for i := range many { // each a handshake, and a call that uses what the one before issued
		fmt.Fprintf(&b, "> {\"jsonrpc\":\"2.0\",\"id\":\"i%d\",\"method\":\"initialize\",\"params\":{}}\n", i)
		fmt.Fprintf(&b, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"arguments\":{\"id\":\"k3J9xQ2mZ8wP%05d\"}}}\n", i, i)
		fmt.Fprintf(&b, "< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"structuredContent\":{\"id\":\"k3J9xQ2mZ8wP%05d\"}}}\n", i, i+1)
	}
	s := load(t, replaytest.Tape(t, "stdio", b.String()))
	p, err := s.Plan(PlanOptions{})
	if err != nil || len(p.Subs) != many-1 {
		t.Fatalf("%d substitutions, %v", len(p.Subs), err)
	}
	asked, named := 0, 0
	needs := p.needs()
	marked := closure(len(s.Steps), []int32{int32(len(s.Steps) - 1)}, func(i int32, need func(int32)) {
		asked++
		needs(i, func(j int32) { named++; need(j) })
	})
	if asked != len(s.Steps) || named > 2*len(s.Steps) || slices.Contains(marked, false) {
		t.Errorf("of %d steps %d were asked and %d named", len(s.Steps), asked, named)
	}
}
