package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var tokenInQuery = rule("token-in-query", diagnose.HTTPRequests, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Query == "" || x.Messages == 0 && !isMCP(c) || !strings.Contains("&"+x.Query, "&access_token=") {
		return
	}
	c.Say("", target(x)+" ("+frame(x.RequestN)+") has access_token in its query.", uint64(x.RequestN))
})
