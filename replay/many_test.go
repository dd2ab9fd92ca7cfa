package replay

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// manyHandles is a recording in which a call passes n handles back that one
// answer handed out, each as a value of its own.
func manyHandles(t *testing.T, n int) *Script {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf(`"k3J9xQ2mZ8wP%05d"`, i)
	}
	all := strings.Join(ids, ",")
	s, err := Load(tape(t, "stdio", `
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
		answer, err := s.answerBytes(0)
		if err != nil {
			t.Fatal(err)
		}
		answer = []byte(strings.ReplaceAll(string(answer), `"k3J9`, `"m3J9`))
		send = allocated(func() {
			now := map[int32]string{}
			p.handedOut(0, answer, func(i int32, text string) { now[i] = text })
			payload, missing, err := p.payload(p.Subs[0].Step, func(i int32) (string, bool) { v, ok := now[i]; return v, ok })
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
		calls, answers := make([]string, n), make([]string, n)
		for i := range n {
			calls[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d","arguments":{}}}`, i, i)
			answers[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i)
		}
		s, err := Load(tape(t, "stdio", "\n> ["+strings.Join(calls, ",")+"]\n< ["+strings.Join(answers, ",")+"]"))
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
