package hub

import "net/http"

// health says how the hub is.
func (h *Hub) health(w http.ResponseWriter, _ *http.Request) {
	running, failed := 0, 0
	all := h.all()
	for _, s := range all {
		for _, b := range s.backends {
			is, reason := b.state()
			if is {
				running++
			} else if reason != "" && b.part.Reason == "" {
				failed++
			}
		}
	}
	writeJSON(w, map[string]any{
		"status": "ok", "hub": h.name, "version": h.Version, "sessions": len(all),
		"servers": map[string]int{"running": running, "failed": failed}, "seconds": int(h.now().Sub(h.began).Seconds()),
	})
}
