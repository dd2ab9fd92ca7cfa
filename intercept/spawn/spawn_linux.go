package spawn

import "syscall"

// ServerDiesWithUs reports whether the server is killed when we are.
const ServerDiesWithUs = true

const lastSignal = 65

// DiesWithUs has the server killed when we are, more exactly the thread that started
// it: a client that kills what it launched means the server.
func DiesWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
