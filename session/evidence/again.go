package evidence

import (
	"time"

	"midwire/session/words"
)

// Again is what asking the server again about a request came to. Its text may hold what a peer
// said.
type Again struct {
	N     uint64 // frame of the request
	Says  string
	Side  string // client, server; "" where the request was not answered both ways
	Tries int
	At    time.Time
}

const maxAgain = 2

// again is what came of asking, and what is to be done then.
func (o *of) again() {
	for i := range o.Again[:min(len(o.Again), maxAgain)] {
		a := &o.Again[i]
		l := on(Asked).put("again").at(a.N)
		if !a.At.IsZero() {
			l.put(", " + a.At.Local().Format("2006-01-02 15:04"))
		}
		if a.Tries > 0 {
			l.put(", " + words.CountOf(a.Tries, "try", "tries"))
		}
		l.put(": " + Shorten(one(a.Says), 400))
		next := on(Next).cite(a.N)
		switch a.Side {
		case "":
			l.put(" No side follows.")
		case "server":
			l.put(" Side: the server.")
			next.put("In " + o.server + ": serve that too, then ask again")
		default:
			l.put(" Side: the client.")
			next.put("In " + o.client + ": do otherwise, then ask again")
		}
		o.add(l)
		o.add(next)
	}
}
