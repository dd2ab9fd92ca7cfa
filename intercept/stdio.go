package intercept

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"midwire/intercept/gate"
	"midwire/intercept/launch"
	"midwire/intercept/reload"
	"midwire/intercept/spawn"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// Patience of the stdio tap. While its client lives a server may take what time
// it likes.
const (
	graceAfterStop = 1500 * time.Millisecond // then the process tree is killed
	graceAfterExit = 250 * time.Millisecond  // of silence, while a grandchild holds a pipe
	graceAsked     = 500 * time.Millisecond  // for a client that reads slowly, when we are asked to end
	look           = 10 * time.Millisecond   // between two looks whether something has moved
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
	// Mask is applied to what the recording says of Command, beside the masking of
	// credentials; nil for none.
	Mask func(string) string
	Dir  string // where to run it; "" for here
	// The client's ends. They belong to Run, which closes them as the server
	// closes its own, and what is left when it returns. The three standard files
	// of this process are not closed but put on the null device.
	Stdin, Stdout, Stderr *os.File
	// Record creates the recording. It is called once and while the server
	// starts, so that the client does not wait for the disk. Run closes it.
	Record  func() *record.Writer
	Started time.Time // as in the recording's header
	// OnTrouble is called, in its own goroutine, when the recording does not
	// keep up; the Writer's own trouble it tells itself. nil for no one.
	OnTrouble func(error)
	Env       []string // of the server; nil for our own
	// Stop, when it is closed, ends the server as SIGTERM would: it is asked,
	// and after a while its process tree is killed. nil for never.
	Stop <-chan struct{}
	// Orphan is how long a server may outlive its client: once its input has
	// ended, no one can read its output and our parent has died, its process
	// tree is killed after that time. 0 means a minute.
	Orphan time.Duration
	// MaxUnit is the longest line that is recorded as one frame, in bytes; longer
	// ones are recorded in parts. 0 for the usual.
	MaxUnit int
	Gate    *gate.Gate // nil for none
	Own     bool       // signals to this process are none of the server's
	// Reload keeps the client connected while the server is restarted; nil: the server is
	// one process, as without us.
	Reload *Reload
	// Early is the server, if it was started before; then Started is its Began, and Gate
	// and Reload are nil. nil: Run starts it.
	Early *spawn.Early
}

// Pipes gives the tap pipes for standard streams, and returns their other ends, which are
// the caller's: what is written to in goes to the server.
func (s *Stdio) Pipes() (in, out, stderr *os.File, err error) {
	if s.Stdin, in, err = os.Pipe(); err == nil {
		out, s.Stdout, err = os.Pipe()
	}
	if err == nil {
		stderr, s.Stderr, err = os.Pipe()
	}
	return in, out, stderr, err
}

// Exit is how a server ended.
type Exit struct {
	Code   int       // as a shell would say it: 128+n for signal n
	Signal os.Signal // what killed it, nil when nothing did
}

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
		Stdio: s, tap: newTap(s.Record, s.Started, s.OnTrouble),
		parent: os.Getppid(), signals: make(chan os.Signal, 64),
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
		signal.Notify(r.signals, spawn.Urgent()...)
		helpers.Go(func() { forwardSignals(r.signals, r.proc, r.over, r.signalled, r.hurry) })
	}
	helpers.Go(r.stop)
	helpers.Go(r.orphan)
	defer helpers.Wait()
	defer close(r.over)
	return r.wait(), nil
}

type stdioRun struct {
	*Stdio
	tap  *Tap
	proc process
	kept *reload.Keeper // what proc is with Reload
	// calls are the frames of the requests that are open, by id. Only with Reload, and of
	// the observer.
	calls map[string]uint64

	in   *os.File // server's stdin, our end
	out  *os.File
	errs *os.File

	stdin, stdout, stderr *end // the client's

	signals chan os.Signal // for the server
	parent  int            // process id, as we were started
	over    chan struct{}  // closed when the server has ended
	left    chan struct{}  // closed when the client has closed our stdin
	ending  ending
	deaf    atomic.Bool // stdout is closed, or no one reads it
	lost    atomic.Bool // we ended it
}

func (r *stdioRun) start() *StartError {
	if e := r.Early; e != nil {
		files := launch.Programs(e.Path, r.Command[1:], "")
		r.proc, r.in, r.out, r.errs, r.parent, r.signals = single{e.Process}, e.In, e.Out, e.Err, e.Parent, e.Signals
		r.record(0, e.Process.Pid, files(), "")
		return nil
	}
	path, err := find(r.Command[0], r.Dir)
	if err != nil {
		return r.cannotStart(err)
	}
	files := launch.Programs(path, r.Command[1:], r.Dir)
	errs, theirs, err := spawn.Like(r.Stderr)
	var p *os.Process
	if r.errs = errs; err == nil {
		p, r.in, r.out, err = spawn.Start(path, r.Command, r.Dir, r.Env, r.Stdin, r.Stdout, theirs)
	}
	if r.Reload == nil || err != nil {
		theirs.Close() // nil is no trouble
	}
	if err != nil {
		return r.cannotStart(err)
	}
	r.proc = single{p}
	programs := files()
	r.record(r.tap.now(), p.Pid, programs, "")
	if r.Reload != nil {
		r.keep(path, p, theirs, programs)
	}
	return nil
}

// record has the recording say how the server was started, or why not.
func (r *stdioRun) record(t int64, pid int, files []wire.Program, trouble string) {
	s := wire.Start{Command: redact.Args(r.Command), Pid: pid, Error: trouble, Files: files}
	if r.Mask != nil {
		s.Error = r.Mask(s.Error)
		for i, word := range s.Command {
			s.Command[i] = r.Mask(word)
		}
		for i := range s.Files {
			s.Files[i].Path = r.Mask(s.Files[i].Path)
		}
	}
	r.tap.q.do(t, func(at int64) { r.tap.fact(at, wire.Frame{Kind: wire.KindStart, X: 1}, s) })
}

func (r *stdioRun) cannotStart(err error) *StartError {
	e := newStartError("server command", r.Command[0], err)
	if _, err := os.Stat(r.Dir); r.Dir != "" && err != nil {
		e.Because = "the folder in which it is to run: " + err.Error()
	}
	r.record(r.tap.now(), 0, nil, e.Error())
	return e
}

// wait forwards until the server has ended and everything it wrote was passed
// on. A grandchild may hold the pipes open for ever; the client of a server
// run directly would not wait for it, nor do we.
func (r *stdioRun) wait() Exit {
	up := newLineStream(r.tap, wire.KindLine, wire.ToServer)
	down := newLineStream(r.tap, wire.KindLine, wire.ToClient)
	up.other = down
	diag := newLineStream(r.tap, wire.KindStderr, wire.ToClient)
	in := &pump{tap: r.tap, src: newReader(r.Stdin, largeRead), dst: r.in, to: up, dir: wire.ToServer}
	outs := []*pump{
		{tap: r.tap, src: newReader(r.out, largeRead), dst: r.Stdout, to: down, dir: wire.ToClient},
		{tap: r.tap, src: newReader(r.errs, smallRead), dst: r.Stderr, to: diag},
	}
	r.tap.q.do(r.tap.now(), func(int64) {
		r.tap.slow = []*stall{
			{pump: in, to: up, src: r.Stdin, of: "stdin", by: wire.ByServer},
			{pump: outs[0], to: down, src: r.out, of: "stdout", by: wire.ByClient},
			{pump: outs[1], to: diag, src: r.errs, of: "stderr", by: wire.ByClient},
		}
	})
	inEnd, outEnd := newEnd(r.in), newEnd(r.out)
	if r.kept != nil {
		inEnd, outEnd = r.insertKeeper(in, outs[0], up, down)
	}
	leave := r.tap.join(&carrier{
		tap: r.tap, up: in, down: outs[0], seen: lineSeen{up, down}, cut: func(gate.How) { r.fell() }, kill: r.fell,
	})
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { wg.Wait(); close(over) }()
	r.pumps(
		copying{in, up, func() { r.forward(in, up, r.stdin, inEnd); close(r.left) }},
		copying{outs[0], down, func() { r.forward(outs[0], down, outEnd, r.stdout); wg.Done() }},
		copying{outs[1], diag, func() { r.forward(outs[1], diag, newEnd(r.errs), r.stderr); wg.Done() }},
	)

	state, err := r.proc.Wait()
	r.ending.otherEnded()
	r.tap.gate.ServerEnded()
	late := time.Now().Add(graceAsOrphan)
	waits := func() bool { return r.tap.gate.Waits() && time.Now().Before(late) && !r.clientDied() }
	drain(over, outs, waits, r.ending.asked)
	leave()
	exit := exitOf(state, err)
	fact := wire.Exit{Code: exit.Code, Lost: r.lost.Load()}
	if exit.Signal != nil {
		fact.Signal = signalName(exit.Signal)
	}
	r.tap.tell(wire.Frame{Kind: wire.KindExit, X: 1}, fact)
	return exit
}

// copying is one of the three: client to server, server to client, standard error.
type copying struct {
	pump *pump
	to   *lineStream
	run  func() // to its end
}

// pumps starts to forward, or continues what was begun early.
func (r *stdioRun) pumps(all ...copying) {
	if r.Early == nil {
		for _, c := range all {
			go c.run()
		}
		return
	}
	var follow [3]func(spawn.Rest)
	for i, c := range all {
		follow[i] = func(rest spawn.Rest) {
			c.pump.resume(rest)
			c.run()
		}
	}
	r.Early.Take(func(of int, t time.Time, data []byte) {
		r.tap.q.put(all[of].to, int64(t.Sub(r.Started)), data)
	}, func(of int) { all[of].pump.busy() }, follow)
}

// fell kills the server for the gate.
func (r *stdioRun) fell() {
	r.lost.Store(true)
	r.proc.Kill()
}

// drain waits for the pumps of a server that has ended: until they are done,
// or until nothing has moved for a while although no one blocks them, and nothing
// waits at the gate for its time. Once we are asked to end, no one is waited for who
// does not read.
func drain(over <-chan struct{}, pumps []*pump, waits, asked func() bool) {
	var last int64
	for quiet := time.Duration(0); quiet < graceAfterExit || asked() && quiet < graceAsked; {
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
		if sum != last || writing && !asked() {
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
	switch dst {
	case r.stdout:
		r.deaf.Store(true)
	case r.stderr: // also our own, for what is wrong with the recording
		select {
		case <-r.tap.opened:
		case <-time.After(time.Second):
		}
	}
	r.tap.q.do(r.tap.now(), func(t int64) { to.end(t, c) }) // before the other side can react
	dst.close()
	src.close()
}

// end is one side of a pipe. It is closed once, by the first of: its pump,
// or Run at its end.
type end struct {
	file *os.File
	fd   uintptr
	once sync.Once
	by   func() // closes it, where it is no file
}

func newEnd(f *os.File) *end {
	e := &end{file: f}
	// File.Fd would make reads block that Close is to interrupt.
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { e.fd = fd })
	}
	return e
}

func (e *end) close() {
	e.once.Do(func() {
		if e.by != nil {
			e.by()
			return
		}
		closeEnd(e.file, e.fd)
	})
}

// closeEnds closes what is left of the client's ends. A process has its
// standard files until it exits: what it writes there may be the last word.
func (r *stdioRun) closeEnds() {
	for _, e := range []*end{r.stdin, r.stdout, r.stderr} {
		if e.fd > 2 {
			e.close()
		}
	}
}
