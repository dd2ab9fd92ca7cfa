package record

import (
	"os"
	"strings"
	"testing"

	"midwire/session/record/redact"
	"midwire/session/wire"
)

// What somebody named as a secret is in no payload from then on, JSON or not; with
// nothing masked it is.
func TestHide(t *testing.T) {
	for _, keep := range []bool{false, true} {
		w, err := Create(t.TempDir(), Header{Tap: "stdio"}, Options{Redact: redact.Options{Keep: keep}})
		if err != nil {
			t.Fatal(err)
		}
		w.Hide([]string{`a "quoted" secret`, "abc"})
		w.Hide([]string{"other-secret", "secret-and-more", "and-more"})
		for _, text := range []string{
			`{"jsonrpc":"2.0","id":1,"result":"a \"quoted\" secret, abc"}`, `other-secret: a "quoted" secret`, "secret-and-more",
		} {
			w.Append(&wire.Frame{Kind: wire.KindLine, Dir: wire.ToClient, X: 1, Data: []byte(text)})
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(w.Path())
		_, got, _ := strings.Cut(string(text), "\n") // behind the header
		if hidden := !strings.Contains(got, "secret"); hidden == keep || !strings.Contains(got, "abc") {
			t.Errorf("keep %t:\n%s", keep, got)
		}
	}
}
