// Package nats keeps the sessions of the hub in NATS JetStream, so that several
// hubs on several machines share them, and know of each other.
package nats

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"midwire/intercept/hub/registry"
)

// patience is how long an operation may take.
const patience = 5 * time.Second

// Store is a registry.Store in a key-value bucket. What is deleted leaves a marker,
// which the bucket drops after a day.
type Store struct {
	conn *nats.Conn
	js   jetstream.JetStream
	kv   jetstream.KeyValue

	replicas int
}

// Open connects to an address of Dial, in which NAME is the bucket, and makes the
// bucket if it is not there.
func Open(ctx context.Context, address string) (*Store, error) {
	conn, bucket, replicas, err := Dial(address, "midwire hub")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if bucket == "" {
		bucket = "midwire-hub"
	}
	s := &Store{conn: conn, replicas: replicas}
	if s.js, err = jetstream.New(s.conn); err == nil {
		s.kv, err = s.bucket(ctx, jetstream.KeyValueConfig{
			Bucket: bucket, Description: "sessions of midwire hub", History: 1, LimitMarkerTTL: 24 * time.Hour,
		})
	}
	if err != nil {
		s.conn.Close()
		return nil, fmt.Errorf("store: bucket %s: %w", bucket, err)
	}
	return s, nil
}

// Dial connects to nats://[USER[:PASSWORD]@]HOST[:PORT][,HOST…][/NAME] (or tls://).
// Parameters: creds, a file of credentials; replicas, how many servers keep what is
// created. The connection is made again whenever it is lost. as is what the server
// calls the client.
func Dial(address, as string, more ...nats.Option) (conn *nats.Conn, name string, replicas int, err error) {
	servers, name, q, err := Split(address)
	if err != nil {
		return nil, "", 0, err
	}
	replicas = 1
	if n := q.Get("replicas"); n != "" {
		if replicas, err = strconv.Atoi(n); err != nil || replicas < 1 {
			return nil, "", 0, fmt.Errorf("replicas is a number, not %q", n)
		}
	}
	options := []nats.Option{nats.Name(as), nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond)}
	options = append(options, more...)
	if file := q.Get("creds"); file != "" {
		options = append(options, nats.UserCredentials(file))
	}
	conn, err = nats.Connect(servers, options...)
	return conn, name, replicas, err
}

// Split takes an address of Dial apart: what the client library knows, the name, and
// parameters.
func Split(address string) (servers, name string, q url.Values, err error) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || scheme != "nats" && scheme != "tls" {
		return "", "", nil, errors.New("the address begins with nats:// or tls://")
	}
	rest, query, _ := strings.Cut(rest, "?")
	hosts, name, _ := strings.Cut(rest, "/")
	q, err = url.ParseQuery(query)
	if err != nil {
		return "", "", nil, fmt.Errorf("parameters: %w", err)
	}
	for key := range q {
		if key != "creds" && key != "replicas" {
			return "", "", nil, fmt.Errorf("there is no parameter %q, only creds and replicas", key)
		}
	}
	return scheme + "://" + strings.ReplaceAll(hosts, ",", ","+scheme+"://"), name, q, nil
}

// bucket opens a bucket, or makes one. One that is there stays as it was made.
func (s *Store) bucket(ctx context.Context, c jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c.Replicas = s.replicas
	kv, err := s.js.CreateKeyValue(ctx, c)
	if errors.Is(err, jetstream.ErrBucketExists) {
		kv, err = s.js.KeyValue(ctx, c.Bucket)
	}
	return kv, err
}

// Get implements registry.Store.
func (s *Store) Get(ctx context.Context, key string) (registry.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e, err := s.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		err = registry.ErrNotFound
	}
	if err != nil {
		return registry.Entry{}, err
	}
	return entry(e), nil
}

// entry is one of the bucket. A marker has no value.
func entry(e jetstream.KeyValueEntry) registry.Entry {
	if e.Operation() != jetstream.KeyValuePut {
		return registry.Entry{Key: e.Key(), Revision: e.Revision()}
	}
	return registry.Entry{Key: e.Key(), Value: e.Value(), Revision: e.Revision()}
}

// Put implements registry.Store.
func (s *Store) Put(ctx context.Context, key string, value []byte, seen uint64) (now uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if seen == 0 {
		now, err = s.kv.Create(ctx, key, value)
	} else {
		now, err = s.kv.Update(ctx, key, value, seen)
	}
	if errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		err = registry.ErrConflict
	}
	return now, err
}

// Delete implements registry.Store.
func (s *Store) Delete(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.kv.Purge(ctx, key, jetstream.PurgeTTL(24*time.Hour))
}

// List implements registry.Store.
func (s *Store) List(ctx context.Context) ([]registry.Entry, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := s.kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.Stop() }()
	var all []registry.Entry
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return nil, errors.New("store: the connection ended while its keys were read")
			}
			if e == nil { // that was all there is
				return all, nil
			}
			if e.Key() != secretKey {
				all = append(all, entry(e))
			}
		case <-time.After(patience):
			return nil, errors.New("store: its keys do not arrive")
		}
	}
}

// Watch implements registry.Store.
func (s *Store) Watch(ctx context.Context, tell func(registry.Entry)) error {
	w, err := s.kv.WatchAll(ctx, jetstream.UpdatesOnly())
	if err != nil {
		return err
	}
	defer func() { _ = w.Stop() }()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-w.Updates():
			if !ok {
				return nil
			}
			if e != nil && e.Key() != secretKey {
				tell(entry(e))
			}
		}
	}
}

// Close implements registry.Store.
func (s *Store) Close() error {
	s.conn.Close()
	return nil
}
