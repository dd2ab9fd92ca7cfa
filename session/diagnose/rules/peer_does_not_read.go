package rules

import (
	"strconv"
	"time"

	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

// peerDoesNotRead is about a side that blocks the other by not reading: a write of midwire's
// own has not returned, so it knows.
var peerDoesNotRead = rule("peer-does-not-read", diagnose.Taps, func(c *diagnose.Case) {
	stall := wire.Get(c.Data, "stall")
	if c.Frame.Kind != wire.KindNote || stall == nil {
		return
	}
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(string(wire.Get(stall, name)), 10, 64)
		return n
	}
	of, waits := text(wire.Get(stall, "of")), words.Size(int(number("bytes")))
	took := (time.Duration(number("ms")) * time.Millisecond).Round(time.Second).String()
	f := diagnose.Finding{Message: c.Client() + " does not read the " + of + " of " + c.Server() + " (" + frame(c.N) + "): " +
		waits + " have waited for " + took + " and more, and the server cannot continue while its own writes wait."}
	if text(wire.Get(stall, "by")) == wire.ByServer {
		f.Message = c.Server() + " does not read its stdin (" + frame(c.N) + "): " + waits + " have waited for " + took + "."
		f.Side, f.Severity = diagnose.Server, diagnose.Warning
	}
	c.ReportAs(of, f)
})
