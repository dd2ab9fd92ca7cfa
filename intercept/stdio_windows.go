package intercept

import (
	"os"
	"os/exec"
	"strconv"
)

func newPipe() (r, w *os.File, err error) { return os.Pipe() }

func forwarded() []os.Signal { return []os.Signal{os.Interrupt} }

// ignored: a console hands an interrupt to every process in it, the server too.
func ignored(sig os.Signal) bool { return true }

func asksToEnd(sig os.Signal) bool { return false }

func closeEnd(f *os.File) { f.Close() }

func exitOf(state *os.ProcessState, err error) Exit {
	if err != nil {
		return Exit{Code: 1}
	}
	return Exit{Code: state.ExitCode()}
}

func signalName(sig os.Signal) string { return sig.String() }

// killTree kills a process and all that descend from it.
func killTree(p *os.Process) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run()
	_ = p.Kill()
}

// DieOf does nothing: there are no signals to die of.
func DieOf(os.Signal) {}
