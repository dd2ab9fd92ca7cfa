package cli

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mainEnv is set for processes that tests start: they are midwire.
const mainEnv = "MIDWIRE_CLI_TEST_MAIN"

func TestMain(m *testing.M) {
	// The hub gives a server none of its own variables: what begins with a command is one, too.
	if os.Getenv(mainEnv) != "" || len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(Main(os.Args[1:], Env{
			In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
			Getenv: os.Getenv, UserHome: os.UserHomeDir, UserConfig: os.UserConfigDir, Version: "test",
		}))
	}
	os.Setenv(mainEnv, "1")
	os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0") // a second for each process, else
	os.Exit(m.Run())
}

// world is where a test runs midwire: a folder of its own, and nothing of the
// user's.
type world struct {
	dir    string
	stdin  string
	getenv map[string]string
	words  *strings.Replacer // puts names of files in the place of $REC and the like
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: t.TempDir()}
	w.getenv = map[string]string{"MIDWIRE_HOME": filepath.Join(w.dir, "home")}
	rec, err := os.ReadFile("../../fixtures/formats/v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	w.words = strings.NewReplacer(
		"$REC", w.write(t, "rec.jsonl", string(rec)),
		"$LETTER", w.write(t, "letter.txt", "Dear client\n"),
		"$NEWER", w.write(t, "newer.jsonl", `{"midwire":9,"id":"x","started":"2030-01-01T00:00:00Z","tap":"stdio"}`+"\n"),
		"$WRONGCONF", w.write(t, "wrong.toml", "theme = \"neon\"\n"),
		"$ABSENT", filepath.Join(w.dir, "absent"),
		"$TAKEN", taken.Addr().String(),
	)
	return w
}

// recordings is where midwire puts them.
func (w *world) recordings() string { return filepath.Join(w.dir, "home", "recordings") }

// write writes a file and returns its name.
func (w *world) write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// midwire runs a command line in the world, and returns its status and what it
// wrote.
func (w *world) midwire(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var line []string // nil for none
	for _, arg := range args {
		line = append(line, w.words.Replace(arg))
	}
	dir := t.TempDir()
	stream := func(name, text string) *os.File {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	env := Env{
		In: stream("in", w.stdin), Out: stream("out", ""), Err: stream("err", ""),
		Getenv:   func(name string) string { return w.getenv[name] },
		UserHome: func() (string, error) { return "", errors.New("no home here") },
		UserConfig: func() (string, error) {
			return "", errors.New("no folder for configurations here")
		},
		Version: "v0.0.0-test",
	}
	status = Main(line, env)
	for _, f := range []*os.File{env.In, env.Out, env.Err} {
		f.Close() // again, where a proxy has
	}
	out, err := os.ReadFile(filepath.Join(dir, "out"))
	errs, err2 := os.ReadFile(filepath.Join(dir, "err"))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return status, string(out), string(errs)
}
