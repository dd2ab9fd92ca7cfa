package hosts

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/session/record"
	"midwire/session/wire"
)

// TestMain lets the test binary be the ssh of these tests, when it is called so.
func TestMain(m *testing.M) {
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); name == "ssh" {
		os.Exit(playSSH(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// playSSH serves the feed of the host that it is asked for, whose home is in $HOSTS,
// until there is a file HOST.cut beside it: the link.
func playSSH(args []string) int {
	at := slices.Index(args, "--")
	_, host, ok := strings.Cut(args[at+1], "@")
	if !ok {
		host = args[at+1]
	}
	home := filepath.Join(os.Getenv("HOSTS"), host)
	isCut := func() bool { _, err := os.Stat(home + ".cut"); return err == nil }
	if isCut() {
		fmt.Fprintln(os.Stderr, "ssh: connect to host "+host+" port 22: Connection refused")
		return 255
	}
	fmt.Println("Welcome to " + host + ", you have no mail") // as a login script may
	feed := Feed{Dir: filepath.Join(home, "recordings"), Version: "test"}
	over := make(chan error, 1)
	go func() { over <- feed.Serve(context.Background(), os.Stdin, os.Stdout) }()
	every := time.NewTicker(10 * time.Millisecond)
	for !isCut() {
		select {
		case <-over:
			return 0
		case <-every.C:
		}
	}
	return 255
}

// useSSH puts the ssh of these tests into PATH, and returns the folder of the homes.
func useSSH(t *testing.T) (homes string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, homes := t.TempDir(), t.TempDir()
	name := "ssh" + filepath.Ext(self)
	if filepath.Ext(self) == ".test" {
		name = "ssh"
	}
	if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("HOSTS", homes)
	return homes
}

// proxy is the writer of a recording on a host, as fast as it is told.
type proxy struct {
	*record.Writer
	frames int
}

func newProxy(t *testing.T, homes, host string, opt record.Options) *proxy {
	t.Helper()
	dir := filepath.Join(homes, host, "recordings")
	w, err := record.Create(dir, record.Header{Tap: "stdio", Label: "notes", Control: "unix:/tmp/of-" + host}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return &proxy{Writer: w}
}

func (p *proxy) say(n int) {
	for range n {
		p.frames++
		data := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add"}}`, p.frames)
		p.Append(&wire.Frame{T: int64(p.frames), Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: data})
	}
	p.Flush()
}

// run says 1,000 frames a second for some time, and ends the recording.
func (p *proxy) run(d time.Duration) {
	every := time.NewTicker(10 * time.Millisecond)
	defer every.Stop()
	for over := time.After(d); ; {
		select {
		case <-over:
			p.Close()
			return
		case <-every.C:
			p.say(10)
		}
	}
}

// said collects what a receiver reports.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.WriteString(text + "\n")
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	every := time.NewTicker(5 * time.Millisecond)
	defer every.Stop()
	for over := time.After(30 * time.Second); !is(); {
		select {
		case <-over:
			t.Fatal("never: " + what)
		case <-every.C:
		}
	}
}

// copied is the copy of a proxy's recording.
func (p *proxy) copied(dir, host string) string { return record.File(dir, p.ID()+"@"+host) }

func (p *proxy) sameAs(t *testing.T, path string) {
	t.Helper()
	want, err := os.ReadFile(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("%s has %d bytes, %s %d, and they are not the same", path, len(got), p.Path(), len(want))
	}
	if lines := bytes.Count(got, []byte("\n")); lines != p.frames+2 {
		t.Errorf("%s has %d lines; %d frames were recorded", path, lines, p.frames)
	}
}

// follow copies from a host until the test ends.
func follow(t *testing.T, address, dir string, to *said) {
	t.Helper()
	host, err := ParseSSH(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	t.Cleanup(func() { stop(); <-ended })
	r := &Receiver{Host: host.Name, Options: Options{Dir: dir, Say: to.say}}
	go func() {
		defer close(ended)
		_ = host.Follow(ctx, r)
	}()
}

// TestThreeHosts: three hosts, 1,000 frames a second each, and every link is cut: nothing
// is lost, nothing comes twice.
func TestThreeHosts(t *testing.T) {
	homes, dir := useSSH(t), filepath.Join(t.TempDir(), "recordings")
	hosts := []string{"web1", "web2", "web3"}
	var proxies []*proxy
	var running sync.WaitGroup
	told := &said{}
	for _, host := range hosts {
		p := newProxy(t, homes, host, record.Options{})
		proxies = append(proxies, p)
		running.Go(func() { p.run(4 * time.Second) })
		follow(t, "ssh://ada@"+host, dir, told)
	}
	for i, p := range proxies {
		until(t, "the beginning is copied", func() bool { return fileSize(p.copied(dir, hosts[i])) > 10_000 })
		if !record.IsLive(p.copied(dir, hosts[i])) {
			t.Errorf("the copy of %s does not look live", hosts[i])
		}
		cut := filepath.Join(homes, hosts[i]+".cut")
		if err := os.WriteFile(cut, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { os.Remove(cut) })
	}
	running.Wait()
	for i, p := range proxies {
		path := p.copied(dir, hosts[i])
		until(t, "the copy has ended", func() bool { return fileSize(path) == fileSize(p.Path()) && !record.IsLive(path) })
		p.sameAs(t, path)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
		if e := record.Look(dir, p.ID()+"@"+hosts[i]); e.Header.Control != "" || e.Header.ID != e.ID || record.IsOwn(dir, path) {
			t.Errorf("the copy can be controlled, or counts as made here: %+v", e.Header)
		}
	}
	for _, want := range []string{"web1: connected: 1 recording", "the link was cut", "Connection refused; trying again", "its clock agrees"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("no %q in\n%s", want, told)
		}
	}
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// once copies what a host has.
func once(t *testing.T, host, dir string, choice Choice) (*said, error) {
	t.Helper()
	s, err := ParseSSH("ssh://" + host)
	if err != nil {
		t.Fatal(err)
	}
	told := &said{}
	return told, s.Follow(t.Context(), &Receiver{Host: s.Name, Options: Options{Dir: dir, Choice: choice, Once: true, Say: told.say}})
}

// TestWhatIsCopied: again and again, only what is chosen, and not what has changed places.
func TestWhatIsCopied(t *testing.T) {
	homes, dir := useSSH(t), filepath.Join(t.TempDir(), "recordings")
	old := newProxy(t, homes, "h", record.Options{})
	old.say(3)
	old.Close()
	live := newProxy(t, homes, "h", record.Options{})
	live.say(2000)
	far := filepath.Join(homes, "h", "recordings", "x@elsewhere.jsonl") // a copy there is not copied on
	if err := os.WriteFile(far, []byte(`{"midwire":1,"id":"x"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := once(t, "h", dir, Choice{Since: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if names, _ := record.Names(dir); !slices.Equal(names, []string{live.ID() + "@h"}) {
		t.Fatalf("only what is live was wanted: %v", names)
	}
	for range 2 { // the second time there is nothing to do
		if _, err := once(t, "h", dir, Choice{}); err != nil {
			t.Fatal(err)
		}
	}
	old.sameAs(t, old.copied(dir, "h"))
	live.say(100)
	live.Close()
	if _, err := once(t, "h", dir, Choice{IDs: []string{live.ID()}}); err != nil {
		t.Fatal(err)
	}
	live.sameAs(t, live.copied(dir, "h"))

	// Another file has the name.
	other := newProxy(t, homes, "h", record.Options{})
	other.say(500)
	other.Close()
	if err := os.Rename(other.Path(), old.Path()); err != nil {
		t.Fatal(err)
	}
	was, _ := os.ReadFile(old.copied(dir, "h"))
	told, err := once(t, "h", dir, Choice{IDs: []string{old.ID()}})
	now, _ := os.ReadFile(old.copied(dir, "h"))
	if err != nil || !strings.Contains(told.String(), old.ID()+"@h: not copied: another recording has its name") || !bytes.Equal(was, now) {
		t.Errorf("%v %s", err, told)
	}
}

// TestRemovedThere: what was copied of a recording that is removed stays.
func TestRemovedThere(t *testing.T) {
	homes, dir := useSSH(t), filepath.Join(t.TempDir(), "recordings")
	p := newProxy(t, homes, "h", record.Options{})
	p.say(5)
	defer p.Close()
	told := &said{}
	follow(t, "ssh://h", dir, told)
	until(t, "it is copied", func() bool { return fileSize(p.copied(dir, "h")) == fileSize(p.Path()) })
	if err := os.Remove(p.Path()); err != nil {
		t.Skip(err)
	}
	until(t, "it is said", func() bool { return strings.Contains(told.String(), "was removed there") })
	until(t, "it is not live", func() bool { return !record.IsLive(p.copied(dir, "h")) })
}

// TestOneWriterOfACopy: two that copy the same recording do not both write it.
func TestOneWriterOfACopy(t *testing.T) {
	homes, dir := useSSH(t), filepath.Join(t.TempDir(), "recordings")
	p := newProxy(t, homes, "h", record.Options{})
	p.say(5)
	c, err := record.OpenCopy(dir, p.ID()+"@h")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	told, err := once(t, "h", dir, Choice{})
	if err != nil || !strings.Contains(told.String(), record.ErrBusy.Error()) {
		t.Errorf("%v %s", err, told)
	}
	p.Close()
}

func TestAddressesOfSSH(t *testing.T) {
	for address, want := range map[string]string{
		"ssh://web1":                  "-T -a -x -o BatchMode=yes -o ClearAllForwardings=yes -o RemoteCommand=none -- web1 midwire feed",
		"ssh://ada@web1:2222/srv/m w": "-- ada@web1 midwire feed --home '/srv/m w'",
		"ssh://[::1]:22":              "-p 22 -- ::1 midwire feed",
		"ssh://h/a';reboot'":          `--home '/a'\'';reboot'\'''`,
	} {
		s, err := ParseSSH(address)
		if err != nil || !strings.HasSuffix(strings.Join(s.args(), " "), want) {
			t.Errorf("%s: %v %v", address, s, err)
		}
	}
	for _, address := range []string{
		"", "ssh:", "ssh://", "web1", "ssh://-oProxyCommand=reboot", "ssh://-l@h", "ssh://ada:secret@h", "ssh://h;reboot", "ssh://h$(reboot)",
		"ssh://h%0areboot", "ssh://a%60b@h", "ssh://../x", "ssh://h?x=1", "ssh://h/a%1b[2J", "ssh://" + strings.Repeat("h", 65), "ssh://.h",
	} {
		if s, err := ParseSSH(address); err == nil {
			t.Errorf("%s is accepted: %v", address, s.args())
		}
	}
}

// TestAmount: a bound is said in a unit of which there is some.
func TestAmount(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0 bytes", 500: "500 bytes", 1 << 10: "1 KiB", 20_000: "19.5 KiB", 5 << 20: "5 MiB", 1 << 30: "1 GiB", 3 << 29: "1.5 GiB",
	} {
		if got := amount(bytes); got != want {
			t.Errorf("%d: %q, want %q", bytes, got, want)
		}
	}
}
