package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"midwire/intercept/hub/plan"
)

// Session is what is kept of a session: enough to begin its servers again as they
// were begun. Keys and tokens that came with it are not kept, only their names.
type Session struct {
	ID       string    `json:"id"`
	Created  time.Time `json:"created"`
	Accessed time.Time `json:"accessed"`
	// Shared: the clients that look alike have it together. Its id is derived from
	// what they look like, and is no name by which one may get it.
	Shared bool `json:"shared,omitempty"`
	// Route is the server that the session is with alone, "" when it is with all.
	Route    string                  `json:"route,omitempty"`
	Params   json.RawMessage         `json:"params"` // of the handshake, as the client gave them
	Version  string                  `json:"version,omitempty"`
	Dir      string                  `json:"dir,omitempty"`
	Contexts map[string]plan.Context `json:"contexts,omitempty"`
	// Credential is a hash of the Authorization with which it began.
	Credential string `json:"credential,omitempty"`
	// Given are the names of the variables that came with the session.
	Given []string `json:"given,omitempty"`
	// Servers is what is kept of its servers, by name.
	Servers map[string]Server `json:"servers,omitempty"`
	// Hub is the process that had it last.
	Hub string `json:"hub,omitempty"`
}

// Server is what is kept of a server that was begun for a session.
type Server struct {
	// Handle is the id of the session that a remote one has with the hub, Temporary
	// whether the hub made it up because the server wanted one and issued none.
	Handle    string `json:"handle,omitempty"`
	Temporary bool   `json:"temporary,omitempty"`
	// Greeting is the result of its handshake.
	Greeting json.RawMessage `json:"greeting,omitempty"`
}

// Registry keeps sessions in a store. Any goroutine may call its methods.
type Registry struct{ Store Store }

// Load returns a session with the revision to be given to Save; ErrNotFound when
// there is none.
func (r Registry) Load(ctx context.Context, id string) (*Session, uint64, error) {
	if !validKey(id) {
		return nil, 0, ErrNotFound
	}
	e, err := r.Store.Get(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	s, err := read(e)
	return s, e.Revision, err
}

// Save writes a session, and returns its new revision. One that its own hub has
// changed meanwhile is written over. One that another hub has now is not, nor one
// that was deleted: then the error is ErrTaken or ErrNotFound.
func (r Registry) Save(ctx context.Context, s *Session, seen uint64) (uint64, error) {
	for {
		now, err := r.Claim(ctx, s, seen)
		if !errors.Is(err, ErrConflict) {
			return now, err
		}
		there, latest, err := r.Load(ctx, s.ID)
		if err != nil {
			return 0, err
		}
		if there.Hub != s.Hub && there.Hub != "" {
			return 0, ErrTaken
		}
		seen = latest
	}
}

// Claim writes a session that no one has changed since this revision, and returns
// its new one, else ErrConflict. So one of several hubs takes it over.
func (r Registry) Claim(ctx context.Context, s *Session, seen uint64) (uint64, error) {
	value, err := json.Marshal(s)
	if err == nil && len(value) > maxValue {
		err = fmt.Errorf("session %s has %d bytes to be kept, more than %d", s.ID, len(value), maxValue)
	}
	if err != nil {
		return 0, err
	}
	return r.Store.Put(ctx, s.ID, value, seen)
}

// Delete removes a session.
func (r Registry) Delete(ctx context.Context, id string) error { return r.Store.Delete(ctx, id) }

// List returns all sessions.
func (r Registry) List(ctx context.Context) ([]*Session, error) {
	entries, err := r.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]*Session, 0, len(entries))
	for _, e := range entries {
		s, err := read(e)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// maxValue bounds what is kept of a session, and what is read of another hub's.
const maxValue = 32 << 20

func read(e Entry) (*Session, error) {
	if len(e.Value) > maxValue {
		return nil, fmt.Errorf("session %s in the store has %d bytes, more than %d", e.Key, len(e.Value), maxValue)
	}
	s := &Session{}
	if err := json.Unmarshal(e.Value, s); err != nil {
		return nil, fmt.Errorf("session %s in the store: %w", e.Key, err)
	}
	return s, nil
}

// validKey reports whether an id, which may come from anyone, can be a key.
func validKey(id string) bool {
	for _, c := range []byte(id) {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return id != "" && len(id) <= 128
}
