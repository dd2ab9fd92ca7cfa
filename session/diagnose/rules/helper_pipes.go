package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

// pipes is what is known of the pipes of a process. Every rule keeps its own.
type pipes struct {
	stdin, stdout   uint64 // frames of their ends, 0 while they are open
	stdinT, stdoutT int64
	stdinBy         string
	signal          uint64 // frame of the latest signal that midwire got for the process, 0 for none
}

// exit is how a process ended.
type exit struct {
	code   int64
	signal string
	lost   bool // the tap ended it
}

// follow takes an event of a process. It returns true when the process ended.
func (p *pipes) follow(c *diagnose.Case) (exit, bool) {
	switch c.Frame.Kind {
	case wire.KindStart:
		*p = pipes{}
	case wire.KindClose:
		if c.Dir == wire.ToServer {
			p.stdin, p.stdinT, p.stdinBy = c.N, c.T, text(wire.Get(c.Data, "by"))
		} else {
			p.stdout, p.stdoutT = c.N, c.T
		}
	case wire.KindSignal:
		p.signal = c.N
	case wire.KindExit:
		code, _ := wire.Int(wire.Get(c.Data, "code"))
		return exit{code, text(wire.Get(c.Data, "signal")), string(wire.Get(c.Data, "lost")) == "true"}, true
	}
	return exit{}, false
}

// asked says whether a signal asked the process to end. One that minds the signal
// ends with the code a shell would give it: 128 and the number.
func (e exit) asked() bool {
	switch e.signal {
	case "SIGTERM", "SIGKILL", "SIGINT", "SIGHUP":
		return true
	}
	return e.lost || e.code == 129 || e.code == 130 || e.code == 137 || e.code == 143
}
