package rules

import (
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
)

var rateLimited = rule("rate-limited", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if !posts(c) || x.Status != 429 && !limited(c) {
		return
	}
	all := made(diagnose.Memory[map[string]pause](c))
	who := x.Header("Authorization") + " " + x.Path
	last, again := all[who]
	f := refusalOf(c)
	by := f.Side
	f.Side = diagnose.Client
	after := strings.TrimSpace(x.ResponseHeader("Retry-After"))
	wait, err := strconv.Atoi(after)
	switch early := again && last.wait > 0 && x.RequestT > last.t && x.RequestT < last.t+int64(last.wait)*1e9; {
	case early:
		f.Severity = diagnose.Error
		f.Message += ". The client was told to wait " + number(last.wait) + " s (" + frame(last.n) + ") and asked again after " + seconds(x.RequestT-last.t)
		advise(&f, "Retry-After not heeded")
		f.Frames = append(f.Frames, last.n)
	case after == "":
		f.Side = max(by, diagnose.Server)
		f.Message += ". It does not say when to try again (no Retry-After)"
		f.Remedies = append(either("send Retry-After, or raise the limit for this client.", diagnose.Server, diagnose.Gateway),
			inClient("send fewer requests at a time, and wait longer after each 429."))
	default:
		f.Severity = diagnose.Note
		f.Message += ", with Retry-After " + quote(after)
	}
	f.Message += "."
	if err != nil || wait < 0 || wait > 1e6 {
		wait = 0
	}
	if again || len(all) < 1024 {
		all[who] = pause{c.T, uint64(x.ResponseN), wait}
	}
	c.ReportAs(f.Severity.String(), f)
})

// limited says whether a 403 is one for too many requests.
func limited(c *diagnose.Case) bool {
	x := c.Exchange
	return x.Status == 403 && (c.Refusal.Means(sdkwords.RateLimited) || x.ResponseHeader("X-RateLimit-Remaining") == "0")
}

// pause is a time to wait, in seconds, that a server asked for.
type pause struct {
	t    int64
	n    uint64
	wait int
}
