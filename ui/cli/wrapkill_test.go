package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/fixtures/effort"
)

// desk is a machine with a file of Cursor, and midwire as a program of its own.
type desk struct {
	midwire, home, state, file, before string
}

func newDesk(t *testing.T, servers int) *desk {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{
		midwire: filepath.Join(dir, "bin", "midwire"), home: filepath.Join(dir, "home"),
		state: filepath.Join(dir, "state"), file: filepath.Join(dir, "home", ".cursor", "mcp.json"),
	}
	var all []string
	for i := range servers {
		// A file of some size, so that writing it takes a while.
		all = append(all, fmt.Sprintf("\"s%d\": {\"command\": \"npx\", // %s\n\t\"env\": {}}", i, strings.Repeat("x", 9000)))
	}
	d.before = "{\"mcpServers\": {\n" + strings.Join(all, ",\n") + "\n}}"
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.MkdirAll(filepath.Dir(d.midwire), 0o700), os.Symlink(self, d.midwire),
		os.MkdirAll(filepath.Dir(d.file), 0o700), os.WriteFile(d.file, []byte(d.before), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *desk) command(args ...string) *exec.Cmd {
	c := exec.Command(d.midwire, args...)
	c.Dir = d.home
	c.Env = append(os.Environ(), "HOME="+d.home, "MIDWIRE_HOME="+d.state, "XDG_CONFIG_HOME=",
		"PATH="+filepath.Dir(d.midwire)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return c
}

func (d *desk) run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := d.command(args...).CombinedOutput(); err != nil {
		t.Errorf("midwire %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// wrapped says in front of which servers midwire stands; every other byte of
// the file must be as it was.
func (d *desk) wrapped(t *testing.T, servers int) (out []bool) {
	t.Helper()
	data, err := os.ReadFile(d.file)
	if err != nil {
		t.Fatal(err)
	}
	rest := string(data)
	for i := range servers {
		at, ours := fmt.Sprintf("\"s%d\": {", i), fmt.Sprintf("\"args\": [\"--\", \"npx\"],\"command\": %q", d.midwire)
		is := strings.Contains(rest, at+ours)
		if is {
			rest = strings.Replace(rest, at+ours, at+`"command": "npx"`, 1)
		}
		out = append(out, is)
	}
	if rest != d.before {
		t.Fatalf("the file is neither as before nor as after: it has %d bytes, %d without midwire, had %d",
			len(data), len(rest), len(d.before))
	}
	return out
}

// clean unwraps everything, and checks that nothing is left.
func (d *desk) clean(t *testing.T) {
	t.Helper()
	d.run(t, "unwrap", "--all")
	if data, _ := os.ReadFile(d.file); string(data) != d.before {
		t.Errorf("the file is not what it was:\n%.300s", data)
	}
}

// TestWrapAtOnce: several midwires change one file at once, and none undoes what
// another did.
func TestWrapAtOnce(t *testing.T) {
	const servers = 8
	d := newDesk(t, servers)
	all := func(verb string) {
		var ran sync.WaitGroup
		for i := range servers {
			ran.Go(func() { d.run(t, verb, fmt.Sprintf("cursor/s%d", i)) })
		}
		ran.Wait()
	}
	all("wrap")
	for i, is := range d.wrapped(t, servers) {
		if !is {
			t.Errorf("s%d is not wrapped", i)
		}
	}
	all("unwrap")
	d.clean(t)
}

// TestWrapKilled: midwire is killed many times, in the middle of whatever it does.
// The file is always as before or as after, and can always be undone.
func TestWrapKilled(t *testing.T) {
	const servers = 4
	d := newDesk(t, servers)
	rounds := 40
	if effort.Long() {
		rounds = 200
	}
	began := time.Now()
	d.run(t, "wrap", "cursor")
	longest := time.Since(began) + time.Millisecond
	d.clean(t)
	changed, last := 0, d.wrapped(t, servers)
	for i := range rounds {
		verb := []string{"wrap", "unwrap"}[rand.N(2)]
		c := d.command(verb, "cursor")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(rand.N(longest), func() { _ = c.Process.Kill() })
		_ = c.Wait()
		kill.Stop()
		now := d.wrapped(t, servers)
		if fmt.Sprint(now) != fmt.Sprint(last) {
			changed++
		}
		if last = now; i%20 == 19 {
			d.clean(t)
			last = d.wrapped(t, servers)
		}
	}
	d.clean(t)
	d.run(t, "wrap", "cursor") // sweeps what killed ones left
	d.clean(t)
	for _, dir := range []string{filepath.Dir(d.file), d.state} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				t.Errorf("left: %s", filepath.Join(dir, e.Name()))
			}
		}
	}
	t.Logf("%d of %d kills came in the middle of a change", changed, rounds)
}
