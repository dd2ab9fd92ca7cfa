package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var progressNotIncreasing = &diagnose.Rule{
	ID: "progress-not-increasing", On: diagnose.Notifications, Methods: []string{mcp.NotifyProgress},
	Check: func(c *diagnose.Case) {
		row := c.Tracker().Row(int(c.Row)).Parent
		if row < 0 || c.Exchange != nil && c.Exchange.Header(mcp.HeaderLastEventID) != "" { // a replayed stream
			return
		}
		var progress, token string
		wire.Each(c.Message.Params, func(key, value []byte) bool {
			switch string(key) {
			case "progress":
				progress = string(value)
			case "progressToken":
				token = string(value)
			}
			return true
		})
		value, err := strconv.ParseFloat(progress, 64)
		if err != nil {
			return
		}
		seen := made(diagnose.State[map[int32]step](c)) // by row
		last, again := seen[row]
		if len(seen) >= maxTold {
			clear(seen)
		}
		seen[row] = step{c.N, value, token}
		if !again || last.token != token || value > last.value {
			return
		}
		call := c.Tracker().Row(int(row))
		blameSender(c, "", "reported progress "+raw(progress)+" ("+frame(c.N)+") of "+c.Tracker().Name(call.Name)+" ("+
			frame(call.Request)+") after "+strconv.FormatFloat(last.value, 'f', -1, 64)+" ("+frame(last.n)+").",
			c.N, last.n, uint64(call.Request))
	},
}

// step is the latest progress of a call.
type step struct {
	n     uint64
	value float64
	token string
}

const maxTold = 1024
