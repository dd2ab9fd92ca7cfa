package diagnose

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/operation"
	"midwire/session/record"
	"midwire/session/wire"
)

// TestOperations: what a verdict takes for failed is what the operations of the recording say, on
// every recording of the exam and every fixture of a rule; and nothing is counted twice or lost.
func TestOperations(t *testing.T) {
	read := 0
	each := func(name string, feed func(apply func(*wire.Frame)) string) {
		read++
		tracker, c := New(session.Options{}, nil)
		feed(func(f *wire.Frame) { tracker.Apply(f) })
		c.Finish()
		for _, s := range tracker.Sessions() {
			if diff := disagrees(c, s); diff != "" {
				t.Errorf("%s session %d: %s", name, s.Index+1, diff)
			}
		}
	}
	cases, _ := filepath.Glob("../../fixtures/exam/cases/*/recording.jsonl")
	for _, file := range cases {
		each(filepath.Base(filepath.Dir(file)), func(apply func(*wire.Frame)) string {
			r, err := record.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for f := new(wire.Frame); r.Next(f) == nil; {
				apply(f)
			}
			return r.Header().Tap
		})
	}
	fixtures, _ := filepath.Glob("rules/testdata/*/*.txt")
	for _, file := range fixtures {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n=== behind")
		s, err := transcript.Parse(first)
		if err != nil {
			continue
		}
		each(file, func(apply func(*wire.Frame)) string {
			for _, f := range s.Frames {
				apply(f)
			}
			return s.Tap
		})
	}
	if read < 900 {
		t.Errorf("%d recordings were read", read)
	}
}

// disagrees says what rows and operations of a session do not have in common.
func disagrees(c *Checker, s *session.Session) string {
	a := c.book.Of(s.Index)
	bad, asked := map[int]bool{}, 0
	if a != nil {
		for _, o := range a.Bad {
			for _, m := range o.Members {
				bad[m.Row] = true
			}
		}
		for _, t := range a.Tallies {
			if t.Dir == wire.ToServer {
				asked += t.Asked
			}
		}
	}
	notices := 0
	if a != nil {
		for _, o := range a.Bad {
			if o.Kind == operation.Notice || o.Row < 0 {
				notices += o.Count
			}
		}
	}
	calls := 0
	for _, i := range s.Rows() {
		r := c.tracker.Row(int(i))
		if r.Kind != session.RowCall || r.Dir != wire.ToServer {
			continue
		}
		calls++
		if r.Ending.Failed() && !bad[int(i)] {
			return fmt.Sprintf("#%d %s ended %s, and is no operation that failed", r.Request, c.tracker.Name(r.Name), r.Ending)
		}
		if r.Ending == session.Served && bad[int(i)] {
			return fmt.Sprintf("#%d was served, and is an operation that failed", r.Request)
		}
	}
	if asked-notices > calls || asked < calls {
		return fmt.Sprintf("%d calls, %d asked, %d of them notifications", calls, asked, notices)
	}
	if f := c.failure(s); f != nil {
		for _, one := range f.Asked {
			if !bad[one.Index] {
				return fmt.Sprintf("it failed at %s (#%d), which is no operation that failed", one.Method, one.Row.Request)
			}
		}
	}
	if l := c.losses(s); l.failed > 0 && len(bad) == 0 {
		return fmt.Sprintf("%d of %d failed, and no operation did", l.failed, l.of)
	}
	return ""
}
