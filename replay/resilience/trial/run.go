package trial

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/replay/resilience"
	"midwire/session/record"
	"midwire/session/wire"
)

// run starts the client once, with a fault armed in front of its server.
func (o *Options) run(ctx context.Context, f resilience.Fault) (*resilience.Trial, error) {
	dir, err := os.MkdirTemp("", "midwire-trial-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	setup := o.stdio
	if o.URL != nil {
		setup = o.http
	}
	p, end, err := setup(ctx, f, dir)
	if err != nil {
		return nil, err
	}
	over := sync.OnceValues(end)
	defer over()
	if err := p.write(dir); err != nil {
		return nil, err
	}
	t := &resilience.Trial{Fault: f, Started: time.Now().UnixNano()}
	if o.Person != nil {
		t.End.Attended = true
		t.End.Person, err = o.Person(ctx, f, p.String())
		t.End.Took = time.Duration(time.Now().UnixNano() - t.Started)
	} else {
		t.End, err = o.client(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	files, err := over()
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		tape, err := o.tape(file)
		if err != nil {
			return nil, err
		}
		t.Tapes = append(t.Tapes, tape)
	}
	return t, nil
}

// http puts a proxy in front of an HTTP server. end ends it and returns its
// recording.
func (o *Options) http(ctx context.Context, f resilience.Fault, _ string) (*place, func() ([]string, error), error) {
	rules, err := parse(f.Rules)
	if err != nil {
		return nil, nil, err
	}
	g := gate.New("http")
	if len(rules) > 0 {
		if err := g.Arm(rules, o.Seed, ""); err != nil {
			return nil, nil, err
		}
	}
	opt := o.HTTP
	opt.Listen = "127.0.0.1:0"
	tap, err := opt.New(o.URL)
	if err != nil {
		return nil, nil, err
	}
	tap.Gate, tap.Started = g, time.Now()
	tap.Record = o.Record(record.Header{
		Started: tap.Started, Tap: "http", Label: label(f), Target: o.URL.Redacted(), Listen: tap.Listen.Addr().String(),
	})
	path := tap.Record.Path()
	if path == "" {
		tap.Listen.Close()
		return nil, nil, errors.New("nothing can be judged without a recording")
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ran := make(chan error, 1)
	go func() { ran <- tap.Run(ctx) }()
	return &place{url: tap.Origin() + o.URL.RequestURI()}, func() ([]string, error) {
		cancel()
		return []string{path}, <-ran
	}, nil
}

func label(f resilience.Fault) string { return "resilience: " + f.Name }

// stdio makes the command that the client starts in place of the server's. end
// returns the recordings of all servers that it started.
func (o *Options) stdio(ctx context.Context, f resilience.Fault, dir string) (*place, func() ([]string, error), error) {
	flow := "resilience-" + strings.ToLower(rand.Text())
	faults := filepath.Join(dir, "faults")
	if err := os.WriteFile(faults, []byte(strings.Join(f.Rules, "\n")+"\n"), 0o600); err != nil {
		return nil, nil, err
	}
	p := &place{server: slices.Concat([]string{
		o.Self, "run", "--flow", flow, "--label", label(f), "--fault-file", faults, "--seed", strconv.FormatUint(max(o.Seed, 1), 10),
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
		o.once(ctx, flow, faults)
	}()
	return p, func() ([]string, error) {
		cancel()
		<-left
		return o.written(flow)
	}, nil
}

// restart is how long after the first server another one is taken for one that was
// started again.
const restart = 500 * time.Millisecond

// once takes the faults away when the first server runs: one that is started again
// is to work.
func (o *Options) once(ctx context.Context, flow, faults string) {
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
		if files, _ := record.OfFlow(o.Folder, flow); len(files) > 0 {
			wait = restart
		}
	}
}

// settle is how long a server may take to end behind its client.
const settle = 5 * time.Second

// written waits until the recordings of a flow are complete.
func (o *Options) written(flow string) (files []string, err error) {
	for until := time.Now().Add(settle); ; time.Sleep(50 * time.Millisecond) {
		all, err := record.List(o.Folder)
		if err != nil {
			return nil, err
		}
		live := false
		files = files[:0]
		for _, e := range slices.Backward(all) {
			if e.Err == nil && e.Header.Flow == flow {
				files = append(files, e.Path)
				live = live || e.Live
			}
		}
		if !live || time.Now().After(until) {
			return files, nil
		}
	}
}

// client runs the command of the client.
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

// tape reads a recording.
func (o *Options) tape(file string) (*resilience.Tape, error) {
	r, err := record.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h := r.Header()
	t := resilience.NewTape(h.ID, h.Tap, h.Started.UnixNano(), o.Rules)
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

// output keeps what a client prints, and when.
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

// end ends a line.
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
