package gating

import (
	"context"

	"midwire/intercept/gate"
)

// Gates reaches the gates of proxies that run: it becomes a controller of the one with
// that control socket, until ctx ends. It is called from commands, never from Update.
type Gates func(ctx context.Context, address string) (Controller, error)

// Controller controls one gate, as gate.Controller does. What it armed lives as long as
// it does: with its end, or when nobody calls Next any more, all that it held is released.
type Controller interface {
	// Lease is the name under which it arms.
	Lease() string
	// Next returns what is armed and held when that is news. An error ends it.
	Next() (gate.Snapshot, error)
	// Show returns one held message, whole.
	Show(id int) (gate.Held, error)
	Do(o gate.Order) error
	// Away says that nobody can call Next for a while, and that this is as it should
	// be.
	Away(on bool)
	Close()
}

// Attach is Gates for the proxies of this machine.
func Attach(ctx context.Context, address string) (Controller, error) {
	c, err := gate.Reach(address)
	if err != nil {
		return nil, err
	}
	return c.Attach(ctx)
}
