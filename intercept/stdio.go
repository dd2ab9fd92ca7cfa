package intercept

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// Patience of the stdio tap. While its client lives a server may take what time
// it likes.
const (
	graceAfterStop = 1500 * time.Millisecond // then the process tree is killed
	graceAfterExit = 250 * time.Millisecond  // of silence, while a grandchild holds a pipe
	graceAsOrphan  = time.Minute             // for a server whose client has died, once its input has ended
)

// startTime is how long client and server are left to themselves before what is
// needed for rare signals, and for those to a whole group, is set up: that costs
// as much as a third of starting midwire.
const startTime = 250 * time.Millisecond

// Stdio is a tap between a client that launched us and a server that we
// launch in its place: same command, arguments, environment, working
// directory and process group.
type Stdio struct {
	Command []string // what to run; Command[0] is looked up in PATH
	Dir     string   // where to run it; "" for here
	// The client's ends. They belong to Run, which closes them as the server
	// closes its own, and what is left when it returns. The three standard files
	// of this process are not closed but put on the null device.
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
	// Orphan is how long a server may outlive its client: once its input has
	// ended, nobody can read its output and our parent has died, its process
	// tree is killed after that time. 0 means a minute.
	Orphan time.Duration
	// MaxUnit is the longest line that is recorded as one frame, in bytes; longer
	// ones are recorded in parts. 0 for the usual.
	MaxUnit int
	Gate    *gate.Gate // nil for none
	Own     bool       // signals to this process are none of the server's
}

// Exit is how a server ended.
type Exit struct {
	Code   int       // as a shell would say it: 128+n for signal n
	Signal os.Signal // what killed it, nil when nothing did
}

// StartError says that a program could not be started. Code is the shell's:
// 127 when there is no such command, 126 when it cannot be run.
type StartError struct {
	What    string // what it is: "server command"
	Command string
	Code    int
	Err     error
}

func (e *StartError) Error() string {
	if e.Code == 127 {
		return fmt.Sprintf("%s %q not found: %v. Give its absolute path, or check the PATH the client hands on", e.What, e.Command, e.Err)
	}
	return fmt.Sprintf("%s %q cannot be run: %v. Is it a program, and may you execute it?", e.What, e.Command, e.Err)
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
	// Where the system can have the server die with us, it does so with the
	// thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := &stdioRun{
		Stdio: s, tap: newTap(s.Record, s.Started, s.OnTrouble), parent: os.Getppid(),
		over: make(chan struct{}), left: make(chan struct{}),
		stdin: newEnd(s.Stdin), stdout: newEnd(s.Stdout), stderr: newEnd(s.Stderr),
	}
	if s.MaxUnit > 0 { // before there is anything to observe
		r.tap.maxLine = min(r.tap.maxLine, s.MaxUnit)
	}
	defer r.tap.close()
	defer r.closeEnds()
	r.tap.withGate(s.Gate)
	if err := r.start(); err != nil {
		return Exit{Code: err.Code}, err
	}
	// Only now: what was ignored when we were started, the server has inherited.
	var helpers sync.WaitGroup
	if !s.Own {
		signals := make(chan os.Signal, 64)
		signal.Notify(signals, urgent()...)
		helpers.Go(func() { forwardSignals(signals, r.proc, r.over, r.hurry) })
	}
	helpers.Go(r.stop)
	helpers.Go(r.orphan)
	defer helpers.Wait()
	defer close(r.over)
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

	stdin, stdout, stderr *end // the client's

	parent int           // process id, as we were started
	over   chan struct{} // closed when the server has ended
	left   chan struct{} // closed when the client has closed our stdin
	deaf   atomic.Bool   // stdout is closed, or nobody reads it
	lost   atomic.Bool   // we ended it
	exitAs atomic.Int32  // 1 + the code to exit with, whatever the server's; 0 for that one
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
		r.proc, err = os.StartProcess(path, r.Command,
			&os.ProcAttr{Dir: r.Dir, Env: env, Files: theirs[:], Sys: diesWithUs()})
	}
	for _, f := range theirs {
		f.Close() // nil is no trouble
	}
	if err != nil {
		return r.cannotStart(err)
	}
	r.tap.tell(wire.Frame{Kind: wire.KindStart, X: 1}, wire.Start{Command: redact.Args(r.Command), Pid: r.proc.Pid})
	return nil
}

func (r *stdioRun) cannotStart(err error) *StartError {
	e := newStartError("server command", r.Command[0], err)
	r.tap.tell(wire.Frame{Kind: wire.KindStart, X: 1}, wire.Start{Command: redact.Args(r.Command), Error: e.Error()})
	return e
}

func newStartError(what, name string, err error) *StartError {
	e := &StartError{What: what, Command: name, Code: 126, Err: err}
	var inner *exec.Error
	if errors.As(err, &inner) {
		e.Err = inner.Err
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		e.Code = 127
	}
	return e
}

// wait forwards until the server has ended and everything it wrote was passed
// on. A grandchild may hold the pipes open for ever; the client of a server
// run directly would not wait for it, nor do we.
func (r *stdioRun) wait() Exit {
	up := newLineStream(r.tap, wire.KindLine, wire.ToServer)
	down := newLineStream(r.tap, wire.KindLine, wire.ToClient)
	diag := newLineStream(r.tap, wire.KindStderr, wire.ToClient)
	in := &pump{tap: r.tap, src: newReader(r.Stdin, largeRead), dst: r.in, to: up, dir: wire.ToServer}
	outs := []*pump{
		{tap: r.tap, src: newReader(r.out, largeRead), dst: r.Stdout, to: down, dir: wire.ToClient},
		{tap: r.tap, src: newReader(r.errs, smallRead), dst: r.Stderr, to: diag},
	}
	leave := r.tap.join(&carrier{
		tap: r.tap, up: in, down: outs[0], seen: lineSeen{up, down}, cut: func(gate.How) { r.fell(-1) }, kill: r.fell,
	})
	over := make(chan struct{})
	var wg sync.WaitGroup
	go func() {
		defer close(r.left)
		r.forward(in, up, r.stdin, newEnd(r.in))
	}()
	wg.Go(func() {
		r.forward(outs[0], down, newEnd(r.out), r.stdout)
	})
	wg.Go(func() { r.forward(outs[1], diag, newEnd(r.errs), r.stderr) })
	go func() { wg.Wait(); close(over) }()

	state, err := r.proc.Wait()
	r.tap.gate.Over()
	late := time.Now().Add(graceAsOrphan)
	drain(over, outs, func() bool { return r.tap.gate.Waits() && time.Now().Before(late) && !r.clientDied() })
	leave()
	exit := exitOf(state, err)
	fact := wire.Exit{Code: exit.Code, Lost: r.lost.Load()}
	if exit.Signal != nil {
		fact.Signal = signalName(exit.Signal)
	}
	r.tap.tell(wire.Frame{Kind: wire.KindExit, X: 1}, fact)
	if as := r.exitAs.Load(); as > 0 {
		return Exit{Code: int(as) - 1}
	}
	return exit
}

// fell kills the server for the gate. With a code of 0 or more we exit with it.
func (r *stdioRun) fell(code int) {
	if code >= 0 {
		r.exitAs.Store(int32(code) + 1)
	}
	r.lost.Store(true)
	killTree(r.proc)
}

// drain waits for the pumps of a server that has ended: until they are done,
// or until nothing has moved for a while although nobody blocks them, and nothing
// waits at the gate for its time.
func drain(over <-chan struct{}, pumps []*pump, waits func() bool) {
	const look = 10 * time.Millisecond
	var last int64
	for quiet := time.Duration(0); quiet < graceAfterExit; {
		select {
		case <-over:
			return
		case <-time.After(look):
		}
		var sum int64
		writing := waits()
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
func (r *stdioRun) forward(p *pump, to *lineStream, src, dst *end) {
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
	if dst == r.stdout {
		r.deaf.Store(true)
	}
	if to.dir != wire.ToServer || !r.tap.gate.KeepsInput() {
		dst.close()
	}
	src.close()
	r.tap.q.do(r.tap.now(), func(t int64) { to.end(t, c) })
}

// end is one side of a pipe. It is closed once, by whoever is first: its pump,
// or Run at its end.
type end struct {
	file *os.File
	fd   uintptr
	once sync.Once
}

func newEnd(f *os.File) *end {
	e := &end{file: f}
	// File.Fd would make reads block that Close is to interrupt.
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { e.fd = fd })
	}
	return e
}

func (e *end) close() { e.once.Do(func() { closeEnd(e.file, e.fd) }) }

// closeEnds closes what is left of the client's ends. A process has its
// standard files until it exits: what it writes there may be the last word.
func (r *stdioRun) closeEnds() {
	for _, e := range []*end{r.stdin, r.stdout, r.stderr} {
		if e.fd > 2 {
			e.close()
		}
	}
}

// hurry kills the server a while after a client that has closed its input asks
// it to end, where the system cannot have it die with us: the client's next
// step is to kill us.
func (r *stdioRun) hurry() {
	if serverDiesWithUs {
		return
	}
	select {
	case <-r.left:
		go r.killAfter(graceAfterStop)
	default:
	}
}

// stop ends the server when Stop is closed: there, we are the client.
func (r *stdioRun) stop() {
	select {
	case <-r.Stop:
		_ = r.proc.Signal(syscall.SIGTERM)
		r.killAfter(graceAfterStop)
	case <-r.over:
	}
}

// orphan ends a server that outlives its client.
func (r *stdioRun) orphan() {
	patience := cmp.Or(r.Orphan, graceAsOrphan)
	select {
	case <-r.left:
	case <-r.over:
		return
	}
	look := time.NewTicker(min(patience, time.Second))
	defer look.Stop()
	for !r.clientDied() {
		select {
		case <-look.C:
		case <-r.over:
			return
		}
	}
	r.killAfter(patience)
}

// killAfter kills the process tree when the server does not end in that time.
func (r *stdioRun) killAfter(patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-timer.C:
		r.lost.Store(true)
		killTree(r.proc)
	case <-r.over:
	}
}
