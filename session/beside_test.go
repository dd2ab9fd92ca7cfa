package session_test

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	. "midwire/session"
	"midwire/session/wire"
)

// beside applies transcripts as if taps had made them at the same time, in order
// of time. It returns what they are together, and the trackers.
func beside(of ...*transcript) (*transcript, []*Tracker) {
	type tagged struct {
		tap   int
		frame wire.Frame
	}
	var all []tagged
	for i, s := range of {
		for _, f := range s.Frames {
			all = append(all, tagged{i, *f})
		}
	}
	slices.SortStableFunc(all, func(a, b tagged) int { return cmp.Compare(a.frame.T, b.frame.T) })
	taps := []*Tracker{New(Options{})}
	for range of[1:] {
		taps = append(taps, taps[0].Beside(Options{}))
	}
	one := &transcript{}
	for i := range all {
		f := &all[i].frame
		f.N = uint64(i + 1)
		if f.X != 0 {
			f.X = f.X*uint32(len(of)) + uint32(all[i].tap)
		}
		if f.Conn != 0 {
			f.Conn = f.Conn*uint32(len(of)) + uint32(all[i].tap)
		}
		one.Frames = append(one.Frames, f)
		taps[all[i].tap].Apply(f)
	}
	return one, taps
}

func readTranscript(t *testing.T, file string) *transcript {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return parseTranscript(t, string(text))
}

// Two taps make one list: their rows stand in order of time, and each session
// has those of its own tap. UPDATE=1 writes testdata/beside.golden again.
func TestBeside(t *testing.T) {
	one, taps := beside(readTranscript(t, "testdata/stdio-2025-06-18.txt"), readTranscript(t, "testdata/http-two-clients.txt"))
	got := dump(one, taps[0])
	if other := dump(one, taps[1]); other != got {
		t.Errorf("one tracker says\n%s\nthe other\n%s", got, other)
	}
	checkCounts(t, taps[1])
	golden(t, "testdata/beside.golden", got)
}

// What a tap saw is understood as if there were no other.
func TestBesideIsAlone(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		of := []*transcript{
			readTranscript(t, files[i]), readTranscript(t, files[(i+1)%len(files)]), readTranscript(t, files[(i+7)%len(files)]),
			readTranscript(t, files[i]),
		}
		_, taps := beside(of...)
		checkCounts(t, taps[0])
		for k, s := range of {
			want, got := outlineText(s.apply(), 0), outlineText(taps[0], k)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s beside others:\n%+v\nalone\n%+v", files[i], got, want)
			}
		}
	}
}

// outline is what a tracker says of the sessions of a tap, without numbers of
// frames and rows.
func outlineText(t *Tracker, tap int) (out []Session) {
	for _, s := range t.Sessions() {
		if s.Tap != tap {
			continue
		}
		one := *s
		one.Index, one.Tap, one.Steps = len(out), len(s.Rows()), slices.Clone(s.Steps)
		for i := range one.Steps {
			one.Steps[i].Frame = 0
		}
		out = append(out, Strip(one))
	}
	return out
}
