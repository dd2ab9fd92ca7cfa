package cli

import "sync"

// held keeps what goes wrong until the terminal is ours again. Any goroutine may use it.
type held struct {
	print func(error)
	mu    sync.Mutex
	all   []error
}

// keep holds back an error.
func (h *held) keep(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, err)
}

// say prints what is held.
func (h *held) say() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.all {
		h.print(err)
	}
	h.all = nil
}
