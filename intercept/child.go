package intercept

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"
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
	path, err := exec.LookPath(c.Command[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return cannotStart(c.Command[0], err)
	}
	p, err := os.StartProcess(path, c.Command, &os.ProcAttr{Env: c.Env, Files: c.Files, Sys: diesWithUs()})
	if err != nil {
		return cannotStart(c.Command[0], err)
	}
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, urgent()...)
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { forwardSignals(signals, p, over, func() {}) })
	state, err := p.Wait()
	close(over)
	wg.Wait()
	return exitOf(state, err), nil
}

func cannotStart(name string, err error) (Exit, error) {
	e := newStartError("command", name, err)
	return Exit{Code: e.Code}, e
}

// KillTree kills a process and all that descend from it.
func KillTree(p *os.Process) { killTree(p) }

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
