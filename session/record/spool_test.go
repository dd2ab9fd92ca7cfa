package record

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"midwire/session/wire"
)

// TestSpool: a recording that came from a pipe is read like any other, and
// nothing is left of one that broke off.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	raw, ends := small(t)
	path, err := Spool(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := readAll(t, path); len(got) != len(ends)-1 || filepath.Dir(path) != dir {
		t.Errorf("%d frames in %s, want %d", len(got), path, len(ends)-1)
	}
	before, _ := os.ReadDir(dir)
	broken := errors.New("the pipe broke")
	if path, err := Spool(iotest.ErrReader(broken)); !errors.Is(err, broken) || path != "" {
		t.Errorf("%q, %v", path, err)
	}
	endless := io.MultiReader(bytes.NewReader(raw), strings.NewReader(strings.Repeat("\n", 4096)))
	if path, err := spool(endless, int64(len(raw))+100); err == nil || !strings.Contains(err.Error(), "save it to a file") || path != "" {
		t.Errorf("%q, %v", path, err)
	}
	if after, _ := os.ReadDir(dir); len(after) != len(before) {
		t.Errorf("left behind: %v", after)
	}
}

// TestSecretsOfTheUser: what the options of a command name is masked besides
// what always is, and a wrong expression is named.
func TestSecretsOfTheUser(t *testing.T) {
	secrets := Secrets{Keys: []string{"pet"}, Paths: []string{"params.name"}, Values: []string{`\bcase-[0-9]+`}}
	opt, err := secrets.Options()
	if err != nil {
		t.Fatal(err)
	}
	w := create(t, opt)
	w.Append(&wire.Frame{
		Kind: wire.KindLine, EOL: "\n",
		Data: []byte(`{"params":{"name":"Anna","pet":"Rex","note":"see case-77 of Bob","access_token":"t"}}`),
	})
	w.Close()
	got, _ := readAll(t, w.Path())
	for _, secret := range []string{"Anna", "Rex", "case-77", `"t"`} {
		if strings.Contains(string(got[0].Data), secret) {
			t.Errorf("%s is not masked: %s", secret, got[0].Data)
		}
	}
	if !strings.Contains(string(got[0].Data), "of Bob") || !got[0].Masked {
		t.Errorf("%s", got[0].Data)
	}
	wrong := Secrets{Values: []string{"fine", "(wrong"}}
	if _, err := wrong.Options(); err == nil || !strings.Contains(err.Error(), `--redact-value "(wrong"`) {
		t.Errorf("%v", err)
	}
}
