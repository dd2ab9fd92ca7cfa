package gating

import (
	"context"
	"fmt"
	"path/filepath"

	"midwire/intercept/gate"
	"midwire/ui/gating"
)

// Control makes the socket of a gate, where somebody asked for one: its address is for
// the header of the recording, and serve runs until it is closed.
func (e *Env) Control(g *gate.Gate, asked bool, trouble func(error)) (s *gate.Socket, serve func()) {
	if !asked {
		return &gate.Socket{}, func() {}
	}
	dir, err := e.Folder()
	if err != nil {
		trouble(fmt.Errorf("warning: control socket: %w. The proxy runs without a gate to control", err))
		return &gate.Socket{}, func() {}
	}
	s = gate.NewSocket(filepath.Join(filepath.Dir(dir), "gate"))
	return s, func() {
		if err := s.Serve(g); err != nil {
			trouble(fmt.Errorf("warning: %w. The proxy runs without a gate to control", err))
		}
	}
}

// Attach becomes a controller of the gate with that control socket, until ctx ends.
func Attach(ctx context.Context, address string) (gating.Controller, error) {
	c, err := gate.Reach(address)
	if err != nil {
		return nil, err
	}
	return c.Attach(ctx)
}
