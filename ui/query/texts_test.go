package query

import (
	"context"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	lang "midwire/session/filter"
	"midwire/session/wire"
	"midwire/session/words/wordstest"
	"midwire/ui/library"
)

// recordings are those in which peers say a text everywhere.
func recordings(t *testing.T, text string) (all []*library.Recording, of [][]*wire.Frame) {
	t.Helper()
	both, err := transcript.Everywhere(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range both {
		rec := library.New(wire.Recording{ID: "r", Tap: s.Tap}, nil)
		for _, f := range s.Frames {
			rec.Apply(f)
		}
		all, of = append(all, rec), append(of, s.Frames)
	}
	return all, of
}

// passing counts the rows that a filter lets pass.
func passing(t *testing.T, q *Query, rec *library.Recording, frames []*wire.Frame) (n int) {
	t.Helper()
	load := func(n uint64) *wire.Frame {
		if n == 0 {
			return nil
		}
		return frames[n-1]
	}
	for i := range rec.Tracker.Rows() {
		if ok, err := q.Holds(context.Background(), rec, i, load); err != nil {
			t.Fatal(err)
		} else if ok {
			n++
		}
	}
	return n
}

// TestAnyTextIsFound: a filter finds the rows whose words, payloads or heads have
// a text, in any case of its letters.
func TestAnyTextIsFound(t *testing.T) {
	for _, s := range wordstest.Valid() {
		if s == "" || strings.ContainsAny(s, "\x00\x01\x1b\x7f\n\r\"\\<>&\u2028\u2029") || len(s) > 100 {
			continue // JSON writes it in another way, or a row keeps less of it
		}
		all, of := recordings(t, "İ "+s+" END")
		for k, rec := range all {
			for _, text := range []string{lang.Quote(s), lang.Quote("İ " + s + " end")} {
				q, bad := Read(text)
				if bad != nil {
					t.Fatalf("%s: %v", text, bad)
				}
				if n := passing(t, q, rec, of[k]); n < 6 {
					t.Errorf("%s: %d rows have %s", rec.Tap, n, text)
				}
			}
		}
		q, bad := Read("header:" + lang.Quote("user-agent="+s))
		if bad != nil || passing(t, q, all[1], of[1]) == 0 {
			t.Errorf("no head has %q: %v", s, bad)
		}
	}
}

// FuzzTexts: whatever peers say and whatever is looked for, a row that has a text
// does not have it not.
func FuzzTexts(f *testing.F) {
	for i, s := range wordstest.Texts() {
		f.Add(s, []string{"tool:x", "client:", "header:server=", "http:", "text=", "!is:error ", ""}[i%7]+lang.Quote(s))
	}
	f.Fuzz(func(t *testing.T, text, filter string) {
		if len(text) > 1<<10 || strings.Contains(filter, "jq:") {
			return
		}
		q, bad := Read(filter)
		if bad != nil || q == nil {
			return
		}
		not, bad := Read("!(" + filter + ")")
		q.Wanted()
		all, of := recordings(t, text)
		for k, rec := range all {
			n := passing(t, q, rec, of[k])
			if rows := rec.Tracker.Rows(); bad == nil && n+passing(t, not, rec, of[k]) != rows {
				t.Fatalf("%q: %d of %d rows pass, and the others are not those that do not", filter, n, rows)
			}
			for _, s := range rec.Tracker.Sessions() {
				_ = PeerName(s.Client)
			}
		}
	})
}

// TestSpellingDoesNotHide: a text in a payload is found however its JSON spells it, also in
// JSON inside a string.
func TestSpellingDoesNotHide(t *testing.T) {
	payload := []byte(`{"a":"caf\u00C9 \u003cb\u003e https:\/\/h say \"hi\"","b":"{\"c\":\"C:\\\\new \\u00e9t\\u00e9\"}"}`)
	for filter, want := range map[string]bool{
		"café": true, "<B>": true, "https://h": true, `'say "hi"'`: true, `~'"c":'`: true, "~'caf. <b>'": true,
		`C:\new`: true, "été": true, `caf\u00c9`: true, "cafe": false, "~xx": false,
	} {
		q, bad := Read(filter)
		if bad != nil {
			t.Fatalf("%s: %v", filter, bad)
		}
		m := &Payload{
			Frame: &wire.Frame{Kind: wire.KindLine, Data: payload},
			Open:  func(f *wire.Frame) []byte { return f.Data },
		}
		if has, err := q.Payloads[0].Match(t.Context(), m); has != want || err != nil {
			t.Errorf("%s: %v %v", filter, has, err)
		}
	}
}
