package spawn

import "os"

// Pipe makes a pipe.
func Pipe() (r, w *os.File, err error) { return os.Pipe() }

// Urgent lists the signals that would end us, or that clients send.
func Urgent() []os.Signal { return []os.Signal{os.Interrupt} }

// find finds nothing: here no server is started early.
func find(_, _ string) string { return "" }

// Forwarded lists the signals that are passed on.
func Forwarded() (usual, rare []os.Signal) { return Urgent(), nil }
