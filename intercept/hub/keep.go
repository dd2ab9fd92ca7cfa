package hub

import (
	"context"
	"encoding/json"
	"time"

	"midwire/intercept/hub/registry"
)

func (h *Hub) isStale(rec *registry.Session, now time.Time) bool {
	return h.Timeout > 0 && now.Sub(rec.Accessed) > h.Timeout
}

// reap ends the sessions that no one has used for long, until ctx ends.
func (h *Hub) reap(ctx context.Context) {
	if h.Timeout <= 0 {
		return
	}
	look := time.NewTicker(max(min(h.Timeout/10, time.Minute), time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			h.reapOnce(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// reapOnce ends what is stale in the store. A session with a request under way is
// not, and one that another hub uses has been saved there.
func (h *Hub) reapOnce(ctx context.Context) {
	all, err := h.sessions.List(ctx)
	if err != nil {
		h.Log.Error("sessions not read", "error", err.Error())
		return
	}
	for _, rec := range all {
		if !h.isStale(rec, h.now()) {
			continue
		}
		if s := h.running(rec.ID); s != nil {
			if s.inUse() {
				s.save()
				continue
			}
			h.count.expired.Add(1)
			h.endSession(ctx, s)
			continue
		}
		h.count.expired.Add(1)
		if err := h.sessions.Delete(ctx, rec.ID); err == nil {
			h.Log.Info("session ends", "session", short(rec.ID), "why", "unused")
		}
	}
}

// inUse reports whether the session was used since it was kept last.
func (s *session) inUse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy > 0 {
		s.rec.Accessed = s.hub.now()
	}
	return !s.hub.isStale(&s.rec, s.hub.now())
}

// watch ends what another hub has ended or taken over, until ctx ends.
func (h *Hub) watch(ctx context.Context) {
	err := h.Store.Watch(ctx, func(e registry.Entry) {
		s := h.running(e.Key)
		if s == nil {
			return
		}
		if e.Value == nil {
			h.wg.Go(func() { h.remove(s, false) })
			return
		}
		var rec registry.Session
		if json.Unmarshal(e.Value, &rec) == nil && rec.Hub != "" && rec.Hub != h.name {
			h.lose(s)
		}
	})
	if err != nil && ctx.Err() == nil {
		h.Log.Error("the store is not watched", "error", err.Error())
	}
}
