package rules

import (
	"os"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
)

// TestDefect: rules that panic, in a session and at its end, are findings about
// midwire; all other rules find what they find without them.
func TestDefect(t *testing.T) {
	text, err := os.ReadFile("testdata/server-mute/fires.txt")
	if err != nil {
		t.Fatal(err)
	}
	s, err := transcript.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	found := func(list []*diagnose.Rule) (ids []string) {
		tr, c := diagnose.New(session.Options{Tap: s.Tap}, list)
		for _, f := range s.Frames {
			tr.Apply(f)
		}
		c.Finish()
		for _, root := range c.Findings() {
			root.Each(func(f *diagnose.Finding, _ int) {
				if ids = append(ids, f.Rule.ID); f.Rule != midwireDefect {
					return
				}
				if f.Defect == nil || !strings.Contains(f.Defect.Stack, "TestDefect") || f.Side != diagnose.Midwire {
					t.Errorf("%+v", f)
				}
				f.Frames = []uint64{1}
				readable(t, f)
			})
		}
		return ids
	}
	var list []*diagnose.Rule
	for _, r := range All() {
		if r.ID == "question-unanswered" || r.ID == "client-left" {
			r = &diagnose.Rule{ID: r.ID, On: r.On, Severity: r.Severity, Check: func(*diagnose.Case) { panic("broken") }}
		}
		list = append(list, r)
	}
	want, got := found(All()), found(list)
	mine := func(id string) bool { return id == "midwire-defect" }
	if !slices.ContainsFunc(got, mine) || !slices.Equal(slices.DeleteFunc(got, mine), want) {
		t.Errorf("got %v, without the defect %v", got, want)
	}
}
