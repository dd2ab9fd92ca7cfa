package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionIDCharacters = &diagnose.Rule{
	ID: "session-id-characters", On: diagnose.HTTPResponses, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Calls == 0 || x.Status > 299 {
			return
		}
		for i, b := range []byte(x.ResponseHeader(mcp.HeaderSessionID)) {
			if b < 0x21 || b > 0x7e {
				c.Report(diagnose.Finding{
					Message: c.Server() + " assigned the session id " + quote(x.ResponseHeader(mcp.HeaderSessionID)) + " (" + frame(x.ResponseN) + "), whose byte " +
						number(i+1) + " is 0x" + strconv.FormatUint(uint64(b), 16) + ".",
					Frames: headFrames(x),
				})
				return
			}
		}
	},
}
