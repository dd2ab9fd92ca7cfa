package record

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"midwire/session/record/redact"
	"midwire/session/wire"
)

// What is masked is said, with the length that it had on the wire.
func TestMaskedFrames(t *testing.T) {
	const text = `{"access_token":"x"}`
	w := create(t, Options{})
	w.Append(&wire.Frame{Kind: wire.KindLine, EOL: "\n", Data: []byte(text)})
	w.Close()
	if got, _ := readAll(t, w.Path()); !got[0].Masked || got[0].Len != len(text) || !strings.Contains(string(got[0].Data), `"redacted:`) {
		t.Errorf("frame is %+v", got[0])
	}
}

func TestKeepSecrets(t *testing.T) {
	w := create(t, Options{Redact: redact.Options{Keep: true, Keys: []string{"a"}}})
	w.Append(&wire.Frame{Kind: wire.KindLine, EOL: "\n", Data: []byte(`{"access_token":"x","a":1}`)})
	w.Close()
	if got, _ := readAll(t, w.Path()); got[0].Masked || string(got[0].Data) != `{"access_token":"x","a":1}` {
		t.Errorf("frame is %+v", got[0])
	}
}

// A folder that others may write to is used, and said; what they know of its key
// is worth nothing.
func TestSharedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("who may write is not in the mode")
	}
	dir := t.TempDir()
	masks := map[string]bool{}
	for range 2 {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		var said []error
		w, err := Create(dir, Header{}, Options{OnShared: func(err error) { said = append(said, err) }})
		if err != nil {
			t.Fatal(err)
		}
		w.Append(&wire.Frame{Kind: wire.KindLine, EOL: "\n", Data: []byte(`{"access_token":"x"}`)})
		w.Close()
		if len(said) != 1 || !strings.Contains(said[0].Error(), dir) || !strings.Contains(said[0].Error(), "everyone may write") {
			t.Errorf("it says %v", said)
		}
		got, _ := readAll(t, w.Path())
		masks[string(got[0].Data)] = true
		if info, err := os.Stat(w.Path()); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	if len(masks) != 2 {
		t.Errorf("two recordings in a folder of everybody have the same masks: %v", masks)
	}
}
