package prune

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session/library/notebook"
	"midwire/session/notes"
	"midwire/session/record"
	"midwire/session/wire"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// made is a recording of so many bytes that was last written to so long ago.
func made(t *testing.T, dir, id string, ago time.Duration, bytes int) string {
	w, err := record.Create(dir, record.Header{ID: id, Tap: "stdio", Started: now.Add(-ago)}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.Append(&wire.Frame{Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: []byte(strings.Repeat("x", bytes))})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(w.Path(), time.Time{}, now.Add(-ago)); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

func note(t *testing.T, path string, key notes.Key, text string) {
	if _, err := notebook.Write(path, notes.Changes{key: text}); err != nil {
		t.Fatal(err)
	}
}

const day = 24 * time.Hour

// library has recordings of 1,000 bytes and a little, a day apart, and some
// that stay whatever their age.
func library(t *testing.T) string {
	dir := t.TempDir()
	for i, id := range []string{"day0", "day1", "day2", "day3", "day4"} {
		made(t, dir, id, time.Duration(i)*day+time.Hour, 1000)
	}
	note(t, made(t, dir, "named", 90*day, 1000), notes.Key{}, "the one with the bug")
	note(t, made(t, dir, "marked", 90*day, 1000), notes.Key{Kind: notes.Mark, Frame: 1}, notes.Marked)
	note(t, made(t, dir, "commented", 90*day, 1000), notes.Key{Kind: notes.Comment, Frame: 1}, "here")
	unmarked := made(t, dir, "unmarked", 90*day, 1000)
	note(t, unmarked, notes.Key{Kind: notes.Mark, Frame: 1}, notes.Marked)
	note(t, unmarked, notes.Key{Kind: notes.Mark, Frame: 1}, "")
	learned := made(t, dir, "learned", 90*day, 1000)
	odd := made(t, dir, "odd", 90*day, 1000)
	for path, text := range map[string]string{
		filepath.Join(dir, "newer.jsonl"):                 `{"midwire":99,"id":"newer","started":"2020-01-01T00:00:00Z"}` + "\n",
		filepath.Join(dir, "foreign.jsonl"):               "not ours\n",
		filepath.Join(dir, "holiday.png"):                 "not ours either",
		strings.TrimSuffix(odd, ".jsonl") + ".notes.json": `{"midwire_notes":1,"drawings":{"1":"x"}}`,
		learned + ".ignore":                               "$.result.time",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, now.Add(-365*day)); err != nil {
			t.Fatal(err)
		}
	}
	live, err := record.Create(dir, record.Header{ID: "live", Tap: "stdio", Started: now.Add(-90 * day)}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	live.Flush()
	if err := os.Chtimes(live.Path(), time.Time{}, now.Add(-80*day)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { live.Close() })
	return dir
}

func left(t *testing.T, dir string) []string {
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range files {
		if f.Name() != ".key" {
			all = append(all, f.Name())
		}
	}
	return all
}

// Old recordings go, with their notes; what is live, named, marked, commented,
// or not known stays, and so does every file that is no recording.
func TestPrune(t *testing.T) {
	always := []string{"commented.jsonl", "commented.notes.json", "foreign.jsonl", "holiday.png", "learned.jsonl", "learned.jsonl.ignore", "live.jsonl", "marked.jsonl", "marked.notes.json", "named.jsonl", "named.notes.json", "newer.jsonl", "odd.jsonl", "odd.notes.json"}
	for name, c := range map[string]struct {
		older, keep string
		stays       []string
	}{
		"age":       {"2d", "", []string{"day0.jsonl", "day1.jsonl"}},
		"size":      {"", "2KB", []string{"day0.jsonl"}},
		"both":      {"4d", "1KB", nil},
		"all":       {"", "0B", nil},
		"room":      {"", "1GiB", []string{"day0.jsonl", "day1.jsonl", "day2.jsonl", "day3.jsonl", "day4.jsonl", "unmarked.jsonl", "unmarked.notes.json"}},
		"no rule":   {"", "", []string{"day0.jsonl", "day1.jsonl", "day2.jsonl", "day3.jsonl", "day4.jsonl", "unmarked.jsonl", "unmarked.notes.json"}},
		"too young": {"100d", "", []string{"day0.jsonl", "day1.jsonl", "day2.jsonl", "day3.jsonl", "day4.jsonl", "unmarked.jsonl", "unmarked.notes.json"}},
	} {
		dir := library(t)
		rule, err := ParseRule(c.older, c.keep)
		if err != nil {
			t.Fatal(err)
		}
		before := left(t, dir)
		dry, err := Run(dir, rule, now, true)
		if err != nil || !slices.Equal(left(t, dir), before) {
			t.Errorf("%s: a dry run: %v, left %v", name, err, left(t, dir))
		}
		r, err := Run(dir, rule, now, false)
		if err != nil || len(r.Gone) != len(dry.Gone) || r.KeptBytes != dry.KeptBytes {
			t.Errorf("%s: %v; dry run: %d go, %d bytes stay; then: %d, %d", name, err, len(dry.Gone), dry.KeptBytes, len(r.Gone), r.KeptBytes)
		}
		want := slices.Sorted(slices.Values(slices.Concat(always, c.stays)))
		if got := left(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: left %v\nwant %v", name, got, want)
		}
	}
}

// TestCopiesHaveTheirOwnRoom: neither what another host's recording says nor how much of it there
// is deletes the user's own, nor the other way round; what stays anyway displaces nothing.
func TestCopiesHaveTheirOwnRoom(t *testing.T) {
	dir := t.TempDir()
	for i, id := range []string{"own0", "own1", "own2", "own3", "own4"} {
		made(t, dir, id, time.Duration(i+1)*time.Hour, 1000)
	}
	note(t, made(t, dir, "named", 9*day, 50_000), notes.Key{}, "the one with the bug")
	copied := func(id, text string, came time.Duration) {
		path := record.File(dir, id)
		if err := os.WriteFile(path, []byte(text+strings.Repeat(" ", 20_000)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, now.Add(-came)); err != nil {
			t.Fatal(err)
		}
	}
	copied("far@web1", `{"midwire":1,"id":"far","tap":"stdio","started":"2099-01-01T00:00:00Z"}`, 3*time.Hour)
	copied("broken@web1", `{"midwire":1,"id":7`, 2*time.Hour)
	copied("old@web1", `{"midwire":1,"id":"old","tap":"stdio","started":"1999-01-01T00:00:00Z"}`, time.Hour)
	copied("letter@home", "Dear midwire", 9*day) // no copy
	rule, err := ParseRule("", "30KB")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(dir, rule, now, false); err != nil {
		t.Fatal(err)
	}
	want := []string{"letter@home.jsonl", "named.jsonl", "named.notes.json", "old@web1.jsonl", "own0.jsonl", "own1.jsonl", "own2.jsonl", "own3.jsonl", "own4.jsonl"}
	if got := left(t, dir); !slices.Equal(got, want) {
		t.Errorf("left %v\nwant %v", got, want)
	}
	if rule, err = ParseRule("2d", ""); err != nil {
		t.Fatal(err)
	}
	copied("far@web1", `{"midwire":1,"id":"far","tap":"stdio","started":"2099-01-01T00:00:00Z"}`, 3*day)
	if r, err := Run(dir, rule, now, false); err != nil || len(r.Gone) != 1 || r.Gone[0].ID != "far@web1" {
		t.Errorf("an age deletes %v, %v", r.Gone, err)
	}
}

func TestRules(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 30 * day, "2w": 14 * day, "12h": 12 * time.Hour, "90m": 90 * time.Minute} {
		if r, err := ParseRule(text, ""); err != nil || r.Older != want || r.IsZero() {
			t.Errorf("%s is %v, %v", text, r.Older, err)
		}
	}
	for text, want := range map[string]int64{"2GiB": 2 << 30, "2g": 2 << 30, "500MB": 500e6, "1.5 MiB": 3 << 19, "0B": 0, "17b": 17} {
		if r, err := ParseRule("", text); err != nil || r.Keep != want || r.IsZero() {
			t.Errorf("%s is %d, %v", text, r.Keep, err)
		}
	}
	for _, text := range []string{"0d", "-1d", "1", "d", "1y", "99999999999d", "1.5d", "NaNGB", "-2GB", "InfGB", "9999999999TiB", "GiB"} {
		if r, err := ParseRule(text, ""); err == nil {
			t.Errorf("age %s is %v", text, r)
		}
		if r, err := ParseRule("", text); err == nil {
			t.Errorf("size %s is %v", text, r)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 5 << 29: "2.5 GiB", 3 << 50: "3072.0 TiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d bytes are %q, want %q", n, got, want)
		}
	}
}

// A screen deletes what the configuration says, and only when it says so;
// without it, it speaks up when there is much.
func TestAtStart(t *testing.T) {
	run := func(dir, older string) (said []string) {
		rule, err := ParseRule(older, "")
		if err != nil {
			t.Fatal(err)
		}
		AtStart(dir, rule, now, func(err error) { said = append(said, err.Error()) })
		return said
	}
	dir := library(t)
	if said := run(dir, "30d"); len(said) != 1 || !strings.HasPrefix(said[0], "deleted 1 recording, 1.2 KiB as configured; 13 recordings") {
		t.Errorf("%q", said)
	}
	if said := run(dir, "30d"); len(said) != 0 {
		t.Errorf("when there is nothing to delete: %q", said)
	}
	before := left(t, dir)
	if said := run(dir, ""); len(said) != 0 {
		t.Errorf("%q", said)
	}
	big := filepath.Join(dir, "big.jsonl")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, Large); err != nil { // takes no room
		t.Fatal(err)
	}
	if said := run(dir, ""); len(said) != 1 || !strings.HasPrefix(said[0], "recordings take 4.0 GiB in "+dir+": midwire prune deletes old ones") {
		t.Errorf("%q", said)
	}
	if got := left(t, dir); len(got) != len(before)+1 {
		t.Errorf("without a rule something was deleted: %v", got)
	}
}
