package insight

import (
	"os"
	"path/filepath"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/words/wordstest"
)

// FuzzBook takes in any frames, and a text wherever peers say one, and asks
// everything there is to ask.
func FuzzBook(f *testing.F) {
	files, err := filepath.Glob("../testdata/*.txt")
	if err != nil || len(files) < 10 {
		f.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(stdio)
	for _, s := range wordstest.Texts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := transcript.Everywhere(text)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := transcript.Parse(text); err == nil {
			all = append(all, s)
		}
		for _, s := range all {
			takeIn(t, s)
		}
	})
}

func takeIn(t *testing.T, s *transcript.Transcript) {
	t.Helper()
	b := New(session.Options{Tap: s.Tap})
	plain := session.New(session.Options{Tap: s.Tap})
	for _, fr := range s.Frames {
		b.Apply(fr)
		plain.Apply(fr)
	}
	if b.Sessions() != len(plain.Sessions()) {
		t.Fatal("the sessions are others than those of a tracker")
	}
	for scope := Loose; scope < b.Sessions(); scope++ {
		ask(t, b, scope)
	}
}

func ask(t *testing.T, b *Book, scope int) {
	for kind := range Kinds {
		l := b.Items(kind, scope)
		calls := 0
		for _, it := range l.Items {
			calls += it.Calls
			if it.Pending < 0 || it.P50 > it.P95 || it.P95 > it.Max {
				t.Fatalf("%+v", it)
			}
		}
		if calls != l.Calls {
			t.Fatalf("%d calls, %d in sum", l.Calls, calls)
		}
	}
	b.Sides(scope)
	streams, _ := b.Streams(scope)
	for _, s := range streams {
		if s.EndedT != 0 && s.EndedT < s.OpenedT || s.Gap < 0 {
			t.Fatalf("%+v", s)
		}
	}
	handles, _ := b.Handles(scope)
	for _, h := range handles {
		if h.Value == "" || h.Times+h.LeftOut < len(h.Uses) || h.Crossed > h.Times+h.LeftOut || h.Worked+h.Bad() > h.Times {
			t.Fatalf("%+v", h)
		}
	}
}
