package clients

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const cursorFile = `{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "x", "--token=s3cret"],
      "env": {"KEY": "s3cret"}
    },
    "web": {"url": "https://api.example.com/mcp?key=s3cret"}
  }
}
`

// cursor is a machine with one file of Cursor.
func cursor(t *testing.T, data string) (Env, string) {
	t.Helper()
	e := machine(t, "linux")
	return e, e.put(t, "home/.cursor/mcp.json", data)
}

// server finds a server of Cursor.
func (e Env) server(t *testing.T, name string) (File, Server) {
	t.Helper()
	c, _ := Lookup("cursor")
	files, err := e.Find(c, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, s := range f.Servers {
			if s.At.Name == name {
				return f, s
			}
		}
	}
	t.Fatalf("no server %q in %+v", name, files)
	return File{}, Server{}
}

func (e Env) wrapped(t *testing.T, name string) {
	t.Helper()
	f, s := e.server(t, name)
	if _, err := e.Wrap(f, s, false); err != nil {
		t.Fatal(err)
	}
}

func (e Env) unwrapped(t *testing.T, name string, force bool) error {
	t.Helper()
	f, s := e.server(t, name)
	_, err := e.Unwrap(f, s, force, false)
	return err
}

// TestTheFileStaysTheFile: its mode and the link that leads to it stay, and
// nothing is left beside it.
func TestTheFileStaysTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes, and links need a privilege")
	}
	e := machine(t, "linux")
	real := e.put(t, "home/dotfiles/cursor.json", cursorFile)
	link := filepath.Join(e.Home, ".cursor", "mcp.json")
	err := errors.Join(os.Chmod(real, 0o640), os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink("../dotfiles/cursor.json", link))
	if err != nil {
		t.Fatal(err)
	}
	e.wrapped(t, "files")
	if to, err := os.Readlink(link); err != nil || to != "../dotfiles/cursor.json" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if !strings.Contains(read(t, real), `"--", "npx"`) {
		t.Errorf("not wrapped:\n%s", read(t, real))
	}
	if err := e.unwrapped(t, "files", false); err != nil || read(t, real) != cursorFile {
		t.Errorf("%v\n%s", err, read(t, real))
	}
	for _, dir := range []string{filepath.Dir(link), filepath.Dir(real)} {
		if all, _ := os.ReadDir(dir); len(all) != 1 {
			t.Errorf("in %s there is more: %v", dir, all)
		}
	}
}

// TestFilesOfOthers: what others may write, or what has a second name, is
// refused.
func TestFilesOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	for name, spoil := range map[string]func(path string) error{
		"everyone may write to": func(path string) error { return os.Chmod(path, 0o666) },
		"others could change":   func(path string) error { return os.Chmod(filepath.Dir(path), 0o777) },
		"is read-only":          func(path string) error { return os.Chmod(path, 0o400) },
		"hard link":             func(path string) error { return os.Link(path, path+"2") },
	} {
		e, path := cursor(t, cursorFile)
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		f, s := e.server(t, "files")
		_, err := e.Wrap(f, s, false)
		if err == nil || !strings.Contains(err.Error(), name) || read(t, path) != cursorFile {
			t.Errorf("%s: %v\n%s", name, err, read(t, path))
		}
		if s.Why == nil || !strings.Contains(s.Why.Error(), name) {
			t.Errorf("the list says %v", s.Why)
		}
	}
}

// TestTheJournal: it is readable by its owner alone, holds no secret of the
// entries, and is empty in the end.
func TestTheJournal(t *testing.T) {
	e, path := cursor(t, cursorFile)
	e.wrapped(t, "files")
	e.wrapped(t, "web")
	text := read(t, e.Journal)
	if strings.Contains(text, "s3cret") || strings.Contains(text, "npx") {
		t.Errorf("the journal says too much:\n%s", text)
	}
	if info, err := os.Stat(e.Journal); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	_, s := e.server(t, "web")
	if want := "midwire http https://api.example.com/mcp --listen 127.0.0.1:7300"; s.Needs != want {
		t.Errorf("it needs %q", s.Needs)
	}
	if err := errors.Join(e.unwrapped(t, "files", false), e.unwrapped(t, "web", false)); err != nil || read(t, path) != cursorFile {
		t.Errorf("%v\n%s", err, read(t, path))
	}
	if all, err := journal(e.Journal).read(); err != nil || len(all) != 0 {
		t.Errorf("left: %v, %v", all, err)
	}
	e.put(t, "state/wrapped.json", `{"midwire_wrapped": 2}`)
	if _, err := e.Find(Client{}, ""); err == nil || !strings.Contains(err.Error(), "newer midwire") {
		t.Errorf("a newer journal: %v", err)
	}
}

// TestOthersChangedTheFile: what they changed stays, as long as it is not the
// entry.
func TestOthersChangedTheFile(t *testing.T) {
	e, path := cursor(t, cursorFile)
	e.wrapped(t, "files")
	change := func(old, new string) {
		t.Helper()
		text := read(t, path)
		if !strings.Contains(text, old) {
			t.Fatalf("no %s in\n%s", old, text)
		}
		e.put(t, "home/.cursor/mcp.json", strings.ReplaceAll(text, old, new))
	}
	change(`"web"`, `"renamed"`)
	change(`{"KEY": "s3cret"}`, `{}`)
	if err := e.unwrapped(t, "files", false); err != nil {
		t.Error(err)
	}
	want := strings.NewReplacer(`"web"`, `"renamed"`, `{"KEY": "s3cret"}`, `{}`).Replace(cursorFile)
	if now := read(t, path); now != want {
		t.Errorf("now it is\n%s", now)
	}

	// The entry laid out otherwise is the same entry.
	e, path = cursor(t, cursorFile)
	e.wrapped(t, "files")
	var v any
	if err := json.Unmarshal([]byte(read(t, path)), &v); err != nil {
		t.Fatal(err)
	}
	laid, _ := json.MarshalIndent(v, "", "\t")
	e.put(t, "home/.cursor/mcp.json", string(laid))
	if err := e.unwrapped(t, "files", false); err != nil {
		t.Error(err)
	}
	e.wrapped(t, "files")

	// A word more is a change of the entry.
	change(`"-y"`, `"--yes"`)
	before := read(t, path)
	err := e.unwrapped(t, "files", false)
	changed, ok := errors.AsType[*ChangedError](err)
	if !ok || read(t, path) != before {
		t.Fatalf("%v\n%s", err, read(t, path))
	}
	if got := strings.Join(changed.Lines, "\n"); got != "- word 4 of the command line is gone (midwire keeps no copy of it)\n"+
		`+ word 4 is now "--yes"` {
		t.Errorf("the difference is\n%s", got)
	}
	if err := e.unwrapped(t, "files", true); err != nil || !strings.Contains(read(t, path), `"--yes"`) {
		t.Errorf("%v\n%s", err, read(t, path))
	}

	// Somebody took midwire out and put something else there.
	e, path = cursor(t, cursorFile)
	e.wrapped(t, "files")
	change(e.Self, "/bin/other")
	for _, force := range []bool{false, true} {
		if err := e.unwrapped(t, "files", force); !errors.As(err, new(*ChangedError)) {
			t.Errorf("another command: %v", err)
		}
	}
}

// TestSomebodyUndidIt: then midwire is not in front any more, and the record
// goes.
func TestSomebodyUndidIt(t *testing.T) {
	e, _ := cursor(t, cursorFile)
	for _, name := range []string{"files", "web"} {
		e.wrapped(t, name)
		e.put(t, "home/.cursor/mcp.json", cursorFile)
		if err := e.unwrapped(t, name, false); !errors.Is(err, ErrNotWrapped) {
			t.Error(err)
		}
	}
	if all, err := journal(e.Journal).read(); err != nil || len(all) != 0 {
		t.Errorf("left: %v, %v", all, err)
	}
}

// TestCutOff: of a change that was killed between the journal and the file, the
// record is there and the file as before. It can be made again, and undone.
// What the killed one left beside the files goes.
func TestCutOff(t *testing.T) {
	e, path := cursor(t, cursorFile)
	left := []string{e.put(t, "home/.cursor/.mcp.json-123", "half"), e.put(t, "state/.wrapped.json-9", "half")}
	others := []string{e.put(t, "home/.cursor/.mcp.json-12a", "theirs"), e.put(t, "home/.cursor/.mcp.json-", "theirs")}
	for _, name := range []string{"files", "web"} {
		e.wrapped(t, name)
		after := read(t, path)
		e.put(t, "home/.cursor/mcp.json", cursorFile)
		if _, s := e.server(t, name); s.Wrapped || !s.Undone || s.Why != nil {
			t.Errorf("cut off: %+v", s)
		}
		e.wrapped(t, name)
		if now := read(t, path); name == "files" && now != after {
			t.Errorf("made again, it is\n%s", now)
		}
		if all, err := journal(e.Journal).read(); err != nil || len(all) != 1 {
			t.Errorf("%d records, %v", len(all), err)
		}
		if err := e.unwrapped(t, name, false); err != nil || read(t, path) != cursorFile {
			t.Errorf("%v\n%s", err, read(t, path))
		}
	}
	for _, name := range left {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range others {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
}

// TestMeanwhile: a file that changed after it was read is not overwritten, and
// the edit begins again.
func TestMeanwhile(t *testing.T) {
	_, path := cursor(t, cursorFile)
	if err := replace(path, []byte("before"), []byte("after")); !errors.Is(err, errMeanwhile) || read(t, path) != cursorFile {
		t.Errorf("%v\n%s", err, read(t, path))
	}
	n := 0
	if _, err := retry(func() (Change, error) {
		if n++; n < 3 {
			return Change{}, errMeanwhile
		}
		return Change{}, nil
	}); err != nil || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
	if _, err := retry(func() (Change, error) { return Change{}, errMeanwhile }); !errors.Is(err, errMeanwhile) {
		t.Error(err)
	}
}

// TestByHand: what somebody wrapped without midwire wrap can be unwrapped.
func TestByHand(t *testing.T) {
	e, path := cursor(t, `{"mcpServers": {"x": {"command": "midwire", "args": ["--label", "x", "--", "npx", "-y"]},`+
		` "run": {"command": "C:\\midwire.exe", "args": ["run", "npx"]}}}`)
	f, s := e.server(t, "x")
	if !s.Wrapped || !s.ByHand {
		t.Errorf("%+v", s)
	}
	if _, err := e.Wrap(f, s, false); !errors.Is(err, ErrWrapped) {
		t.Errorf("wrapped twice: %v", err)
	}
	c, err := e.Unwrap(f, s, false, false)
	if err != nil || !c.ByHand || !strings.Contains(read(t, path), `{"command": "npx", "args": ["-y"]}`) {
		t.Errorf("%v\n%s", err, read(t, path))
	}
	if f, s = e.server(t, "run"); !s.Wrapped {
		t.Errorf("%+v", s)
	}
	if _, err := e.Unwrap(f, s, false, false); !errors.Is(err, errRun) {
		t.Error(err)
	}
}

// TestDry: a dry run writes nothing.
func TestDry(t *testing.T) {
	e, path := cursor(t, cursorFile)
	f, s := e.server(t, "files")
	c, err := e.Wrap(f, s, true)
	if err != nil || read(t, path) != cursorFile {
		t.Errorf("%v\n%s", err, read(t, path))
	}
	if _, err := os.Stat(e.Journal); err == nil {
		t.Error("there is a journal")
	}
	want := `@@ line 4 @@
-       "command": "npx",
-       "args": ["-y", "x", "--token=s3cret"],
+       "command": "/opt/midwire/midwire",
+       "args": ["--", "npx", "-y", "x", "--token=s3cret"],`
	if got := strings.Join(c.Lines(), "\n"); got != want {
		t.Errorf("the lines are\n%s", got)
	}
}

// TestPathOfTheEntry: the client of a project's file looks for the command where the entry's
// own PATH says, and midwire is not there.
func TestPathOfTheEntry(t *testing.T) {
	for env, want := range map[string]string{
		`"env": {"PATH": "/opt/node/bin:/bin"}`: "/opt/midwire/midwire",
		`"env": {"Path": "C:\\node"}`:           "/opt/midwire/midwire",
		`"environment": ["PATH=/bin"]`:          "/opt/midwire/midwire",
		`"env": {"NODE_PATH": "/x"}`:            "midwire",
		`"args": ["PATH=/bin"]`:                 "midwire",
	} {
		e := machine(t, "linux")
		before := `{"mcpServers": {"files": {"command": "node", ` + env + `}}}`
		path := e.put(t, "project/.cursor/mcp.json", before)
		e.wrapped(t, "files")
		if after := read(t, path); !strings.Contains(after, `"command": "`+want+`"`) {
			t.Errorf("%s: not %s in\n%s", env, want, after)
		}
		if err := e.unwrapped(t, "files", false); err != nil || read(t, path) != before {
			t.Errorf("%s: unwrapped: %v\n%s", env, err, read(t, path))
		}
	}
}
