package gating

import (
	"context"

	"midwire/intercept/gate"
)

// Gates reaches the gates of proxies that run. It is called from commands, never
// from Update.
type Gates interface {
	// Attach becomes a controller of the gate with that control socket, until ctx
	// ends.
	Attach(ctx context.Context, address string) (Controller, error)
}

// Controller controls one gate. What it armed lives as long as it does: with its
// end, or when nobody calls Next any more, all that it held is released.
type Controller interface {
	// Lease is the name under which it arms.
	Lease() string
	// Next returns what is armed and held when that is news. An error ends it.
	Next() (gate.Snapshot, error)
	// Show returns one held message, whole.
	Show(id int) (gate.Held, error)
	Do(o Order) error
	// Away says that nobody can call Next for a while, and that this is as it should
	// be.
	Away(on bool)
	Close()
}

// Order is what a gate is asked to do. Do is named like the request of the
// control socket.
type Order struct {
	Do         string // arm, disarm, release, release-all, edit, drop, answer, duplicate, inject
	ID         int    // of what is held
	Body       string
	AsReceived bool   // release: forget what was edited
	Head       bool   // edit: the body is that of an HTTP message's head
	ToServer   bool   // inject
	Session    string // inject: "" for the only one
}
