package hosts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	r := &Receiver{Dir: dir, Host: host.Name, Say: to.say}
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
		if e := record.Look(dir, p.ID()+"@"+hosts[i]); e.Header.Control != "" || e.Header.ID != e.ID || record.Own(dir, path) {
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
	return told, s.Follow(t.Context(), &Receiver{Dir: dir, Host: s.Name, Choice: choice, Once: true, Say: told.say})
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

// hostile plays a feed to a receiver, and returns what the folder then has.
func hostile(t testing.TB, feed io.Reader) (names []string, told string, err error) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "recordings")
	says := &said{}
	r := &Receiver{Dir: dir, Host: "h", Say: says.say, Max: 1 << 20}
	err = r.receive(context.Background(), feed, io.Discard, func() {})
	r.Close()
	_ = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, rel)
		}
		return err
	})
	return names, says.String(), err
}

const greeting = `{"feed":1,"version":"1"}` + "\n"

func TestHostileFeeds(t *testing.T) {
	header := `{"midwire":1,"id":"x","label":"\u001b[2J"}` + "\n"
	offer := `{"recording":{"id":"x","live":true}}` + "\n" + `{"listed":true}` + "\n"
	chunk := func(id string, at int, data string) string {
		return fmt.Sprintf(`{"append":%q,"at":%d,"len":%d}`+"\n%s", id, at, len(data), data)
	}
	for name, feed := range map[string]string{
		"path":        greeting + `{"recording":{"id":"../../x","live":true}}`,
		"absolute":    greeting + `{"recording":{"id":"/tmp/x","live":true}}`,
		"other host":  greeting + `{"recording":{"id":"x@web2","live":true}}`,
		"dot":         greeting + `{"recording":{"id":".key","live":true}}`,
		"nul":         greeting + `{"recording":{"id":"a\u0000b","live":true}}`,
		"long":        greeting + `{"recording":{"id":"` + strings.Repeat("a", 65) + `","live":true}}`,
		"unasked":     greeting + offer + chunk("../y", 0, header) + chunk("y", 0, header),
		"gap":         greeting + offer + chunk("x", 5, header),
		"negative":    greeting + offer + `{"append":"x","at":-1,"len":5}` + "\nabcde",
		"huge chunk":  greeting + offer + `{"append":"x","len":2000000000}` + "\n",
		"no header":   greeting + offer + chunk("x", 0, "#!/bin/sh\n"),
		"long line":   greeting + strings.Repeat("a", maxLine+1) + "\n",
		"no greeting": strings.Repeat("hello\n", noise+1),
		"other":       `{"feed":2,"version":"\u001b]0;x\u0007"}` + "\n",
		"early":       greeting + `{"recording":{"id":"x","live":true}}` + "\n" + chunk("x", 0, header),
		"removed":     greeting + offer + `{"removed":"\u001b[2J"}` + "\n" + `{"replaced":"../x"}` + "\n" + `{"end":"y"}` + "\n",
	} {
		names, told, err := hostile(t, strings.NewReader(feed))
		if err == nil || len(names) > 0 {
			t.Errorf("%s: %v, %v", name, err, names)
		}
		if strings.ContainsFunc(told+err.Error(), func(c rune) bool { return c < ' ' && c != '\n' }) {
			t.Errorf("%s says %q %v", name, told, err)
		}
	}
	// More than allowed: the recording ends there.
	feed := greeting + offer + chunk("x", 0, header)
	for at := len(header); at < 2<<20; at += 1 << 16 {
		feed += chunk("x", at, strings.Repeat("x", 1<<16))
	}
	names, told, _ := hostile(t, strings.NewReader(feed))
	if !slices.Equal(names, []string{"x@h.jsonl"}) || !strings.Contains(told, errTooMuch.Error()) {
		t.Errorf("%v %s", names, told)
	}
}

// TestLinkInTheWay: what lies in place of a copy and is none of ours is not written to.
func TestLinkInTheWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, record.File(dir, "x@h")); err != nil {
		t.Skip(err)
	}
	if c, err := record.OpenCopy(dir, "x@h"); err == nil {
		t.Error("a link was followed", c)
	}
	if text, _ := os.ReadFile(target); string(text) != "mine" {
		t.Errorf("%q", text)
	}
}

func FuzzReceive(f *testing.F) {
	f.Add(greeting + `{"recording":{"id":"x","live":true}}` + "\n" + `{"listed":true}` + "\n" + `{"append":"x","len":13}` + "\n" + `{"midwire":1}` + "\n")
	f.Add(greeting + `{"pong":1,"now":"2026-11-21T10:15:00Z"}` + "\n" + `{"recording":{"id":"Ⅷ"}}` + "\n")
	f.Fuzz(func(t *testing.T, feed string) {
		names, told, _ := hostile(t, strings.NewReader(feed))
		for _, name := range names {
			id, ok := strings.CutSuffix(name, "@h.jsonl")
			if !ok || CheckName(id) != nil {
				t.Errorf("there is %q", name)
			}
		}
		if strings.ContainsFunc(told, func(c rune) bool { return c < ' ' && c != '\n' }) {
			t.Errorf("%q", told)
		}
	})
}

func FuzzFeed(f *testing.F) {
	f.Add(`{"want":"x","at":0,"proof":""}` + "\n" + `{"ping":5}` + "\n" + `{"stop":"x"}` + "\n")
	f.Add(`{"want":"../../../etc/passwd"}` + "\n" + `{"want":"x","at":-5}` + "\n")
	top := f.TempDir()
	dir := filepath.Join(top, "recordings")
	for path, text := range map[string]string{"x": `{"midwire":1,"id":"x"}`, "../y": `{"midwire":1,"id":"SECRET"}`} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(record.File(dir, path), []byte(text+"\n"), 0o600)); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(`{"want":"../y","proof":"` + emptyProof + `"}` + "\n" + `{"want":"x","proof":"` + emptyProof + `"}` + "\n")
	f.Fuzz(func(t *testing.T, asks string) {
		var out bytes.Buffer
		s := Feed{Dir: dir, folder: newFolder(dir), out: bufio.NewWriter(&out)}
		s.enc = json.NewEncoder(s.out)
		if err := s.greet(); err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewReaderSize(strings.NewReader(asks), maxLine); ; {
			var r request
			if readLine(lines, &r) != nil {
				break
			}
			if err := s.answer(r); err != nil {
				t.Fatal(err)
			}
			if _, err := s.step(make([]byte, maxChunk)); err != nil {
				t.Fatal(err)
			}
		}
		for _, one := range s.tails {
			one.file.Close()
		}
		if strings.Contains(out.String(), "SECRET") {
			t.Error("it serves another file")
		}
	})
}

var emptyProof = func() string { of, _ := proof(strings.NewReader(""), 0); return of }()

func TestClocks(t *testing.T) {
	at := time.Unix(1000, 0)
	var c clock
	for _, step := range []struct {
		back, ahead time.Duration
		want        string
	}{
		{200 * time.Millisecond, 3 * time.Second, "its clock is 3s ahead of this one (± 100ms)"},
		{20 * time.Millisecond, 3050 * time.Millisecond, ""},
		{20 * time.Millisecond, 3050 * time.Millisecond, ""},
		{2 * time.Second, 4 * time.Second, ""},
		{20 * time.Millisecond, -time.Hour, "its clock is 1h0m0s behind this one (± 10ms)"},
		{20 * time.Millisecond, 0, "its clock agrees with this one (± 10ms)"},
		{-time.Second, 0, ""},
	} {
		if got := c.measure(at, at.Add(step.back), at.Add(step.back/2+step.ahead)); got != step.want {
			t.Errorf("%v, %v: %q, want %q", step.back, step.ahead, got, step.want)
		}
	}
}
