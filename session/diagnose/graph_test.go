package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// found makes findings of "id covers,…" or "id! covers,…" for a fallback, all at
// frame 1 unless " @n" follows.
func found(lines ...string) []*Finding {
	var list []*Finding
	for _, line := range lines {
		line, at, _ := strings.Cut(line, " @")
		n := uint64(1)
		if at != "" {
			fmt.Sscan(at, &n)
		}
		id, covers, _ := strings.Cut(line, " ")
		id, fallback := strings.CutSuffix(id, "!")
		r := &Rule{ID: id, Severity: Error}
		if covers != "" {
			r.Covers = strings.Split(covers, ",")
		}
		f := &Finding{Rule: r, Severity: Error, Frames: []uint64{n}, Count: 1}
		if fallback {
			r.Fallback, r.Severity, f.Severity = 1, Note, Note
		}
		f.shown(f)
		list = append(list, f)
	}
	return list
}

func tree(roots []*Finding) string {
	var b strings.Builder
	for _, f := range roots {
		f.Each(func(f *Finding, depth int) { b.WriteString(strings.Repeat(">", depth) + f.Rule.ID + " ") })
	}
	return strings.TrimSpace(b.String())
}

func TestRoots(t *testing.T) {
	for _, c := range []struct {
		name string
		list []string
		want string
	}{
		{"nothing explains anything", []string{"a", "b"}, "a b"},
		{"a table explains", []string{"b", "a b"}, "a >b"},
		{"another frame", []string{"b @2", "a b"}, "b a"},
		{"anywhere in the session", []string{"b @2", "a b*"}, "a >b"},
		{"what follows from what follows", []string{"c", "b c", "a b"}, "a >b >>c"},
		{"two that explain each other", []string{"a b", "b a"}, "a b"},
		{"three in a circle", []string{"a b", "b c", "c a"}, "a b c"},
		{"below a circle", []string{"a b", "b c", "c a", "d", "e d"}, "a b c e >d"},
		{"a fallback", []string{"x!", "a"}, "a >x"},
		{"a fallback of another frame", []string{"x! @2", "a"}, "x a"},
		{"a table before a frame", []string{"x!", "a", "b x*"}, "a b >x"},
	} {
		list := found(c.list...)
		got := tree(Roots(list))
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		// A forest is a list as well, and nothing is lost or there twice.
		if again := tree(Roots(Roots(list))); again != got {
			t.Errorf("%s: the roots of roots are %q", c.name, again)
		}
		if n := len(strings.Fields(got)); n != len(list) {
			t.Errorf("%s: %d of %d findings", c.name, n, len(list))
		}
	}
}

// A fallback that showed more often is explained where all of it is.
func TestFallbackInPart(t *testing.T) {
	list := found("x!", "a")
	x := list[0]
	x.shown(&Finding{Frames: []uint64{2}})
	if got := tree(Roots(list)); got != "x a" {
		t.Errorf("%q", got)
	}
	list[1].Frames = append(list[1].Frames, 2)
	if got := tree(Roots(list)); got != "a >x" {
		t.Errorf("%q", got)
	}
}

// What shows at a request that was served explains no failure.
func TestServed(t *testing.T) {
	list := found("x!", "a", "b")
	list[0].Served, list[0].Rule.On = []uint64{3}, Failures
	list[1].Shows = append(list[1].Shows, 3)
	if got := tree(Roots(list)); got != "b >x a" {
		t.Errorf("%q", got)
	}
}

func TestConsequences(t *testing.T) {
	roots := Roots(found("c", "b c", "a b"))
	if n := roots[0].Consequences(); n != 2 {
		t.Errorf("%d", n)
	}
	if !slices.Equal(roots, Roots(roots)) {
		t.Error("other roots the second time")
	}
}
