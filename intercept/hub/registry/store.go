// Package registry keeps what the hub knows of its sessions, so that another
// process can continue with them: after a restart, or beside this one.
package registry

import (
	"context"
	"errors"
)

// Store keeps values by key. Every change of a value gives it a greater revision,
// so that two writers notice each other. Any goroutine may call its methods.
//
// Keys are letters, digits, "-" and "_". Values are JSON on one line.
type Store interface {
	// Get returns the value of a key, or ErrNotFound.
	Get(ctx context.Context, key string) (Entry, error)
	// Put writes a value whose latest revision the caller has seen, 0 for a key
	// that is not there, and returns the new one. ErrConflict: someone else was
	// faster.
	Put(ctx context.Context, key string, value []byte, seen uint64) (uint64, error)
	// Delete removes a key. One that is not there is no error.
	Delete(ctx context.Context, key string) error
	// List returns all entries, in no order.
	List(ctx context.Context) ([]Entry, error)
	// Watch calls tell with every change by anyone from now on, until ctx ends;
	// then it returns nil. An entry without a value was deleted. A change that
	// another one of the same key has overtaken may be left out.
	Watch(ctx context.Context, tell func(Entry)) error
	// Close ends the use of the store. What it keeps stays.
	Close() error
}

// Entry is a key with its value. Who gets one may not change it.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64
}

var (
	// ErrNotFound: there is no such key.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the value is another one than the caller has seen.
	ErrConflict = errors.New("changed by another process meanwhile")
	// ErrTaken: another hub has the session now.
	ErrTaken = errors.New("taken over by another hub")
)
