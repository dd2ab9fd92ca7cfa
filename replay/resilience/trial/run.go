package trial

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/replay"
	"midwire/replay/resilience"
	"midwire/session/diagnose"
	"midwire/session/record"
	"midwire/session/safefile"
	"midwire/session/wire"
	"midwire/session/words"
)

// stage is what stands around the client of a run.
type stage struct {
	dir   string // for files
	flow  string // of the recordings of stdio servers
	began time.Time
}

func newStage() (*stage, error) {
	dir, err := safefile.Temp("", "midwire-trial-")
	return &stage{dir: dir, flow: "resilience-" + words.Fold(rand.Text()), began: time.Now()}, err
}

// setting is a stage with a fault armed.
type setting struct {
	place
	files func() ([]string, error) // recordings so far
	end   func() error             // ends it, after which files is complete
}

// run starts the client once, with a fault armed in front of its server.
func (o *Options) run(ctx context.Context, f resilience.Fault) (*resilience.Trial, error) {
	at, err := newStage()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(at.dir)
	o, leave, err := o.offering(ctx, f)
	if err != nil {
		return nil, err
	}
	defer leave()
	setup := o.stdio
	if o.URL != nil {
		setup = o.http
	}
	p, err := setup(ctx, f, at)
	if err != nil {
		return nil, err
	}
	over := sync.OnceValue(p.end)
	defer over()
	if err := p.write(at.dir); err != nil {
		return nil, err
	}
	t := &resilience.Trial{Fault: f, Started: time.Now().UnixNano()}
	if t.End, err = o.client(ctx, &p.place); err != nil {
		return nil, err
	}
	if err := over(); err != nil {
		return nil, err
	}
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		tape, err := Read(file, o.Rules)
		if err != nil {
			return nil, err
		}
		t.Tapes = append(t.Tapes, tape)
	}
	return t, nil
}

// http puts a proxy in front of an HTTP server.
func (o *Options) http(ctx context.Context, f resilience.Fault, at *stage) (*setting, error) {
	rules, err := parse(f.Rules)
	if err != nil {
		return nil, err
	}
	g := gate.New("http")
	if len(rules) > 0 {
		if err := g.Arm(rules, ""); err != nil {
			return nil, err
		}
	}
	server := o.Server
	if server.HTTP.Listen = "127.0.0.1:0"; !intercept.IsLocal(o.URL.Hostname()) {
		server.HTTP.Host = "rewrite" // the client knows the proxy's name alone
	}
	tap, stop, err := server.Proxy(ctx, g, label(f))
	if err != nil {
		return nil, err
	}
	path := tap.Record.Path()
	if path == "" {
		stop()
		return nil, errors.New("nothing can be judged without a recording")
	}
	return &setting{
		place: place{url: tap.Origin() + o.URL.RequestURI()},
		files: func() ([]string, error) { return []string{path}, nil },
		end:   func() error { stop(); return nil },
	}, nil
}

func label(f resilience.Fault) string { return "test: " + f.Name }

// stdio makes the command that the client starts in place of the server's.
func (o *Options) stdio(ctx context.Context, f resilience.Fault, at *stage) (*setting, error) {
	faults := filepath.Join(at.dir, "faults")
	if err := os.WriteFile(faults, []byte(strings.Join(f.Rules, "\n")+"\n"), 0o600); err != nil {
		return nil, err
	}
	p := place{server: slices.Concat([]string{
		o.Self, "run", "--flow", at.flow, "--label", label(f), "--fault-file", faults,
	}, o.Command)}
	if o.Home != "" { // clients do not hand their environment on to servers
		p.env = map[string]string{"MIDWIRE_HOME": o.Home}
		if runtime.GOOS != "windows" {
			p.server = append([]string{"env", "MIDWIRE_HOME=" + o.Home}, p.server...)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	left := make(chan struct{})
	go func() {
		defer close(left)
		o.once(ctx, at, faults)
	}()
	return &setting{place: p, files: func() ([]string, error) {
		files, _, err := o.recorded(at)
		return files, err
	}, end: func() error {
		cancel()
		<-left
		return o.written(at)
	}}, nil
}

// restart is how long after the first server another one is taken for one that was
// started again.
const restart = 500 * time.Millisecond

// once takes the faults away when the first server runs: one that is started again
// is to work.
func (o *Options) once(ctx context.Context, at *stage, faults string) {
	const look = 100 * time.Millisecond
	wait := look
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if wait == restart {
			_ = os.WriteFile(faults, nil, 0o600) // its folder may be gone
			return
		}
		if files, _, _ := o.recorded(at); len(files) > 0 {
			wait = restart
		}
	}
}

// settle is how long a server may take to end behind its client.
const settle = 5 * time.Second

// written waits until the recordings of a stdio server are complete.
func (o *Options) written(at *stage) error {
	for until := time.Now().Add(settle); ; time.Sleep(50 * time.Millisecond) {
		if _, live, err := o.recorded(at); err != nil || !live || time.Now().After(until) {
			return err
		}
	}
}

// recorded lists the recordings of a stdio server that were begun on a stage.
func (o *Options) recorded(at *stage) (files []string, live bool, err error) {
	all, err := record.List(o.Folder)
	for _, e := range slices.Backward(all) {
		if e.Err == nil && e.Header.Flow == at.flow && !e.Header.Started.Before(at.began) {
			files = append(files, e.Path)
			live = live || e.Live
		}
	}
	return files, live, err
}

func (o *Options) client(ctx context.Context, p *place) (resilience.End, error) {
	timed, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	c := exec.CommandContext(timed, shell[0], shell[1], p.fill(o.Client))
	said := &output{began: time.Now()}
	c.Stdout, c.Stderr = said, said
	c.Env = append(os.Environ(), p.environ()...)
	c.Cancel = func() error { intercept.KillTree(c.Process); return nil }
	c.WaitDelay = 2 * time.Second // something it started may hold its output open
	err := c.Run()
	end := resilience.End{Took: time.Since(said.began), Lines: said.all(), Killed: timed.Err() != nil}
	if ctx.Err() != nil {
		return end, ctx.Err()
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		if end.Code = exit.ExitCode(); end.Code < 0 {
			end.Signal = exit.String()
		}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay) && !end.Killed:
		return end, err
	}
	return end, nil
}

// Read reads a recording, on which the rules are asked.
func Read(file string, rules []*diagnose.Rule) (*resilience.Tape, error) {
	r, err := record.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h := r.Header()
	t := resilience.NewTape(h.ID, h.Tap, h.Started.UnixNano(), rules)
	var f wire.Frame
	for {
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			t.Finish()
			return t, nil
		case err != nil:
			return nil, err
		}
		t.Apply(&f)
	}
}

// Bounds of what is kept of a client's output: of lines, and of each.
const (
	maxLines = 10_000
	maxLine  = 4096
)

type output struct {
	began time.Time
	mu    sync.Mutex // guards all below
	rest  []byte     // of the line that has not ended
	lines []resilience.Line
}

// Write takes what was printed. Of more lines than are kept the latest are.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for part := range bytes.Lines(b) {
		o.rest = append(o.rest, part[:min(len(part), max(maxLine-len(o.rest), 0))]...)
		if part[len(part)-1] == '\n' {
			o.end()
		}
	}
	return len(b), nil
}

func (o *output) end() {
	if text := bytes.TrimSpace(o.rest); len(text) > 0 {
		if len(o.lines) == maxLines {
			o.lines = slices.Delete(o.lines, 0, maxLines/2)
		}
		o.lines = append(o.lines, resilience.Line{After: time.Since(o.began), Text: string(text)})
	}
	o.rest = o.rest[:0]
}

func (o *output) all() []resilience.Line {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end()
	return o.lines
}

type place struct {
	url    string
	server []string // command
	env    map[string]string
	config string // file
}

// write writes the file of a client's configuration, as most read it.
func (p *place) write(dir string) error {
	type entry struct {
		Type    string            `json:"type"`
		URL     string            `json:"url,omitempty"`
		Command string            `json:"command,omitempty"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
	}
	e := entry{Type: "http", URL: p.url}
	if p.url == "" {
		e = entry{Type: "stdio", Command: p.server[0], Args: p.server[1:], Env: p.env}
	}
	raw, err := json.MarshalIndent(map[string]map[string]entry{"mcpServers": {"midwire": e}}, "", "  ")
	if err != nil {
		return err
	}
	p.config = filepath.Join(dir, "mcp.json")
	return os.WriteFile(p.config, raw, 0o600)
}

// fill puts the place into the command of a client.
func (p *place) fill(command string) string {
	return strings.NewReplacer(
		"{url}", replay.JoinWords([]string{p.url}), "{server}", replay.JoinWords(p.server), "{config}", replay.JoinWords([]string{p.config}),
	).Replace(command)
}

func (p *place) environ() []string {
	all := []string{"MIDWIRE_URL=" + p.url, "MIDWIRE_SERVER=" + replay.JoinWords(p.server), "MIDWIRE_CONFIG=" + p.config}
	for name, value := range p.env {
		all = append(all, fmt.Sprintf("%s=%s", name, value))
	}
	return all
}
