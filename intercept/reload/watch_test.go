package reload

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestQuickSaves: who saves several times in a row, with a look at the server now and
// then, is no log file.
func TestQuickSaves(t *testing.T) {
	w := watcher{quick: map[string]int{}}
	for i := range 50 {
		since := time.Second
		if i%5 == 4 {
			since = soon + 1
		}
		if own := w.ownDoing([]string{"a.py"}, since); own != nil {
			t.Fatalf("after %d changes: %q", i+1, own)
		}
	}
}

func TestGlobs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.ts", "src/b.ts", "src/x/c.ts", "src/x/d.js", "src/node_modules/e.ts", "src/.git/f.ts", "odd[1]*.ts"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for glob, want := range map[string]string{
		"*.ts": "a.ts odd[1]*.ts", "src/**/*.ts": "src/b.ts src/x/c.ts", "src/**/x/*": "src/x/c.ts src/x/d.js",
		Literally("odd[1]*.ts"): "odd[1]*.ts", "src/**": "src/b.ts src/x/c.ts src/x/d.js",
	} {
		var got []string
		matching(filepath.Join(dir, glob), func(name string) bool {
			rel, _ := filepath.Rel(dir, name)
			got = append(got, filepath.ToSlash(rel))
			return true
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", glob, got, want)
		}
	}
	for _, bad := range []string{"", "[", "a/**/b/**"} {
		if Check(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzTalk(f *testing.F) {
	for _, line := range []string{hello, `[{"id":1,"method":"x"},{"id":1,"result":{}}]`, `{"jsonrpc":"2.0","id":0,"result":{"capabilities":{"tools":{"listChanged":true}}}}`, "\xff{", `{"id":null,"error":1}`} {
		f.Add([]byte(line), []byte(line))
	}
	f.Fuzz(func(_ *testing.T, a, b []byte) {
		var one talk
		one.sent(piece{a, true})
		one.said(piece{b, true})
		one.forget()
		one.isStale(a)
		one.lists()
		differences(a, b)
	})
}
