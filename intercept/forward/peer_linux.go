package forward

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// ours reports whether the other end of a connection within this machine is of our
// user. Browsers that a client starts have its variables, and take the proxy of
// them without its password.
func ours(c net.Conn) bool {
	from, to := procAddr(c.RemoteAddr()), procAddr(c.LocalAddr())
	table, _ := os.ReadFile("/proc/net/tcp")
	for line := range strings.Lines(string(table)) {
		// sl local remote st tx:rx tr:when retrnsmt uid …
		if f := strings.Fields(line); len(f) > 7 && from != "" && f[1] == from && f[2] == to {
			return f[7] == strconv.Itoa(os.Getuid())
		}
	}
	return false
}

// procAddr is an address as the kernel writes it, "" for one that is not of IPv4.
func procAddr(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || tcp.IP.To4() == nil {
		return ""
	}
	return fmt.Sprintf("%08X:%04X", binary.NativeEndian.Uint32(tcp.IP.To4()), tcp.Port)
}
