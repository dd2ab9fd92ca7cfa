package intercept

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
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
