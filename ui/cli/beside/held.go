package beside

import "sync"

// Held keeps what goes wrong until the terminal is ours again. Any goroutine may use it.
type Held struct {
	print func(error)
	mu    sync.Mutex
	all   []error
}

// Hold holds for print.
func Hold(print func(error)) *Held { return &Held{print: print} }

// Keep holds back an error.
func (h *Held) Keep(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, err)
}

// Say prints what is held.
func (h *Held) Say() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, err := range h.all {
		h.print(err)
	}
	h.all = nil
}
