package intercept

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"midwire/intercept/reload"
	"midwire/intercept/spawn"
	"midwire/session/safefile"
	"midwire/session/wire"
)

// Child is a program that is started with our own streams, terminal and process
// group, so that it hardly differs from one that was started without us.
type Child struct {
	Command []string
	Env     []string
	Files   []*os.File // its standard files
}

// Run starts the program, passes on the signals that only we got, and returns
// how it ended. A *StartError says that it never ran.
func (c *Child) Run() (Exit, error) {
	runtime.LockOSThread() // on Linux it dies with the thread that started it
	defer runtime.UnlockOSThread()
	path, err := find(c.Command[0], "")
	if err != nil {
		return cannotStart(c.Command[0], err)
	}
	p, err := os.StartProcess(path, c.Command, &os.ProcAttr{Env: c.Env, Files: c.Files, Sys: spawn.DiesWithUs()})
	if err != nil {
		return cannotStart(c.Command[0], err)
	}
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, spawn.Urgent()...)
	over := make(chan struct{})
	var end ending
	var wg sync.WaitGroup
	wg.Go(func() { forwardSignals(signals, p, over, func(os.Signal, bool) {}, end.ask) })
	state, err := p.Wait()
	end.otherEnded()
	close(over)
	wg.Wait()
	return exitOf(state, err), nil
}

// find looks a command up as a shell does that runs it in dir; "" for here.
func find(name, dir string) (path string, err error) {
	if dir != "" && !filepath.IsAbs(name) && filepath.Base(name) != name {
		name = filepath.Join(dir, name)
	}
	if path, err = exec.LookPath(name); errors.Is(err, exec.ErrDot) {
		err = nil // a shell runs it, so do we
	}
	return path, err
}

func cannotStart(name string, err error) (Exit, error) {
	e := newStartError("command", name, err)
	return Exit{Code: e.Code}, e
}

func (r *stdioRun) signalled(sig os.Signal, group bool) {
	if r.kept != nil && asksToEnd(sig) {
		r.kept.Final()
	}
	f := wire.Frame{Kind: wire.KindSignal, Dir: wire.ToServer, X: 1}
	r.tap.tell(f, wire.Signal{Signal: signalName(sig), Group: group})
}

// hurry kills the server a while after a client that has closed its input asks
// it to end, where the system cannot have it die with us: the client's next
// step is to kill us.
func (r *stdioRun) hurry(sig os.Signal) {
	r.ending.ask(sig)
	if spawn.ServerDiesWithUs {
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
		if r.kept != nil {
			r.kept.Final()
		}
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
		r.proc.Kill()
	case <-r.over:
	}
}

// StartError says that a program could not be started. Code is the shell's:
// 127 when there is no such command, 126 when it cannot be run.
type StartError struct {
	What    string // what it is: "server command"
	Command string
	Code    int
	Err     error
	Because string // the file is there; what of it is not, and what to do. "" for what else it is
}

func (e *StartError) Error() string {
	words := strings.Fields(e.Command)
	switch {
	case e.Because != "":
		return fmt.Sprintf("%s %q cannot be run: %s", e.What, e.Command, e.Because)
	case e.Code == 127 && len(words) > 1 && !strings.ContainsAny(words[0], `/\`):
		return fmt.Sprintf("%s %q not found: it is one word that includes its arguments. Pass each word separately, like %s", e.What, e.Command, "midwire -- npx -y x")
	case e.Code == 127:
		return fmt.Sprintf("%s %q not found: %v. Give its absolute path, or check the PATH the client hands on", e.What, e.Command, e.Err)
	}
	return fmt.Sprintf("%s %q cannot be run: %v. Is it a program, and may you execute it?", e.What, e.Command, e.Err)
}

func (e *StartError) Unwrap() error { return e.Err }

func newStartError(what, name string, err error) *StartError {
	e := &StartError{What: what, Command: name, Code: 126, Err: err}
	var inner *exec.Error
	if errors.As(err, &inner) {
		e.Err = inner.Err
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		e.Code = 127
		e.Because = missing(name)
	}
	return e
}

// missing says what a program needs that is not there: systems say of it, too, that
// there is no such file. "" when the program itself is not.
func missing(name string) string {
	path, err := find(name, "")
	if err != nil {
		return ""
	}
	f, err := safefile.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	with, isScript := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\n")), []byte("#!"))
	interpreter, _, _ := strings.Cut(strings.TrimLeft(string(with), " \t"), " ")
	switch {
	case !isScript:
		return "its file is there, but not the loader or the libraries that it is made for. Is it a program of this system?"
	case strings.HasSuffix(interpreter, "\r"):
		return "its first line ends as on Windows, so that the system looks for an interpreter with a carriage return in its name. Save it with line ends of Unix"
	default:
		return fmt.Sprintf("its first line names the interpreter %q, which is not there", interpreter)
	}
}

// Reload is when a proxy restarts its server while the client stays connected.
type Reload struct {
	// Watch are globs of files whose change restarts the server; none: the files that it was
	// started from.
	Watch []string
}

// process is the server as the proxy handles it: one process, or what a Keeper keeps.
type process interface {
	Signal(sig os.Signal) error
	Kill() // with all that descend from it
	Wait() (*os.ProcessState, error)
}

type single struct{ *os.Process }

func (p single) Kill() { KillTree(p.Process) }

// keep puts a Keeper in the place of the process. stderr is for later processes.
func (r *stdioRun) keep(path string, first *os.Process, stderr *os.File, files []wire.Program) {
	of := func(p *os.Process, in, out *os.File) *reload.Process {
		s, below := single{p}, &brood{}
		return &reload.Process{
			Pid: p.Pid, In: in, Out: out, Signal: s.Signal, Kill: s.Kill, Wait: s.Wait,
			Note: func() { below.note(p.Pid) }, Sweep: below.sweep,
		}
	}
	opt := reload.Options{
		Watch: r.Reload.Watch, Dir: r.Dir,
		Start: func() (*reload.Process, error) {
			p, in, out, err := spawn.Start(path, r.Command, r.Dir, r.Env, r.Stdin, r.Stdout, stderr)
			if err != nil {
				return nil, err
			}
			return of(p, in, out), nil
		},
		Say: func(what, was, now string) {
			if r.Mask != nil {
				was, now = r.Mask(was), r.Mask(now)
			}
			r.tap.tell(wire.Frame{Kind: wire.KindEdit, X: 1}, wire.Edit{What: what, Was: was, Now: now})
		},
		Own:  r.ownLine,
		Done: func() { stderr.Close() },
	}
	if len(opt.Watch) == 0 {
		for _, f := range files {
			opt.Watch = append(opt.Watch, reload.Literally(f.Path))
		}
	}
	r.calls = map[string]uint64{}
	r.kept = reload.New(opt, of(first, r.in, r.out))
	r.proc = r.kept
	r.tap.gate.OnRestart(r.kept.Restart)
}

// insertKeeper puts the Keeper between the pumps, and has the observer keep the frames of the
// requests that are open, for what the Keeper answers itself.
func (r *stdioRun) insertKeeper(in, out *pump, up, down *lineStream) (inEnd, outEnd *end) {
	in.dst, out.src = r.kept, keptSource{r.kept}
	up.seen = func(n uint64, line []byte) {
		wire.ScanMessages(line, func(_ int, m wire.Message) bool {
			if m.Kind == wire.MsgRequest {
				r.calls[wire.ID(m.ID)] = n
			}
			return true
		})
	}
	down.seen = func(_ uint64, line []byte) {
		wire.ScanMessages(line, func(_ int, m wire.Message) bool {
			if m.IsResponse() {
				delete(r.calls, wire.ID(m.ID))
			}
			return true
		})
	}
	return &end{by: r.kept.Leave}, &end{by: func() {}}
}

type keptSource struct{ *reload.Keeper }

func (s keptSource) next() ([]byte, error) { return s.Next() }

// ownLine records that the next line to the client is midwire's own.
func (r *stdioRun) ownLine(id []byte) {
	r.tap.q.do(r.tap.now(), func(t int64) {
		g := wire.Gate{What: wire.GateInject, Rule: wire.GateReload, Made: 1}
		f := wire.Frame{Kind: wire.KindGate, Dir: wire.ToClient, X: 1}
		if id != nil {
			g.What, g.Frame, f.Dir = wire.GateAnswer, r.calls[wire.ID(id)], wire.ToServer
		}
		f.Data = g.JSON()
		r.tap.append(t, f)
	})
}
