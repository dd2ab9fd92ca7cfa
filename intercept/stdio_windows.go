package intercept

import (
	"os"
	"os/exec"
	"strconv"
)

// ignored: a console hands an interrupt to every process in it, the server too.
func ignored(sig os.Signal) bool { return true }

func asksToEnd(sig os.Signal) bool { return false }

func closeEnd(f *os.File, _ uintptr) { f.Close() }

// clientDied: a process does not lose its parent's number here.
func (r *stdioRun) clientDied() bool { return false }

// groupWatch: a console has no signals to forward.
type groupWatch struct{}

func watchGroup([]os.Signal) *groupWatch { return &groupWatch{} }

func (*groupWatch) got(os.Signal) bool { return true }
func (*groupWatch) end()               {}

func exitOf(state *os.ProcessState, err error) Exit {
	if err != nil {
		return Exit{Code: 1}
	}
	return Exit{Code: state.ExitCode()}
}

func signalName(sig os.Signal) string { return sig.String() }

// KillTree kills a process and all that descend from it.
func KillTree(p *os.Process) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	_ = p.Kill()
}

// brood: what a process has started is not known here.
type brood struct{}

func (*brood) note(int)   {}
func (*brood) sweep() int { return 0 }

// unread is not known here.
func unread(*os.File) int64 { return 0 }

// DieOf does nothing: there are no signals to die of.
func DieOf(os.Signal) {}
