//go:build !unix

package intercept

import "net"

// newSource returns the source of a connection.
func newSource(c net.Conn, _ *buffers) source { return newReader(c, smallRead) }
