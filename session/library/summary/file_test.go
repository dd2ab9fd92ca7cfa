package summary

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session/record"
)

// hostile are files at the name of a summary that are none of ours, made of one
// that is.
func hostile(good string) map[string]string {
	swap := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	return map[string]string{
		"empty":             "",
		"half":              good[:len(good)/2],
		"no object":         "[]",
		"null":              "null",
		"nothing in it":     "{}",
		"something behind":  good + "{}",
		"unknown member":    swap(`{"midwire_summary":10,`, `{"midwire_summary":9,"run":"rm -rf",`),
		"another format":    swap(`{"midwire_summary":10,`, `{"midwire_summary":3,`),
		"another size":      swap(`"size":`, `"size":1`),
		"another hash":      swap(`"hash":"`, `"hash":"0`),
		"another maker":     swap(`"maker":"`, `"maker":"0`),
		"more sessions":     swap(`"total":`, `"total":-1`),
		"an odd state":      swap(`"state":`, `"state":9`),
		"an odd severity":   swap(`"severity":`, `"severity":9`),
		"an odd mark":       swap(`"mark":`, `"mark":9`),
		"an odd verdict":    swap(`"verdict":`, `"verdict":9`),
		"below zero":        swap(`"messages":`, `"messages":-`),
		"a long text":       swap(`"why":"`, `"why":"`+strings.Repeat("x", 1000)),
		"a huge text":       swap(`"why":"`, `"why":"`+strings.Repeat("x", 2<<20)),
		"no end of a card":  swap(`"card":[`, `"card":[`+strings.Repeat(`{"Label":"x","Parts":null,"Frames":null},`, 100)),
		"no end of objects": swap(`"sessions":[`, `"sessions":[`+strings.Repeat(`{},`, 300_000)),
	}
}

func TestHostileFile(t *testing.T) {
	path := recorded(t, t.TempDir(), "stdio-trouble")
	kept(t, path)
	good, err := os.ReadFile(File(path))
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range hostile(string(good)) {
		if text == string(good) {
			t.Errorf("%s: nothing was changed", what)
		}
		if err := os.WriteFile(File(path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := Read(path); ok {
			t.Errorf("%s: it is read", what)
		}
		if s, err := Get(t.Context(), path); err != nil || s.Total == 0 {
			t.Errorf("%s: %v", what, err)
		}
		if again, _ := os.ReadFile(File(path)); string(again) != string(good) {
			t.Errorf("%s: it is not replaced", what)
		}
	}
}

// TestLink: a link at the name of a summary is not followed; it is replaced.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	path, other := recorded(t, dir, "stdio-trouble"), filepath.Join(dir, "other")
	kept(t, path)
	if err := os.Rename(File(path), other); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, File(path)); err != nil {
		t.Skip("no links here:", err)
	}
	if _, ok := Read(path); ok {
		t.Error("a link is followed")
	}
	before, _ := os.ReadFile(other)
	if _, err := Get(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(other)
	if info, err := os.Lstat(File(path)); err != nil || !info.Mode().IsRegular() || string(before) != string(after) {
		t.Errorf("the link is there still, or what it pointed to was changed: %v", err)
	}
}

// TestNotKept: what cannot be kept can be made all the same, and nothing is left
// behind.
func TestNotKept(t *testing.T) {
	dir := t.TempDir()
	path := recorded(t, dir, "stdio-trouble")
	if err := os.Mkdir(File(path), 0o700); err != nil { // takes the name
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(File(path), "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Get(t.Context(), path)
	if err != nil || s.Total == 0 {
		t.Error(err)
	}
	if err := Keep(path, s); err == nil {
		t.Error("it was kept in a folder's place")
	}
	if all, _ := filepath.Glob(filepath.Join(dir, ".*-*")); len(all) > 0 {
		t.Errorf("left behind: %v", all)
	}
	other := recorded(t, t.TempDir(), "stdio-trouble")
	closed := filepath.Dir(other)
	if err := os.Chmod(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(closed, 0o700) })
	if s, err := Get(t.Context(), other); err != nil || s.Total == 0 {
		t.Errorf("in a folder that may not be written to: %v", err)
	}
	changed := recorded(t, t.TempDir(), "stdio-trouble")
	s = made(t, changed)
	if err := os.Truncate(changed, s.Of.Size-1); err != nil {
		t.Fatal(err)
	}
	if err := Keep(changed, s); !errors.Is(err, ErrNotKept) {
		t.Errorf("of a recording that has changed: %v", err)
	}
	if err := os.Remove(changed); err != nil {
		t.Fatal(err)
	}
	if err := Keep(changed, s); !errors.Is(err, ErrNotKept) || Size(changed) > 0 {
		t.Errorf("of a recording that was deleted: %v", err)
	}
}

func TestLiveIsNotKept(t *testing.T) {
	w, err := record.Create(t.TempDir(), record.Header{ID: "live", Started: begun(), Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := Keep(w.Path(), made(t, w.Path())); !errors.Is(err, ErrNotKept) {
		t.Errorf("%v", err)
	}
	All(t.Context(), []record.Entry{{ID: "live", Path: w.Path(), Live: true}}, nil, func(id string, _ *Recording) {
		t.Errorf("%s has a summary", id)
	})
}

// TestKilledWhileWriting: a draft that was left behind is in nobody's way, and
// Sweep removes it when it is old.
func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	path := recorded(t, dir, "stdio-trouble")
	whole, err := json.Marshal(made(t, path))
	if err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, ".stdio-trouble.summary.json-1"), filepath.Join(dir, ".stdio-trouble.summary.json-2")
	orphan, foreign := filepath.Join(dir, "gone.summary.json"), filepath.Join(dir, "mine.summary.json")
	for file, text := range map[string]string{old: "{", young: "{", orphan: string(whole), foreign: `{"a":1}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	if err := os.Chtimes(old, now.Add(-2*stale), now.Add(-2*stale)); err != nil {
		t.Fatal(err)
	}
	if _, ok := Read(path); ok {
		t.Error("a draft is read")
	}
	kept(t, path)
	if err := Sweep(dir, now); err != nil {
		t.Fatal(err)
	}
	for file, stays := range map[string]bool{old: false, young: true, orphan: false, foreign: true, path: true, File(path): true} {
		if _, err := os.Lstat(file); (err == nil) != stays {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
	if err := Sweep(filepath.Join(dir, "nowhere"), now); err != nil {
		t.Error(err)
	}
}

// TestAll: those that are kept come first, the newest before the others; what
// was made is kept.
func TestAll(t *testing.T) {
	dir := t.TempDir()
	var entries []record.Entry
	for _, name := range []string{"stdio-batch", "stdio-trouble", "http-ids", "http-modern"} {
		entries = append(entries, record.Entry{ID: name, Path: recorded(t, dir, name)})
	}
	entries = append(entries, record.Entry{ID: "none", Path: filepath.Join(dir, "none.jsonl")},
		record.Entry{ID: "broken", Path: entries[0].Path, Err: errors.New("broken")})
	kept(t, entries[2].Path)
	var got []string
	take := func(id string, s *Recording) {
		if got = append(got, id); s.Total == 0 {
			t.Errorf("%s has no session", id)
		}
	}
	All(t.Context(), entries, nil, take)
	if len(got) != 4 || got[0] != "http-ids" {
		t.Errorf("it gives %v", got)
	}
	for _, e := range entries[:4] {
		if _, ok := Read(e.Path); !ok || !slices.Contains(got, e.ID) {
			t.Errorf("%s was not kept", e.ID)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	got = nil
	if All(ended, entries, nil, take); len(got) > 0 {
		t.Errorf("after the end it gives %v", got)
	}
}

// TestAllInSteps: those that somebody looks at are made before the others.
func TestAllInSteps(t *testing.T) {
	dir := t.TempDir()
	var entries []record.Entry
	for _, id := range []string{"a", "b", "c", "d"} {
		entries = append(entries, record.Entry{ID: id, Path: manyFrames(t, dir, id, 1200)})
	}
	var got []string
	All(t.Context(), entries, func() []string { return []string{"none", "c"} }, func(id string, s *Recording) {
		if got = append(got, id); s.Total != 1 || s.Sessions[0].Client.Name != "desk" || s.Sessions[0].Server.Name != "notes" {
			t.Errorf("%s: %+v", id, s)
		}
	})
	if at := slices.Index(got, "c"); len(got) != 4 || at > slices.Index(got, "d") || at > 2 {
		t.Errorf("it gives %v", got)
	}
	if _, ok := Read(entries[0].Path); !ok {
		t.Error("it is not kept")
	}
}

func FuzzDecode(f *testing.F) {
	path := recorded(f, f.TempDir(), "stdio-trouble")
	good, err := json.Marshal(made(f, path))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"midwire_summary":1,"of":{"size":1,"modified":1,"hash":""},"maker":"","frames":0,"total":1,"sessions":[{"index":0,"frame":1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := decode(raw)
		if err != nil {
			return
		}
		for i := range s.Sessions {
			one := s.Sessions[i].Session()
			_, _, _ = one.State.String(), one.Transport.String(), one.IDSource.String()
			for _, found := range s.Sessions[i].Findings {
				_, _ = found.Severity.String(), found.Side.String()
			}
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(again); err != nil {
			t.Fatalf("%v: %s", err, again)
		}
	})
}
