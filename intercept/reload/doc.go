// Package reload keeps the client of a stdio server connected while the server is
// restarted. A Keeper stands between the pumps of a proxy and the processes of the
// server, one after another: it passes lines as they are, repeats the client's handshake
// to each new process, and answers what the last one left open.
//
// It has one goroutine with all state, one that reads and one that writes the pipes of
// the running process, and one that looks at the watched files.
package reload

import (
	"os"
	"syscall"
	"time"
)

const terminate = syscall.SIGTERM

// How long a server may take. A restart never follows another without a pause.
const (
	graceAtEnd   = 1500 * time.Millisecond // behind its closed input, and again behind SIGTERM
	graceAtStart = 60 * time.Second        // until it has answered initialize
	silence      = 250 * time.Millisecond  // of the output of a process that has ended
	leastPause   = time.Second             // behind a server that failed; doubled with each that fails
	mostPause    = 30 * time.Second
	mostWait     = 5 * time.Second // for which a request waits rather than fails
)

// mostHeld bounds what is kept for a server that is not there, in messages.
const mostHeld = 256

// Process is one process of the server. Close of In is the end of its input.
type Process struct {
	Pid     int
	In, Out *os.File
	Signal  func(os.Signal) error
	Kill    func() // with all that descend from it
	Wait    func() (*os.ProcessState, error)
	// Note notes what descends from it, and Sweep kills what was noted and outlived it. Note
	// may be called by anyone.
	Note  func()
	Sweep func() (killed int)
}

// Options are what a Keeper needs of its proxy.
type Options struct {
	// Start starts the server again. All calls come from one thread, which lives as
	// long as the Keeper.
	Start func() (*Process, error)
	// Say records a step; what is one of wire.EditReload….
	Say func(what, was, now string)
	// Own is called directly before a line of our own is handed to the pump that
	// forwards to the client: an answer to the request with that id, or, without
	// id, a notification.
	Own func(id []byte)
	// Done is called behind the last process.
	Done func()
	// Watch are globs of files whose change restarts the server, below Dir where they
	// are relative.
	Watch []string
	Dir   string
}
