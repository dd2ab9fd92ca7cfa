package describe

import (
	"testing"
	"unicode/utf8"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words/wordstest"
)

// FuzzTexts: whatever peers say, rows and peers are described within their
// bounds, and characters stay whole.
func FuzzTexts(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := transcript.Everywhere(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			tr := session.New(session.Options{Tap: s.Tap})
			for _, frame := range s.Frames {
				tr.Apply(frame)
			}
			load := func(n uint32) *wire.Frame {
				if n == 0 {
					return nil
				}
				return s.Frames[n-1]
			}
			for i := range tr.Rows() {
				row := tr.Row(i)
				target, result := Row(tr, row, load(row.Request), load(row.Response))
				name, more, ended := Parts(tr, row, load(row.Request), load(row.Response))
				for _, said := range []string{target, result, name, more, ended, Gate(tr, row)} {
					if len(said) > MaxRow || utf8.ValidString(text) && !utf8.ValidString(said) {
						t.Fatalf("row %d of %s: %q", i, s.Tap, said)
					}
				}
			}
			for _, one := range tr.Sessions() {
				for _, said := range []string{Peer(one.Client), Peer(one.Server)} {
					if utf8.ValidString(text) && !utf8.ValidString(said) {
						t.Fatalf("peer %q", said)
					}
				}
			}
		}
	})
}
