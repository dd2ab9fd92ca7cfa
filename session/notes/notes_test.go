package notes

import (
	"errors"
	"strings"
	"testing"

	"midwire/session"
	"midwire/session/wire"
)

func TestNotesComeBack(t *testing.T) {
	n := New()
	n.Apply(Changes{
		{}: "the <failing> run", {Mark, 25, 0}: Marked,
		{Comment, 25, 2}: "second of the batch\n\x1b[2J", {Session, 7, 0}: "editor",
	})
	data, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Equal(n) || again.Total() != 4 || again.Count(Mark) != 1 {
		t.Errorf("%d entries, %d marks", again.Total(), again.Count(Mark))
	}
	if s := string(data); !strings.Contains(s, "the <failing> run") || !strings.Contains(s, `"25/2"`) {
		t.Errorf("the file:\n%s", s)
	}
}

// TestChanges: the last writer of an entry wins, an empty text deletes, and the same again
// changes nothing.
func TestChanges(t *testing.T) {
	n := New()
	mark, comment := Key{Mark, 1, 0}, Key{Comment, 1, 0}
	n.Apply(Changes{mark: Marked, comment: "mine"})
	theirs := Changes{mark: "", comment: "theirs"}
	if !n.Apply(theirs) || n.Text(mark) != "" || n.Text(comment) != "theirs" || n.Total() != 1 {
		t.Errorf("mark %q, comment %q", n.Text(mark), n.Text(comment))
	}
	if n.Apply(theirs) {
		t.Error("the same again changes something")
	}
}

func TestWhatIsNoNotes(t *testing.T) {
	for _, in := range []string{
		"", "{", "[]", "null", "{}", `{"midwire_notes":0}`, `{"midwire_notes":"1"}`, `{"midwire":1}`,
		`{"midwire_notes":1,"drawings":[]}`, `{"midwire_notes":1,"marks":{"last":"*"}}`, `{"midwire_notes":1,"marks":{"07":"*"}}`,
	} {
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
		n.Apply(Changes{RowKey(Comment, tr.Row(i)): method(i)})
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

// TestLongTextIsKeptInPart: between two characters, and so that it can be read
// again.
func TestLongTextIsKeptInPart(t *testing.T) {
	n := New()
	n.Apply(Changes{{}: "x" + strings.Repeat("検", MaxText)})
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

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"midwire_notes":1,"name":"x","marks":{"3/1":"*"}}`))
	f.Add([]byte(`{"midwire_notes":1,"marks":null,"sessions":{"1":""}}`))
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
		if !again.Equal(n) {
			t.Fatalf("writing changes notes: %q", out)
		}
		if twice, _ := again.Encode(); string(twice) != string(out) {
			t.Fatalf("%q\n%q", out, twice)
		}
	})
}
