package backend

import (
	"path/filepath"
	"strings"
	"testing"

	"midwire/replay"
	"midwire/ui/replaying"
)

// TestToolIsCalledFromItsDefinition: a tool that was never called is called in the place
// of the request that listed it; what is not marked read-only needs a word.
func TestToolIsCalledFromItsDefinition(t *testing.T) {
	r, dir := testLibrary(t)
	id := recorded(t, dir)
	s, err := replay.Load(filepath.Join(dir, id+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := whole(id)
	for i := range s.Calls {
		if s.Method(int32(i)) == "tools/list" {
			q.Frame = s.CallRow(int32(i)).Request
		}
	}
	q.Tool, q.Params = "open", []byte(`{}`)
	if p, err := r.Plan(t.Context(), q); err != nil || len(p.Unmarked) != 0 {
		t.Fatalf("%+v %v", p, err)
	}
	c, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {})
	if err != nil || len(c.Calls) != 2 {
		t.Fatalf("%+v %v", c, err)
	}
	last := c.Calls[1]
	if last.Label() != "tools/call open" || last.Verdict != replay.Extra || !strings.Contains(string(last.Now.Body), "bk-") {
		t.Errorf("%s %v %s", last.Label(), last.Verdict, last.Now.Body)
	}
	q.Tool, q.Params = "add", []byte(`{"id":"none","item":"tea"}`)
	if p, err := r.Plan(t.Context(), q); err != nil || len(p.Unmarked) != 1 || p.Unmarked[0] != "add" {
		t.Fatalf("%+v %v", p, err)
	}
	if _, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {}); err == nil || !strings.Contains(err.Error(), "not marked read-only") {
		t.Fatalf("it was sent without a word: %v", err)
	}
	q.Tools = replaying.AllTools
	c, err = r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {})
	if err != nil || c.Calls[1].Verdict != replay.Broken || !strings.Contains(c.Calls[1].Note, "no such basket") {
		t.Fatalf("%+v %v", c, err)
	}
}
