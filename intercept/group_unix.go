//go:build unix

package intercept

import (
	"bufio"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lookout is a shell that says the numbers of the signals it was sent, and then
// a full stop whenever it is given a line. A shell runs a trap as soon as the
// command is over that the signal interrupted, so the numbers come first. A read
// that fails without a trap is the end of its input.
const lookout = `for n do trap "echo $n; t=1" $n; done
while :; do t=; if read x; then echo .; elif [ -z "$t" ]; then exit; fi; done`

// lookoutPatience is how long the shell may take, should someone have stopped it,
// and how long after it a signal may reach us.
const lookoutPatience = 2 * time.Second

// groupWatch tells whether a signal was sent to the whole process group, as by
// the keys of a terminal or by kill with a negative number: then the server has
// got it as well, and must not get it twice. Nothing says so of a signal that
// has arrived. So a process of no other use stands in the group, a lookout,
// which is asked whether it has got the signal too. It is younger than we are,
// and the system goes through a group from the youngest to the oldest: when we
// have a signal, it has it.
//
// Without a shell, as in the zero value, what the keys of our terminal send counts as
// sent to the group, and all else as sent to us alone.
type groupWatch struct {
	signals []os.Signal
	shell   *os.Process // nil: none
	in, out *os.File
	said    *bufio.Reader
	// When the lookout said which numbers that we have not got yet. It may have
	// said one more than once: we can be behind by more than one signal.
	seen map[string][]time.Time
}

// watchGroup starts to watch for these signals.
func watchGroup(signals []os.Signal) *groupWatch {
	g := &groupWatch{signals: signals, seen: map[string][]time.Time{}}
	if g.start() == nil {
		g.look()
	}
	return g
}

func (g *groupWatch) start() error {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close())
	}
	defer theirOut.Close()
	argv := []string{"sh", "-c", lookout, "midwire"}
	for _, s := range g.signals {
		argv = append(argv, number(s))
	}
	shell, err := os.StartProcess("/bin/sh", argv, &os.ProcAttr{Dir: "/", Env: []string{}, Files: []*os.File{theirIn, theirOut}})
	if err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	g.shell, g.in, g.out, g.said = shell, in, out, bufio.NewReader(out)
	return nil
}

func number(s os.Signal) string { return strconv.Itoa(int(s.(syscall.Signal))) }

// got reports whether the signal that has just arrived was sent to the group.
func (g *groupWatch) got(s os.Signal) bool {
	if g.shell == nil {
		return (s == syscall.SIGINT || s == syscall.SIGQUIT) && inForeground()
	}
	n := number(s)
	if !g.take(n) {
		g.look()
		return g.take(n)
	}
	return true
}

// inForeground reports whether the keys of a terminal go to our process group.
func inForeground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return false // there is no terminal
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == syscall.Getpgrp()
}

// take takes one of the times at which the lookout had a signal. What is long
// ago never reached us: the system makes one of two that are not handled yet.
func (g *groupWatch) take(n string) bool {
	now := time.Now()
	for len(g.seen[n]) > 0 {
		at := g.seen[n][0]
		g.seen[n] = g.seen[n][1:]
		if now.Sub(at) < lookoutPatience {
			return true
		}
	}
	return false
}

// note notes that the lookout had a signal.
func (g *groupWatch) note(n string) { g.seen[n] = append(g.seen[n], time.Now()) }

// look asks the lookout. One that has died of a signal, before it had its traps,
// has said that too, and is replaced.
func (g *groupWatch) look() {
	for range 3 {
		if g.shell == nil || g.ask() == nil {
			return
		}
		died, ok := g.close()
		if !ok {
			return
		}
		g.note(number(died))
		if g.start() != nil {
			return
		}
	}
}

// ask takes what the lookout has to say.
func (g *groupWatch) ask() error {
	_ = g.out.SetReadDeadline(time.Now().Add(lookoutPatience))
	if _, err := g.in.Write([]byte{'\n'}); err != nil {
		return err
	}
	for {
		line, err := g.said.ReadString('\n')
		if err != nil {
			return err
		}
		if line = strings.TrimSpace(line); line == "." {
			return nil
		}
		g.note(line)
	}
}

// end ends the lookout. It does not wait until that is gone.
func (g *groupWatch) end() {
	if g.shell != nil {
		g.in.Close()
		g.out.Close()
		_ = g.shell.Kill()
		go g.shell.Wait()
	}
}

// close ends the lookout. It returns the signal that it had died of before, if
// it had.
func (g *groupWatch) close() (syscall.Signal, bool) {
	if g.shell == nil {
		return 0, false
	}
	g.in.Close()
	g.out.Close()
	_ = g.shell.Kill()
	state, err := g.shell.Wait()
	g.shell = nil
	if err != nil {
		return 0, false
	}
	ws := state.Sys().(syscall.WaitStatus)
	return ws.Signal(), ws.Signaled() && ws.Signal() != syscall.SIGKILL
}
