package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

// exit is how a process ended.
type exit struct {
	code   int64
	signal string
	lost   bool // the tap ended it
}

// exitOf is how the process in hand ended, if it did.
func exitOf(c *diagnose.Case) (exit, bool) {
	if c.Frame.Kind != wire.KindExit {
		return exit{}, false
	}
	code, _ := wire.Int(wire.Get(c.Data, "code"))
	return exit{code, text(wire.Get(c.Data, "signal")), string(wire.Get(c.Data, "lost")) == "true"}, true
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

// killed says whether something other than its client killed the process: midwire passes on
// every signal that it can get, and it cannot get SIGKILL and live.
func (e exit) killed(c *diagnose.Case) bool {
	return (e.signal == "SIGKILL" || e.code == 137) && !e.lost && c.Ledger.Pipes().Signal == 0
}
