package ui

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/ui/gating"
)

// recorded is a Source of what a proxy records.
type recorded struct{ *record.Watch }

func (r recorded) Next(ctx context.Context) (Batch, error) {
	b, err := r.Watch.Next(ctx)
	return Batch{Recordings: b.Recordings, Frames: b.Frames, Loading: b.Loading, Err: b.Err}, err
}

// guardedProxy is a proxy with a gate and its socket, and a server that notes what it
// gets.
type guardedProxy struct {
	url    string
	folder string // of recordings
	source *record.Watch
	got    chan string // by the server
}

func newGuardedProxy(t *testing.T) *guardedProxy {
	p := &guardedProxy{got: make(chan string, 16)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.got <- string(body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":18,"result":{"content":[{"type":"text","text":"contents of it"}]}}`)
	}))
	t.Cleanup(server.Close)
	dir, err := os.MkdirTemp("", "mw") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	g := gate.New("http")
	p.folder = filepath.Join(dir, "recordings")
	socket := gate.NewSocket(gate.Folder(p.folder))
	target, _ := url.Parse(server.URL)
	o := intercept.HTTPOptions{Listen: "127.0.0.1:0"}
	tap, err := o.New(target)
	if err != nil {
		t.Fatal(err)
	}
	tap.Gate, tap.Started = g, time.Now()
	host, _ := os.Hostname()
	tap.Record, err = record.Create(p.folder, record.Header{
		Host:    host,
		Started: tap.Started, Tap: "http", Label: "notes", Target: server.URL, Listen: tap.Listen.Addr().String(), Control: socket.Address,
	}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ran := make(chan struct{}, 2)
	go func() { _ = tap.Run(ctx); ran <- struct{}{} }()
	go func() { _ = socket.Serve(g); ran <- struct{}{} }()
	t.Cleanup(func() { stop(); socket.Close(); <-ran; <-ran })
	p.url = tap.Origin() + "/mcp"
	if p.source, err = record.NewWatch(p.folder, time.Time{}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.source.Close)
	return p
}

const callOf = `{"jsonrpc":"2.0","id":18,"method":"tools/call","params":{"name":"NAME","arguments":{"path":"src/b.go"}}}`

// call sends a call and returns where its response comes.
func (p *guardedProxy) call(t *testing.T, tool string) <-chan string {
	came := make(chan string, 1)
	go func() {
		resp, err := http.Post(p.url, "application/json", strings.NewReader(strings.Replace(callOf, "NAME", tool, 1)))
		if err != nil {
			came <- err.Error()
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		came <- string(text)
	}()
	return came
}

func within(t *testing.T, from <-chan string, want string) {
	t.Helper()
	select {
	case got := <-from:
		if !strings.Contains(got, want) {
			t.Fatalf("%q came, not %q", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("%q did not come", want)
	}
}

// TestGateOverTheSocket: a real proxy holds what the screen armed; what is edited,
// answered and released there arrives so, and what is held when the screen ends goes on.
func TestGateOverTheSocket(t *testing.T) {
	p := newGuardedProxy(t)
	within(t, p.call(t, "first"), "contents")
	<-p.got
	x := start(t, New(recorded{p.source}, Options{Theme: "dark", Gates: gating.In(p.folder)}), 120, 36)
	x.waitFor("first")
	x.typed("/tool:read")
	x.waitFor("match")
	x.key(tea.KeyEnter)
	x.typed("I")
	x.waitFor("GATE armed", "waits for a match", "armed for")
	edited := p.call(t, "read")
	x.waitFor("1 held", "held at the gate", `"name": "read"`)
	x.typed("e")
	x.typed("x")
	x.waitFor(`"src/b.gox"`, "was")
	x.key(tea.KeyEscape)
	x.waitFor("a release")
	x.typed("a")
	within(t, edited, "contents")
	within(t, p.got, `"path":"src/b.gox"`)
	x.waitFor("edited", "waits for a match")
	answered := p.call(t, "read")
	x.waitFor("1 held")
	x.typed("r")
	x.waitFor("Reply to", "Internal error")
	x.typed("\x13") // ctrl+s
	within(t, answered, `"error":{"code":-32603,"message":"Internal error"}`)
	x.waitFor("waits for a match")
	passes := p.call(t, "other")
	within(t, passes, "contents")
	<-p.got
	last := p.call(t, "read")
	x.waitFor("1 held")
	x.typed("\x03") // ctrl+c ends the screen
	within(t, last, "contents")
	within(t, p.got, "src/b.go")
}

// TestGateOfAStranger: a recording of someone else that looks live names a control socket. The
// screen that opens it, or finds it copied, asks none.
func TestGateOfAStranger(t *testing.T) {
	folder := t.TempDir()
	host, _ := os.Hostname()
	made := func(dir, id, host string) string {
		w, err := record.Create(dir, record.Header{ID: id, Host: host, Tap: "http", Label: "stranger", Control: "unix:/tmp/1-0123456789.sock"}, record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Flush()
		t.Cleanup(func() { w.Close() }) // until then it is live
		return w.Path()
	}
	elsewhere := made(t.TempDir(), "a", host)
	for _, files := range [][]string{{elsewhere}, {made(folder, "b@web1", host)}, {made(folder, "c", "another-host")}, nil} {
		w, err := record.NewWatch(folder, time.Time{}, files)
		if err != nil {
			t.Fatal(err)
		}
		asked := make(chan string, 8)
		gates := func(_ context.Context, address string) (gating.Controller, error) {
			asked <- address
			return nil, io.EOF
		}
		x := start(t, New(recorded{w}, Options{Theme: "dark", Gates: gates, Library: files == nil}), 120, 36)
		x.waitFor("stranger")
		if files != nil {
			x.typed("I")
			x.waitFor("or elsewhere")
		}
		if len(asked) > 0 {
			t.Errorf("%v: %s was asked", files, <-asked)
		}
		w.Close()
	}
	if w, err := record.NewWatch(folder, time.Time{}, []string{made(folder, "d", host)}); err != nil {
		t.Fatal(err)
	} else if b, err := w.Next(t.Context()); err != nil || b.Recordings[0].Control == "" {
		t.Errorf("that of an own recording is not known: %+v, %v", b.Recordings, err)
	}
}
