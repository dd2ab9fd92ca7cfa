package nats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"midwire/intercept/hub/registry"
)

// How often a hub says that it is there, after which silence it is gone, and how
// lately a hub must have heard itself to judge that of others.
const (
	beat  = time.Second
	gone  = 5 * time.Second
	awake = gone / 2
)

// Bounds of what others write.
const (
	maxMember  = 4 << 10
	maxMembers = 1000
)

// Members are the hubs that share a store. Each writes its address into a bucket
// beside that of the sessions, again and again.
type Members struct {
	kv     jetstream.KeyValue
	name   string // of this one
	secret string
	leave  context.CancelFunc
	over   chan struct{} // closed when the others know that this one has left

	mu   sync.Mutex // guards seen
	seen map[string]member
}

type member struct {
	URL  string `json:"url"`
	last time.Time
}

// Join makes this hub known under a name, at the URL where the others reach it,
// until Leave. It returns when the others that are there are known.
func (s *Store) Join(ctx context.Context, name, url string) (*Members, error) {
	m := &Members{name: name, seen: map[string]member{}, over: make(chan struct{})}
	ctx, m.leave = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	bucket := s.kv.Bucket() + "-instances"
	m.kv, err = s.bucket(ctx, jetstream.KeyValueConfig{Bucket: bucket, Description: "instances of midwire hub", History: 1, TTL: gone})
	if err == nil {
		m.secret, err = s.secret(ctx)
	}
	if err == nil {
		err = m.say(ctx, url)
	}
	if err == nil {
		err = m.follow(ctx)
	}
	if err != nil {
		m.leave()
		return nil, fmt.Errorf("store: bucket %s: %w", bucket, err)
	}
	go func() {
		defer close(m.over)
		every := time.NewTicker(beat)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				_ = m.say(ctx, url) // the next beat may come through
			case <-ctx.Done():
				last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
				defer cancel()
				_ = m.kv.Purge(last, name)
				return
			}
		}
	}()
	return m, nil
}

// Leave takes this hub off the list: its sessions are free for the others at once.
func (m *Members) Leave() {
	m.leave()
	<-m.over
}

// say is one beat.
func (m *Members) say(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	value, err := json.Marshal(member{URL: url})
	if err == nil {
		_, err = m.kv.Put(ctx, m.name, value)
	}
	return err
}

// follow takes in the beats of all hubs, from those on that are in the bucket.
func (m *Members) follow(ctx context.Context) error {
	w, err := m.kv.WatchAll(ctx)
	if err != nil {
		return err
	}
	there := make(chan struct{})
	go func() {
		for e := range w.Updates() {
			if e == nil { // all initial values were delivered
				close(there)
				continue
			}
			m.heard(entry(e))
		}
	}()
	select {
	case <-there:
		return nil
	case <-time.After(patience):
		return errors.New("its keys do not arrive")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// heard notes a beat by the clock of this machine: no two are alike.
func (m *Members) heard(e registry.Entry) {
	var one member
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(e.Value) == 0 || len(e.Value) > maxMember || json.Unmarshal(e.Value, &one) != nil {
		delete(m.seen, e.Key)
		return
	}
	one.last = time.Now()
	m.seen[e.Key] = one
	if len(m.seen) > maxMembers { // those that were killed have not said so
		maps.DeleteFunc(m.seen, func(_ string, other member) bool { return one.last.Sub(other.last) > gone })
	}
}

// URL returns where a hub is reached, "" when it is gone. As long as this hub does
// not hear itself it does not hear anyone, or has no time to, and takes none for gone.
func (m *Members) URL(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.seen[name]
	if time.Since(one.last) > gone && time.Since(m.seen[m.name].last) < awake {
		return ""
	}
	return one.URL
}

// Secret is what the hubs of one store know, and no one else.
func (m *Members) Secret() string { return m.secret }

// secretKey is not a key that a session can have.
const secretKey = "hub.secret"

// secret reads the secret, or makes it when this is the first hub.
func (s *Store) secret(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text := rand.Text()
	_, err := s.kv.Create(ctx, secretKey, []byte(text))
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return text, err
	}
	e, err := s.kv.Get(ctx, secretKey)
	if err != nil {
		return "", err
	}
	return string(e.Value()), nil
}
