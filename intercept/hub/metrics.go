package hub

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
)

// counters count what has happened since the hub began. They are read by
// /metrics, which is written by hand: a library would be a dependency for sixty
// lines.
type counters struct {
	sessions, restored, expired atomic.Int64
	calls, failures, dropped    atomic.Int64
}

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

// metrics is the text format of Prometheus, 0.0.4.
func (h *Hub) metrics(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	family := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	for _, c := range []struct {
		name, help string
		value      int64
	}{
		{"midwire_hub_sessions_total", "Sessions that began here.", h.count.sessions.Load()},
		{"midwire_hub_sessions_restored_total", "Sessions that began in another process and went on here.", h.count.restored.Load()},
		{"midwire_hub_sessions_expired_total", "Sessions that ended because they were unused.", h.count.expired.Load()},
		{"midwire_hub_calls_total", "Requests passed on to servers, the hub's own among them.", h.count.calls.Load()},
		{"midwire_hub_failures_total", "Requests that the hub answered because a server could not.", h.count.failures.Load()},
		{"midwire_hub_messages_dropped_total", "Messages without a waiting receiver.", h.count.dropped.Load()},
	} {
		family(c.name, "counter", c.help)
		fmt.Fprintf(&b, "%s %d\n", c.name, c.value)
	}
	all := h.all()
	family("midwire_hub_sessions", "gauge", "Sessions of this process.")
	fmt.Fprintf(&b, "midwire_hub_sessions %d\n", len(all))
	up, pending := map[string]int{}, map[string]int{}
	passed := map[string]int64{}
	for _, s := range all {
		for _, k := range s.backends {
			if is, _ := k.state(); is {
				up[k.part.Name]++
			}
			k.mu.Lock()
			pending[k.part.Name] += len(k.calls)
			passed[k.part.Name] += k.passed
			k.mu.Unlock()
		}
	}
	names := h.names()
	slices.Sort(names)
	family("midwire_hub_servers", "gauge", "Instances that run, by server.")
	for _, n := range names {
		fmt.Fprintf(&b, "midwire_hub_servers{server=%q} %d\n", n, up[n])
	}
	family("midwire_hub_calls_pending", "gauge", "Requests without a response, by server.")
	for _, n := range names {
		fmt.Fprintf(&b, "midwire_hub_calls_pending{server=%q} %d\n", n, pending[n])
	}
	family("midwire_hub_session_messages", "gauge", "Messages to and from the servers of a session that runs.")
	for _, s := range all {
		sum := int64(0)
		for _, k := range s.backends {
			k.mu.Lock()
			sum += k.passed
			k.mu.Unlock()
		}
		fmt.Fprintf(&b, "midwire_hub_session_messages{session=%q} %d\n", short(s.id), sum)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(b.String()))
}
