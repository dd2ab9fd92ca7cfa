package pace

import "time"

const (
	turn    = 8 << 10 // how much is done in one go, in bytes
	unit    = 512     // what looking at something costs besides its bytes
	soon    = 2 * time.Millisecond
	catchUp = 256 << 10 // how much is done in one go after the processor was kept longer
)

// Work is work that nobody waits for, done by one goroutine in the process that also
// carries traffic. The system lets a busy thread run for milliseconds; whoever has
// something to forward would have to wait for it.
type Work struct{ done int }

// Did says that a unit of work is done, and that it was about so many bytes. From time
// to time it gives the processor to whoever waits for it. Who forwards gives it back soon;
// to a program that computes it is given less often, else the work would not get on.
func (w *Work) Did(bytes int) {
	if w.done += unit + bytes; w.done < turn {
		return
	}
	began := time.Now()
	yield()
	if w.done = 0; time.Since(began) > soon {
		w.done = -catchUp
	}
}
