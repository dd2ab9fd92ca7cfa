package library

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"midwire/session/stack"
)

// TestLook shows lines of the server's own files and of nothing else.
func TestLook(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write := func(path, text string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	js := write(filepath.Join(dir, "dist", "search.js"), "one\ntwo\nthree\nfour\nfive\nsix")
	p := Look(stack.Frame{File: js, Line: 3}, []string{dir})
	if p.First != 1 || !slices.Equal(p.Lines, []string{"one", "two", "three", "four", "five"}) {
		t.Errorf("%+v", p)
	}
	if p = Look(stack.Frame{File: js, Line: 6}, []string{dir}); p.First != 4 || len(p.Lines) != 3 {
		t.Errorf("at the end: %+v", p)
	}
	secret := write(filepath.Join(other, "secret.js"), "hunter2")
	key := write(filepath.Join(dir, "id_rsa"), "hunter2")
	link := filepath.Join(dir, "link.js")
	if err := os.Symlink(secret, link); err != nil {
		t.Log(err)
	}
	for _, file := range []string{secret, key, link, filepath.Join(dir, "..", filepath.Base(other), "secret.js"), "search.js", dir + ".js"} {
		if p := Look(stack.Frame{File: file, Line: 1}, []string{dir}); p.Lines != nil {
			t.Errorf("%s: %v", file, p.Lines)
		}
	}
	for _, folders := range [][]string{nil, {""}, {"/"}, {"nowhere"}} {
		if p := Look(stack.Frame{File: js, Line: 1}, folders); p.Lines != nil {
			t.Errorf("%v: %v", folders, p.Lines)
		}
	}
}

// TestSourceMap: the line of the source is shown, not of what was compiled from it.
func TestSourceMap(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("src/search.ts", "import x\n\nexport function search(q?: string) {\n  return q.split(' ')\n}\n")
	write("dist/search.js", "export function search(q) {\n  return q.split(' ')\n}\n//# sourceMappingURL=search.js.map\n")
	m := map[string]any{"version": 3, "sources": []string{"../src/search.ts"}, "names": []string{}, "mappings": "AAEA,OAAO;EACL,OAAO,CAAC,CAAC,MAAM"}
	raw, _ := json.Marshal(m)
	write("dist/search.js.map", string(raw))
	p := Look(stack.Frame{Func: "search", File: filepath.Join(dir, "dist", "search.js"), Line: 2, Col: 12, Own: true}, []string{dir})
	if p.Compiled == nil || p.File != filepath.Join(dir, "src", "search.ts") || p.Line != 4 || len(p.Lines) < 4 || !strings.Contains(p.Lines[p.Line-p.First], "q.split") {
		t.Errorf("%+v", p)
	}
	text := "a\nb\nc\nmoved\n"
	m["sourcesContent"] = []*string{&text}
	raw, _ = json.Marshal(m)
	write("dist/search.js.map", string(raw))
	if p = Look(stack.Frame{File: filepath.Join(dir, "dist", "search.js"), Line: 2, Col: 3}, []string{dir}); p.Lines[p.Line-p.First] != "moved" {
		t.Errorf("%+v", p)
	}
	for _, bad := range []string{"{", `{"mappings":"!!!!","sources":["x"]}`, `{"mappings":"AAEA","sources":[]}`, `{"mappings":""}`} {
		write("dist/search.js.map", bad)
		if p = Look(stack.Frame{File: filepath.Join(dir, "dist", "search.js"), Line: 2}, []string{dir}); p.Compiled != nil || len(p.Lines) == 0 {
			t.Errorf("%s: %+v", bad, p)
		}
	}
}
