package record

import (
	"errors"

	"midwire/session/wire"
)

// orders takes the requests and errors that other goroutines left.
func (w *Watch) orders() (n wire.Batch, nudged bool, err error) {
	w.mu.Lock()
	asked, also, failed, nudged, closed := w.asked, w.also, w.failed, w.nudged, w.closed
	w.asked, w.also, w.failed, w.nudged = nil, nil, nil, false
	w.mu.Unlock()
	for _, path := range also {
		if errors.Is(w.add(path), errNoHeader) { // it is being created
			w.Add(path)
		}
	}
	if closed {
		return n, nudged, errors.New("recordings are no longer watched")
	}
	for _, id := range asked {
		if f := w.known[id]; f != nil && !f.hidden {
			w.follow(f)
		}
	}
	n.Err = failed
	return n, nudged, nil
}

// order changes what Next shall take up, and ends its waiting.
func (w *Watch) order(change func()) {
	w.mu.Lock()
	change()
	w.mu.Unlock()
	select {
	case w.ordered <- struct{}{}:
	default:
	}
}

// Open asks for the frames of a recording that is listed. It does not wait for
// them.
func (w *Watch) Open(id string) {
	w.order(func() { w.asked = append(w.asked, id) })
}

// Add follows one more file, where given files are followed. In a directory
// new ones are found anyway.
func (w *Watch) Add(path string) {
	if w.dir != "" || path == "" {
		return
	}
	w.order(func() { w.also = append(w.also, path) })
}

// Report puts an error into the next batch: a tap in this process has something
// to say.
func (w *Watch) Report(err error) {
	w.order(func() { w.failed = errors.Join(w.failed, err) })
}

// Nudge makes Next return soon, also when there is no news of recordings.
func (w *Watch) Nudge() {
	w.order(func() { w.nudged = true })
}
