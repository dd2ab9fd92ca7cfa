package pace

const (
	turn = 8 << 10 // how much is done in one go, in bytes
	unit = 512     // what looking at something costs besides its bytes
)

// Work is work that nobody waits for, done by one goroutine in the process that also
// carries traffic. The system lets a busy thread run for milliseconds; whoever has
// something to forward would have to wait for it.
type Work struct{ done int }

// Did says that a unit of work is done, and that it was about so many bytes. From time
// to time it gives the processor to whoever waits for it.
func (w *Work) Did(bytes int) {
	if w.done += unit + bytes; w.done >= turn {
		w.done = 0
		yield()
	}
}
