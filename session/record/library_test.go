package record

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session/wire"
)

func TestDefaultDir(t *testing.T) {
	root := t.TempDir() // absolute on every system
	home := func() (string, error) { return filepath.Join(root, "u"), nil }
	none := func() (string, error) { return "", errors.New("no home") }
	for _, tc := range []struct {
		env  map[string]string
		goos string
		home func() (string, error)
		want string
	}{
		{map[string]string{"MIDWIRE_HOME": filepath.Join(root, "m"), "XDG_STATE_HOME": root}, "linux", none, "m/recordings"},
		{map[string]string{"XDG_STATE_HOME": root}, "linux", none, "midwire/recordings"},
		{map[string]string{"XDG_STATE_HOME": "relative"}, "linux", home, "u/.local/state/midwire/recordings"},
		{nil, "darwin", home, "u/.local/state/midwire/recordings"},
		{map[string]string{"LocalAppData": filepath.Join(root, "l")}, "windows", none, "l/midwire/recordings"},
		{nil, "windows", home, "u/AppData/Local/midwire/recordings"},
		{nil, "linux", none, ""},
	} {
		got, err := DefaultDir(func(k string) string { return tc.env[k] }, tc.goos, tc.home)
		want := filepath.Join(root, filepath.FromSlash(tc.want))
		if tc.want == "" {
			if err == nil || !strings.Contains(err.Error(), "MIDWIRE_HOME") {
				t.Errorf("%v: %q, %v", tc, got, err)
			}
		} else if got != want || err != nil {
			t.Errorf("%v: %q, %v", tc.env, got, err)
		}
	}
}

// library creates finished recordings with these ids, a minute apart.
func library(t *testing.T, ids ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, id := range ids {
		w, err := Create(dir, Header{ID: id, Started: started.Add(time.Duration(i) * time.Minute), Tap: "http", Label: id}, Options{Now: clock})
		if err != nil {
			t.Fatal(err)
		}
		w.Append(&wire.Frame{Kind: wire.KindNote, Data: []byte("{}")})
		w.Close()
	}
	return dir
}

func TestList(t *testing.T) {
	dir := library(t, "20261121-101500-abcabc", "copy", "20261121-101700-abdabd")
	live, err := Create(dir, Header{ID: "live", Started: started.Add(time.Hour)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	for name, content := range map[string]string{"letter.jsonl": "Dear", "empty.jsonl": "", "new.jsonl": "", "notes.txt": "x", ".key": "x", ".hidden.jsonl": "x"} {
		path := filepath.Join(dir, name)
		os.WriteFile(path, []byte(content), 0o600)
		if name != "new.jsonl" { // its tap is about to write the header
			os.Chtimes(path, old, old)
		}
	}
	torn, _ := os.OpenFile(filepath.Join(dir, "copy.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	torn.WriteString(`{"n":3,`)
	torn.Close()
	os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700)
	got := map[string]Entry{}
	var order []string
	all, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		got[e.ID] = e
		if e.Err == nil {
			order = append(order, e.ID)
		}
	}
	if want := "live 20261121-101700-abdabd copy 20261121-101500-abcabc"; strings.Join(order, " ") != want || len(all) != 6 {
		t.Errorf("%d entries: %v", len(all), order)
	}
	if e := got["live"]; !e.Live || e.Torn || e.Err != nil || !IsLive(live.Path()) {
		t.Errorf("live recording: %+v", e)
	}
	if e := got["copy"]; e.Live || !e.Torn || e.Header.Label != "copy" || e.Size == 0 || e.Modified.IsZero() {
		t.Errorf("torn recording: %+v", e)
	}
	for _, id := range []string{"letter", "empty"} {
		if e := got[id]; !errors.Is(e.Err, ErrNotRecording) || e.Live {
			t.Errorf("%s: %+v", id, e)
		}
	}
	live.Close()
	if IsLive(live.Path()) || IsLive("nowhere") {
		t.Error("a closed recording is live")
	}
	if all, err := List(filepath.Join(dir, "nowhere")); len(all) > 0 || err != nil {
		t.Errorf("no folder: %v, %v", all, err)
	}
	if _, err := List(filepath.Join(dir, ".key")); err == nil || !strings.Contains(err.Error(), "MIDWIRE_HOME") {
		t.Errorf("a file for a folder: %v", err)
	}
}

// TestLastIsOfAUsersClient: what midwire asked itself is last only where there is nothing else.
func TestLastIsOfAUsersClient(t *testing.T) {
	dir := t.TempDir()
	for _, one := range []struct {
		h    Header
		last string
	}{
		{Header{ID: "20261121-101500-askask", Tap: "stdio", Asks: true}, "20261121-101500-askask"},
		{Header{ID: "20261121-101501-client", Tap: "stdio", Label: "probe of x"}, "20261121-101501-client"},
		{Header{ID: "20261121-101502-askask", Tap: "stdio", Asks: true}, "20261121-101501-client"},
	} {
		one.h.Started = time.Now()
		w, err := Create(dir, one.h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		if got, err := Resolve(dir, "last"); err != nil || got != File(dir, one.last) {
			t.Errorf("behind %s last is %q, %v", one.h.ID, got, err)
		}
	}
}

// TestCopiesAreNeverLast: what a copy says of when it began, and its name, make no recording of
// the user's own unfindable; copies are in the order in which they came.
func TestCopiesAreNeverLast(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	made := func(id string, began, written time.Time) {
		w, err := Create(dir, Header{ID: id, Tap: "stdio", Started: began}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		if err := os.Chtimes(w.Path(), written, written); err != nil {
			t.Fatal(err)
		}
	}
	far := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	made("20261121-101500-abc@web1", far, now.Add(-3*time.Hour))
	if path, err := Resolve(dir, "last"); err == nil {
		t.Errorf("last is %s", path)
	}
	made("20261121-101500-abc", now.Add(-2*time.Hour), now.Add(-2*time.Hour))
	made("20990101-000000-far", far, now.Add(-90*time.Minute))
	made("20261121-101500-abd", now.Add(-time.Hour), now.Add(-time.Hour))
	made("20261121-101500-abd@web1", far, now.Add(-time.Minute))
	for ref, want := range map[string]string{"last": "20261121-101500-abd", "abc": "20261121-101500-abc", "20261121-101500-abd@": "20261121-101500-abd@web1"} {
		if got, err := Resolve(dir, ref); err != nil || got != File(dir, want) {
			t.Errorf("%s is %s, %v", ref, got, err)
		}
	}
	all, err := List(dir)
	var got []string
	for _, e := range all {
		got = append(got, e.ID)
	}
	want := []string{"20261121-101500-abd@web1", "20261121-101500-abd", "20990101-000000-far", "20261121-101500-abc", "20261121-101500-abc@web1"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v\nwant %v", got, err, want)
	}
}

func TestResolve(t *testing.T) {
	dir := library(t, "20261121-101500-abcabc", "20261121-101600-abdabd", "20261122-101600-xyz", "20261122-101600-xyzz")
	file := tempFile(t, nil)
	for ref, want := range map[string]string{
		"last":                   filepath.Join(dir, "20261122-101600-xyzz.jsonl"),
		file:                     file,
		"20261121-101500-abcabc": filepath.Join(dir, "20261121-101500-abcabc.jsonl"),
		"20261121-1016":          filepath.Join(dir, "20261121-101600-abdabd.jsonl"),
		"abd":                    filepath.Join(dir, "20261121-101600-abdabd.jsonl"),
		"20261122-101600-xyz":    filepath.Join(dir, "20261122-101600-xyz.jsonl"),
	} {
		if got, err := Resolve(dir, ref); got != want || err != nil {
			t.Errorf("%s is %q, %v", ref, got, err)
		}
	}
	for ref, want := range map[string]string{
		"20261121": "20261121-101600-abdabd, 20261121-101500-abcabc; type more",
		"ab":       "is ambiguous: ",
		"nothing":  "midwire ls lists recordings",
		"":         "midwire ls lists recordings",
		"no/file":  "no such file",
	} {
		if got, err := Resolve(dir, ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is %q, %v", ref, got, err)
		}
	}
	if _, err := Resolve(t.TempDir(), "last"); err == nil || !strings.Contains(err.Error(), "midwire demo") {
		t.Errorf("last of none: %v", err)
	}
}

// TestFlow: the recordings of one traffic at several places are found from any
// of them, in the order in which they began.
func TestFlow(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	made := func(dir, id, flow string, after time.Duration) string {
		w, err := Create(dir, Header{ID: id, Started: started.Add(after), Tap: "http", Flow: flow}, Options{Now: clock})
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		return w.Path()
	}
	server := made(dir, "a-server", "f1", time.Minute)
	client := made(dir, "b-client", "f1", 0)
	other := made(dir, "c-other", "f2", 0)
	alone := made(dir, "d-alone", "", 0)
	away := made(elsewhere, "e-away", "f1", 0)
	damaged := filepath.Join(dir, "damaged.jsonl")
	if err := os.WriteFile(damaged, []byte("Dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		server:  {client, server},
		client:  {client, server},
		other:   {other},
		alone:   {alone},
		away:    {away},
		damaged: {damaged},
	} {
		if got, err := Flow(dir, path); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s belongs to %v, %v", filepath.Base(path), got, err)
		}
	}
	if got, err := OfFlow(dir, "f3"); err != nil || len(got) > 0 {
		t.Errorf("a flow that nothing belongs to: %v, %v", got, err)
	}
	if _, err := OfFlow(damaged, "f1"); err == nil {
		t.Error("a file is taken for a folder of recordings")
	}
}

// TestResolveNamesSome: of many that may be meant it names some, and says how
// many more there are. A folder that cannot be read is said, not taken for an
// empty one.
func TestResolveNamesSome(t *testing.T) {
	dir := library(t, "run-a", "run-b", "run-c", "run-d", "run-e", "run-f", "run-g")
	if got, err := Resolve(dir, "run"); err == nil || !strings.Contains(err.Error(), "and 2 more; type more of it") {
		t.Errorf("%q, %v", got, err)
	}
	file := tempFile(t, nil)
	for _, ref := range []string{"last", "run-a"} {
		if got, err := Resolve(file, ref); err == nil || !strings.Contains(err.Error(), "MIDWIRE_HOME") {
			t.Errorf("%s in a file: %q, %v", ref, got, err)
		}
	}
}
