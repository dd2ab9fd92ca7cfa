//go:build !linux

package forward

import "net"

// ours says no: browsers of other systems do not read variables for proxies.
func ours(net.Conn) bool { return false }
