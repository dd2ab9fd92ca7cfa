package hub

// Reap ends what is stale, at once.
func (h *Hub) Reap() { h.reapOnce(h.ctx) }
