//go:build !unix

package intercept

import (
	"context"
	"net"
	"os"
)

// newSource returns the source of a connection.
func newSource(c net.Conn, _ *buffers) source { return newReader(c, smallRead) }

// mapped returns no memory: a long unit is collected in parts.
func mapped(int) (room []byte, free func()) { return nil, nil }

// UntilHungUp is ctx: a console that is closed ends its programs.
func UntilHungUp(ctx context.Context, _ *os.File) context.Context { return ctx }
