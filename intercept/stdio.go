package intercept

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"midwire/session/record"
	"midwire/session/wire"
)

// Patience of the stdio tap. Clients give a server two seconds between closing
// its stdin, SIGTERM and SIGKILL (as measured with the official SDKs): all of ours must fit.
const (
	graceAfterSignal = 1500 * time.Millisecond // then the process tree is killed
	graceAfterExit   = 250 * time.Millisecond  // of silence, while a grandchild holds a pipe
)

// Stdio is a tap between a client that launched us and a server that we
// launch in its place: same command, arguments, environment, working
// directory and process group.
type Stdio struct {
	Command []string // what to run; Command[0] is looked up in PATH
	Dir     string   // where to run it; "" for here
	// The client's ends. Run closes them as the server closes its own.
	Stdin, Stdout, Stderr *os.File
	// Record creates the recording. It is called once and while the server
	// starts, so that the client does not wait for the disk. Run closes it.
	Record  func() *record.Writer
	Started time.Time // as in the recording's header
	// OnTrouble is told, in a goroutine of its own, when the recording does not
	// keep up; the Writer's own trouble it tells itself. nil for nobody.
	OnTrouble func(error)
	Env       []string // of the server; nil for our own
	// Stop, when it is closed, ends the server as SIGTERM would: it is asked,
	// and after a while its process tree is killed. nil for never.
	Stop <-chan struct{}
}

// Exit is how a server ended.
type Exit struct {
	Code   int       // as a shell would say it: 128+n for signal n
	Signal os.Signal // what killed it, nil when nothing did
}

// StartError says that the server could not be started. Code is the shell's:
// 127 when there is no such command, 126 when it cannot be run.
type StartError struct {
	Command string
	Code    int
	Err     error
}

func (e *StartError) Error() string {
	if e.Code == 127 {
		return fmt.Sprintf("server command %q not found: %v. Give its absolute path, or check the PATH the client hands on", e.Command, e.Err)
	}
	return fmt.Sprintf("server command %q cannot be run: %v. Is it a program, and may you execute it?", e.Command, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

// Run starts the server, forwards until it has ended, and returns how it
// ended. A *StartError says that it never ran. Nothing is ever written to
// Stdout or Stderr but what the server wrote.
//
// Run returns when the server is gone, whatever the client does. A pump that
// reads from the client may then still be blocked in Read: a process that
// called Run is expected to exit.
func (s *Stdio) Run() (Exit, error) {
	// The first timer takes descriptors, and the process dies where none are
	// left. That must not happen behind the start of the server.
	time.AfterFunc(time.Hour, func() {}).Stop()
	r := &stdioRun{Stdio: s, tap: newTap(s.Record, s.Started, s.OnTrouble)}
	defer r.tap.close()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded()...)
	defer signal.Stop(signals)
	if err := r.start(); err != nil {
		return Exit{Code: err.Code}, err
	}
	go r.forwardSignals(signals)
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-s.Stop:
			signals <- syscall.SIGTERM
		case <-over:
		}
	}()
	return r.wait(), nil
}

// stdioRun is the state of one Run.
type stdioRun struct {
	*Stdio
	tap  *Tap
	proc *os.Process
	in   *os.File // server's stdin, our end
	out  *os.File
	errs *os.File

	killed sync.Once
	lost   atomic.Bool // we ended it
}

// start launches the server with three pipes.
func (r *stdioRun) start() *StartError {
	name := r.Command[0]
	if r.Dir != "" && !filepath.IsAbs(name) && filepath.Base(name) != name {
		name = filepath.Join(r.Dir, name)
	}
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		err = nil // a shell runs it, so do we
	}
	if err != nil {
		return r.cannotStart(err)
	}
	var theirs [3]*os.File
	theirs[0], r.in, err = newPipe()
	if err == nil {
		r.out, theirs[1], err = newPipe()
	}
	if err == nil {
		r.errs, theirs[2], err = newPipe()
	}
	if err == nil {
		// Not exec.Cmd: it would tidy up the environment.
		env := r.Env
		if env == nil {
			env = os.Environ()
		}
		r.proc, err = os.StartProcess(path, r.Command, &os.ProcAttr{Dir: r.Dir, Env: env, Files: theirs[:]})
	}
	for _, f := range theirs {
		f.Close() // nil is no trouble
	}
	if err != nil {
		return r.cannotStart(err)
	}
	r.tap.tell(wire.Frame{Kind: wire.KindStart, X: 1}, wire.Start{Command: record.RedactArgs(r.Command), Pid: r.proc.Pid})
	return nil
}

func (r *stdioRun) cannotStart(err error) *StartError {
	e := &StartError{Command: r.Command[0], Code: 126, Err: err}
	var inner *exec.Error
	if errors.As(err, &inner) {
		e.Err = inner.Err
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		e.Code = 127
	}
	r.tap.tell(wire.Frame{Kind: wire.KindStart, X: 1}, wire.Start{Command: record.RedactArgs(r.Command), Error: e.Error()})
	return e
}

// wait forwards until the server has ended and everything it wrote was passed
// on. A grandchild may hold the pipes open for ever; the client of a server
// run directly would not wait for it, nor do we.
func (r *stdioRun) wait() Exit {
	up := &lineStream{tap: r.tap, kind: wire.KindLine, dir: wire.ToServer}
	down := &lineStream{tap: r.tap, kind: wire.KindLine, dir: wire.ToClient}
	diag := &lineStream{tap: r.tap, kind: wire.KindStderr, dir: wire.ToClient}
	in := &pump{tap: r.tap, src: r.Stdin, dst: r.in, to: up, room: largeRead}
	outs := []*pump{
		{tap: r.tap, src: r.out, dst: r.Stdout, to: down, room: largeRead},
		{tap: r.tap, src: r.errs, dst: r.Stderr, to: diag, room: smallRead},
	}
	over := make(chan struct{})
	var wg sync.WaitGroup
	go r.forward(in, up, r.Stdin, r.in)
	wg.Go(func() { r.forward(outs[0], down, r.out, r.Stdout) })
	wg.Go(func() { r.forward(outs[1], diag, r.errs, r.Stderr) })
	go func() { wg.Wait(); close(over) }()

	state, err := r.proc.Wait()
	drain(over, outs)
	exit := exitOf(state, err)
	fact := wire.Exit{Code: exit.Code, Lost: r.lost.Load()}
	if exit.Signal != nil {
		fact.Signal = signalName(exit.Signal)
	}
	r.tap.tell(wire.Frame{Kind: wire.KindExit, X: 1}, fact)
	return exit
}

// drain waits for the pumps of a server that has ended: until they are done,
// or until nothing has moved for a while although nobody blocks them.
func drain(over <-chan struct{}, pumps []*pump) {
	const look = 10 * time.Millisecond
	var last int64
	for quiet := time.Duration(0); quiet < graceAfterExit; {
		select {
		case <-over:
			return
		case <-time.After(look):
		}
		var sum int64
		writing := false
		for _, p := range pumps {
			n := p.moves.Load()
			sum += n
			writing = writing || n%2 == 1
		}
		quiet += look
		if sum != last || writing {
			last, quiet = sum, 0
		}
	}
}

// forward pumps one direction to its end and hands the end on: what one side
// closes is closed towards the other, at once and not earlier.
func (r *stdioRun) forward(p *pump, to *lineStream, src, dst *os.File) {
	err := p.run()
	reader, writer := wire.ByServer, wire.ByClient
	if to.dir == wire.ToServer {
		reader, writer = writer, reader
	}
	c := wire.Close{By: reader, Clean: err == nil}
	var gone errWrite
	if errors.As(err, &gone) {
		c.By = writer
	}
	if err != nil {
		c.Error = err.Error()
	}
	closeEnd(dst)
	closeEnd(src)
	r.tap.q.do(r.tap.now(), func(t int64) { to.end(t, c) })
}

// forwardSignals passes on every signal that would have reached the server.
// After one that asks it to end, the server has a little time, then the whole
// process tree is killed: the client's next step would be to kill us.
func (r *stdioRun) forwardSignals(signals <-chan os.Signal) {
	for sig := range signals {
		if ignored(sig) {
			continue
		}
		_ = r.proc.Signal(sig)
		if asksToEnd(sig) {
			r.killed.Do(func() {
				time.AfterFunc(graceAfterSignal, func() {
					r.lost.Store(true)
					killTree(r.proc)
				})
			})
		}
	}
}
