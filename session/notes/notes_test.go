package notes

import (
	"errors"
	"strings"
	"testing"
	"time"

	"midwire/session"
	"midwire/session/wire"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestNotesComeBack(t *testing.T) {
	n := New()
	n.Set(Key{}, "the <failing> run", noon)
	n.Set(Key{Mark, 25, 0}, Marked, noon)
	n.Set(Key{Comment, 25, 2}, "second of the batch\n\x1b[2J", noon)
	n.Set(Key{Session, 7, 0}, "editor", noon)
	data, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for k, e := range n.entries {
		if again.Text(k) != e.Text {
			t.Errorf("%v: %q, want %q", k, again.Text(k), e.Text)
		}
	}
	if again.Total() != 4 || again.Count(Mark) != 1 {
		t.Errorf("%d entries, %d marks", again.Total(), again.Count(Mark))
	}
	if s := string(data); !strings.Contains(s, "the <failing> run") || !strings.Contains(s, `"25/2"`) {
		t.Errorf("the file:\n%s", s)
	}
}

func TestLastWriterOfAnEntryCounts(t *testing.T) {
	a, b := New(), New()
	mark, comment := Key{Mark, 1, 0}, Key{Comment, 1, 0}
	a.Set(mark, Marked, noon)
	b.Merge(a)
	b.Set(mark, "", noon.Add(time.Second)) // taken away
	a.Set(comment, "mine", noon.Add(2*time.Second))
	b.Set(comment, "theirs", noon.Add(3*time.Second))
	if !a.Merge(b) {
		t.Error("nothing changed")
	}
	b.Merge(a)
	for _, n := range []*Notes{a, b} {
		if n.Text(mark) != "" || n.Text(comment) != "theirs" {
			t.Errorf("mark %q, comment %q", n.Text(mark), n.Text(comment))
		}
	}
	if a.Merge(b) {
		t.Error("the same again changes something")
	}
}

func TestSameTimeSameEnd(t *testing.T) {
	a, b := New(), New()
	a.Set(Key{}, "apple", noon)
	b.Set(Key{}, "pear", noon)
	x, y := a.Clone(), b.Clone()
	x.Merge(b)
	y.Merge(a)
	if x.Text(Key{}) != "pear" || y.Text(Key{}) != "pear" {
		t.Errorf("%q and %q", x.Text(Key{}), y.Text(Key{}))
	}
	if a.Text(Key{}) != "apple" {
		t.Error("a clone shares entries")
	}
}

func TestClockThatWentBack(t *testing.T) {
	n, old := New(), New()
	old.Set(Key{}, "old", noon)
	n.Merge(old)
	n.Set(Key{}, "new", noon.Add(-time.Hour))
	n.Merge(old)
	if n.Text(Key{}) != "new" {
		t.Errorf("it says %q", n.Text(Key{}))
	}
}

func TestUnknownMembersAreKept(t *testing.T) {
	in := `{"midwire_notes":1,"future":{"a":[1,2]},"name":{"text":"x","at":"2026-11-21T12:00:00Z","by":"me"},` +
		`"marks":{"3":{"text":"*","at":"2026-11-21T12:00:00Z"},"last":{"x":1},"07":{"text":"*","at":"2026-11-21T12:00:00Z"}}}`
	n, err := Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	n.Set(Key{}, "y", noon.Add(time.Hour))
	mine := New()
	mine.Merge(n)
	out, err := mine.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"future"`, `"by": "me"`, `"last"`, `"07"`, `"y"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is lost:\n%s", want, out)
		}
	}
}

func TestWhatIsNoNotes(t *testing.T) {
	for _, in := range []string{"", "{", "[]", "null", "{}", `{"midwire_notes":0}`, `{"midwire_notes":"1"}`, `{"midwire":1}`} {
		if _, err := Parse([]byte(in)); err == nil {
			t.Errorf("%q is read", in)
		}
	}
	if _, err := Parse([]byte(`{"midwire_notes":2}`)); !errors.Is(err, ErrNewer) {
		t.Errorf("a later version: %v", err)
	}
}

// TestKeysOfABatch: messages of one batch share a frame, and each has notes of
// its own. The session goes by its first message.
func TestKeysOfABatch(t *testing.T) {
	tr := session.New(session.Options{Tap: "stdio"})
	tr.Apply(&wire.Frame{
		N: 7, X: 1, Kind: wire.KindLine, Dir: wire.ToServer,
		Data: []byte(`[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"prompts/list"}]`),
	})
	n := New()
	method := func(i int) string { return tr.Name(tr.Row(i).Name) }
	for i := range tr.Rows() {
		n.Set(RowKey(Comment, tr.Row(i)), method(i), noon)
	}
	for i := range tr.Rows() {
		if got := n.Text(RowKey(Comment, tr.Row(i))); got != method(i) {
			t.Errorf("the comment on %s is %q", method(i), got)
		}
		if n.Text(RowKey(Mark, tr.Row(i))) != "" {
			t.Error("a comment marks the message")
		}
	}
	if n.Count(Comment) != 2 {
		t.Errorf("%d comments", n.Count(Comment))
	}
	if k, ok := SessionKey(tr, tr.Sessions()[0]); !ok || k != (Key{Kind: Session, Frame: 7}) {
		t.Errorf("the session goes by %+v, %v", k, ok)
	}
	if k, ok := SessionKey(tr, &session.Session{}); ok {
		t.Errorf("a session without a message goes by %+v", k)
	}
}

// TestEmpty: an entry of a later midwire is one, a note that was taken away is
// none.
func TestEmpty(t *testing.T) {
	for in, want := range map[string]bool{
		`{"midwire_notes":1}`: true,
		`{"midwire_notes":1,"marks":{"3":{"text":"","at":"2026-11-21T12:00:00Z"}}}`:  true,
		`{"midwire_notes":1,"marks":{"3":{"text":"*","at":"2026-11-21T12:00:00Z"}}}`: false,
		`{"midwire_notes":1,"marks":{"last":{"text":"*"}}}`:                          false,
		`{"midwire_notes":1,"drawings":[]}`:                                          false,
	} {
		n, err := Parse([]byte(in))
		if err != nil || n.Empty() != want {
			t.Errorf("%s: empty %v, %v", in, n.Empty(), err)
		}
	}
}

// TestLongTextIsKeptInPart: between two characters, and so that it can be read
// again.
func TestLongTextIsKeptInPart(t *testing.T) {
	n := New()
	n.Set(Key{}, "x"+strings.Repeat("検", MaxText), noon)
	got := n.Text(Key{})
	if len(got) > MaxText || len(got) < MaxText-3 || got != "x"+strings.Repeat("検", (len(got)-1)/3) {
		t.Errorf("%d bytes that end in %q", len(got), got[len(got)-4:])
	}
	data, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse(data); err != nil || again.Text(Key{}) != got {
		t.Errorf("it does not come back: %v", err)
	}
}

// TestImpossibleTime: notes that could not be read again are not written.
func TestImpossibleTime(t *testing.T) {
	n := New()
	n.Set(Key{Kind: Comment, Frame: 1}, "x", time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC))
	if data, err := n.Encode(); err == nil {
		t.Errorf("%s", data)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"midwire_notes":1,"name":{"text":"x","at":"2026-11-21T12:00:00Z"},"marks":{"3/1":{"text":"*","at":"2026-11-21T12:00:00Z"}},"z":1}`))
	f.Add([]byte(`{"midwire_notes":1,"marks":null,"comments":[],"sessions":{"1":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := Parse(data)
		if err != nil {
			return
		}
		out, err := n.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(out)
		if err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		if again.Merge(n) {
			t.Fatalf("writing changes notes: %q", out)
		}
		if twice, _ := again.Encode(); string(twice) != string(out) {
			t.Fatalf("%q\n%q", out, twice)
		}
	})
}
