package library

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/notes"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// merge is what recordings are by themselves, and as one.
func merge(t *testing.T, all ...[]wire.Frame) (parts []*Recording, one *Recording) {
	t.Helper()
	began := time.Date(2026, 11, 21, 10, 15, 0, 0, time.UTC)
	var frames []wire.Tagged
	for i, fs := range all {
		r := New(wire.Recording{ID: fmt.Sprint("part", i), Label: "a", Started: began}, rules.All(), nil)
		for k := range fs {
			r.Apply(&fs[k])
			frames = append(frames, wire.Tagged{Part: r.ID, PartN: fs[k].N, Frame: fs[k]})
		}
		r.Loading = 1
		parts = append(parts, r)
	}
	slices.SortStableFunc(frames, func(a, b wire.Tagged) int { return cmp.Compare(a.Frame.T, b.Frame.T) })
	one = NewMerged("one", parts, rules.All(), nil)
	for i := range frames {
		f := &frames[i]
		f.Frame.N = uint64(i + 1)
		if f.Frame.X > 0 {
			f.Frame.X = f.Frame.X*8 + uint32(f.Part[4]-'0')
		}
		if f.Frame.Conn > 0 {
			f.Frame.Conn = f.Frame.Conn*8 + uint32(f.Part[4]-'0')
		}
		one.Take(f)
	}
	one.Loading = 1
	for _, r := range append(slices.Clone(parts), one) {
		r.FinishFindings()
		r.ArrangeFindings()
	}
	return parts, one
}

// What is said of a part in one list with others is what is said of it alone.
func TestMergedIsItsParts(t *testing.T) {
	parts, one := merge(t, scenes.Stdio(), scenes.HTTP(), scenes.Server(1), scenes.Busy(), scenes.Stdio())
	line := func(f *diagnose.Finding) string {
		return fmt.Sprintf("%s %v x%d session %d: %s", f.Rule.ID, f.Frames, f.Count, f.Session, f.Message)
	}
	got, total := map[*Recording][]string{}, 0
	for _, f := range one.Findings.All {
		of, own := one.FindingOrigin(f)
		got[of] = append(got[of], line(own))
	}
	for _, p := range parts {
		var want []string
		for _, f := range p.Findings.All {
			want = append(want, line(f))
		}
		slices.Sort(want)
		slices.Sort(got[p])
		if total += len(want); !slices.Equal(got[p], want) {
			t.Errorf("%s: got\n%q, alone\n%q", p.ID, got[p], want)
		}
		if one.SessionsOf(p) != len(p.Tracker.Sessions()) {
			t.Errorf("%s: %d sessions, alone %d", p.ID, one.SessionsOf(p), len(p.Tracker.Sessions()))
		}
	}
	if total < 5 {
		t.Errorf("%d findings: too few to be a test", total)
	}
	for i, s := range one.Tracker.Sessions() {
		of, k := one.SessionOrigin(i)
		own := of.Session(k)
		if own == nil || s.ID != own.ID || s.State != own.State || s.Messages != own.Messages || s.Calls != own.Calls ||
			s.Errors != own.Errors || len(s.Rows()) != len(own.Rows()) {
			t.Errorf("session %d is %+v, alone %+v", i, s, own)
		}
	}
	for _, f := range one.Frames {
		of, n := one.Origin(uint64(f.N))
		if own := of.Frame(n); own == nil || own.Kind != f.Kind || own.Len != f.Len || own.T != f.T {
			t.Fatalf("frame %d is frame %d of %s: %+v", f.N, n, of.ID, own)
		}
	}
}

// A mark is kept with the part, and seen in both.
func TestNotesOfMerged(t *testing.T) {
	parts, one := merge(t, scenes.Server(0), scenes.Server(1))
	of, k := one.NoteAt(notes.Mark, 7)
	of.Notes.Set(k, notes.Marked, time.Now())
	stamp := one.NotesStamp()
	of.Stamp++
	if !one.Marked(7) || !one.HasNotes(notes.Mark) || one.Notes.Total() > 0 || one.NotesStamp() == stamp {
		t.Error("not marked in both")
	}
	if row := of.Tracker.Row(of.RowAt(k.Frame)); of != parts[1] || uint64(row.Request) != k.Frame {
		t.Errorf("%s %+v", of.ID, k)
	}
	named, k, ok := one.NameAt(one.Session(1))
	if !ok || named != parts[1] {
		t.Fatalf("session 1 is of %v", named)
	}
	named.Notes.Set(k, "mine", time.Now())
	if got := one.SessionName(1); got != "mine" {
		t.Errorf("it is called %q", got)
	}
	if one.SessionName(0) != "a 1" || one.Ref(0) != (SessionRef{"part0", -1}) || one.Ref(AllSessions) != (SessionRef{}) {
		t.Errorf("%q %v %v", one.SessionName(0), one.Ref(0), one.Ref(AllSessions))
	}
}

// A proxy joins, another ends: what is found at its end is found at once.
func TestMergedJoins(t *testing.T) {
	var live [3]*Recording
	for i := range live {
		live[i] = New(wire.Recording{ID: fmt.Sprint(i), Live: true}, rules.All(), nil)
	}
	one := NewMerged("one", live[:2], rules.All(), nil)
	if one.Name() != "2 live proxies" || !one.Join(live[:]) || one.Join(live[:]) || one.Name() != "3 live proxies" {
		t.Errorf("%q", one.Name())
	}
	n := uint64(0)
	one.Loading = 1
	for i, r := range live {
		for _, f := range scenes.Server(i) {
			n++
			own := f.N
			r.Apply(&f)
			f.N = n
			one.Take(&wire.Tagged{Part: r.ID, PartN: own, Frame: f})
			one.Take(&wire.Tagged{Part: "stranger", PartN: own, Frame: f})
			one.Take(&wire.Tagged{Part: r.ID, PartN: own, Frame: f}) // twice
		}
	}
	one.FinishFindings()
	if slices.Contains(one.finished, true) || len(one.Frames) != int(n) {
		t.Errorf("%d frames of %d, ended %v", len(one.Frames), n, one.finished)
	}
	live[2].Live = false
	one.FinishFindings()
	if !slices.Equal(one.finished, []bool{false, false, true}) || one.Name() != "3 proxies, 2 live" {
		t.Errorf("%q: the end of a part was not noticed", one.Name())
	}
}

// What comparing showed of a part is in the list too, at the same messages.
func TestMergedBeside(t *testing.T) {
	parts, one := merge(t, scenes.Server(0), scenes.Server(1))
	own := &diagnose.Finding{
		Rule: rules.Find("gateway-meta-dropped"), Severity: diagnose.Warning, Count: 1,
		Frames: []uint64{5, 6}, Message: "In #5 it says “#6”.",
	}
	parts[1].Findings.Join([]*diagnose.Finding{own})
	one.ArrangeFindings()
	i := slices.IndexFunc(one.Findings.All, func(f *diagnose.Finding) bool { return f.Rule == own.Rule })
	if i < 0 {
		t.Fatal("it is not there")
	}
	f := one.Findings.All[i]
	of, again := one.FindingOrigin(f)
	if of != parts[1] || !slices.Equal(again.Frames, own.Frames) || again.Message != own.Message || again.Session != 0 {
		t.Errorf("%+v of %s", again, of.ID)
	}
	if row := one.Tracker.Row(one.RowAt(f.Frames[0])); f.Message != fmt.Sprintf("In #%d it says “#6”.", f.Frames[0]) ||
		row.Request != uint32(f.Frames[0]) || one.Session(f.Session).Server.Name != scenes.Servers()[1] {
		t.Errorf("%q at %v", f.Message, f.Frames)
	}
}
