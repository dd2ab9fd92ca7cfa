package rules

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

func sender(c *diagnose.Case) diagnose.Side { return sideOf(c.Dir) }

// sideOf is the side whose messages go that way.
func sideOf(d wire.Dir) diagnose.Side {
	if d == wire.ToServer {
		return diagnose.Client
	}
	return diagnose.Server
}

// about names a call within a sentence: method, target and frame.
func about(call *diagnose.Call) string {
	if call.Target == "" {
		return call.Method + " (" + frame(call.N) + ")"
	}
	return call.Method + " " + quote(call.Target) + " (" + frame(call.N) + ")"
}

func overStdio(c *diagnose.Case) bool {
	return c.Session != nil && c.Session.Transport == session.TransportStdio
}

// assigned says whether the session in hand is distinguished from others for
// certain: one process, or an id that the server gave out. Others are grouped
// by what their requests have in common, and may be several.
func assigned(c *diagnose.Case) bool {
	if c.Session == nil {
		return false
	}
	switch c.Session.IDSource {
	case session.IDServer, session.IDReplaced, session.IDEndpoint:
		return true
	}
	return overStdio(c)
}

// complete says that the session was seen from its beginning, and nothing of it
// is missing: what is not there was never sent.
func complete(c *diagnose.Case) bool {
	return c.Facts != nil && !c.Blind() && (c.Facts.Init != nil || c.Session.Modern)
}

// stray says whether the response in hand responses nothing.
func stray(c *diagnose.Case) bool {
	return c.Call == nil && c.Row >= 0 && c.Tracker().Row(int(c.Row)).Kind == session.RowResponse
}

// lookBack bounds how many rows a rule looks at to explain something rare, and
// lookOften how often in a session it does.
const (
	lookBack  = 20000
	lookOften = 200
)

// budget counts how often a rule has looked back.
type budget struct{ spent int }

func (b *budget) spend() bool {
	b.spent++
	return b.spent <= lookOften
}

// latest returns the latest row that fits among those that share ids with the
// message in hand, nil for none: on stdio all of the recording, else those of
// the session. The row of the message itself is left out.
func latest(c *diagnose.Case, fits func(*session.Row) bool) *session.Row {
	if overStdio(c) {
		for i, r := range c.Latest(lookBack) {
			if int32(i) != c.Row && fits(r) {
				return r
			}
		}
		return nil
	}
	rows := c.Session.Rows()
	for i := len(rows) - 1; i >= 0 && i >= len(rows)-lookBack; i-- {
		if r := c.Tracker().Row(int(rows[i])); int32(rows[i]) != c.Row && fits(r) {
			return r
		}
	}
	return nil
}

// latestCall returns the latest call of that direction that has an id which
// fits.
func latestCall(c *diagnose.Case, d wire.Dir, fits func(r *session.Row, id string) bool) *session.Row {
	return latest(c, func(r *session.Row) bool {
		return r.Kind == session.RowCall && r.Dir == d && fits(r, c.Tracker().Name(r.ID))
	})
}

// noID says whether a response carries no id that a peer could use.
func noID(c *diagnose.Case) bool {
	return len(c.Message.ID) == 0 || string(c.Message.ID) == "null"
}

// otherType says whether two JSON-RPC ids are the same but for their JSON
// type or spelling: "1", 1 and 1.0.
func otherType(a, b string) bool {
	if a == b || a == "" || b == "" || a == "null" || b == "null" {
		return false
	}
	a, b = strings.Trim(a, `"`), strings.Trim(b, `"`)
	if a == b {
		return true
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y
}

func errorCode(c *diagnose.Case) int64 {
	n, _ := wire.Int(wire.Get(c.Message.Error, "code"))
	return n
}

func errorText(c *diagnose.Case) string { return text(wire.Get(c.Message.Error, "message")) }

// raw shows JSON from the wire within a sentence as it is written, so that "1"
// and 1 look different.
func raw[T string | []byte](json T) string {
	const most = 80
	if len(json) > most {
		return string(words.Clip(json, most)) + "…"
	}
	return string(json)
}

// seconds writes nanoseconds as a person would say them.
func seconds(ns int64) string {
	s := float64(ns) / 1e9
	if s < 10 {
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	}
	return strconv.FormatFloat(s, 'f', 0, 64) + " s"
}

// softBefore2025June returns Warning for protocol versions that only say SHOULD of what later ones
// demand: those up to 2025-03-26.
func softBefore2025June(c *diagnose.Case) diagnose.Severity {
	if c.ProtocolVersion() < mcp.V20250618 {
		return diagnose.Warning
	}
	return diagnose.Error
}

// waitsElsewhere is the frame of a request of another session that has the id of the
// response in hand and waits, 0 for none.
func waitsElsewhere(c *diagnose.Case, id string) uint64 {
	for _, s := range c.Sessions() {
		if s.Index == c.Session.Index || s.Pending == 0 {
			continue
		}
		for _, d := range c.Ledger.Open(s.Index) {
			if d.Kind != ledger.Response || d.Owes != c.Dir {
				continue
			}
			own := c.Tracker().Name(c.Tracker().Row(int(d.Row)).ID)
			if wire.ID([]byte(own)) == wire.ID([]byte(id)) {
				return d.N
			}
		}
	}
	return 0
}
