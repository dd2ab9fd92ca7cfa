package spawn

import (
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Early is a server that was started before the rest of the program was initialised, so
// that its client does not wait for that: most of what starting midwire takes is spent on
// packages that a proxy does not use, like those of the screen. Until Take its bytes are
// copied and kept.
type Early struct {
	Process *os.Process
	Path    string // what is run
	Command []string
	Began   time.Time
	Parent  int            // our parent, at that time
	Signals chan os.Signal // the usual ones of Forwarded that came since
	// Our ends of the server's pipes or sockets.
	In, Out, Err *os.File

	mu     sync.Mutex
	kept   []piece
	size   int
	taken  chan struct{}
	follow [3]func(Rest) // what continues a copy; set by Take
	writes [3]bool       // bytes that are kept are being written
}

// The copies: client to server, server to client, and the server's standard error.
const (
	Up = iota
	Down
	Diag
)

// Rest is where a copy was taken over.
type Rest struct {
	Read     []byte // read, and not kept or written
	ReadErr  error  // of the same read
	WriteErr error  // of the write before it
}

type piece struct {
	of   int
	t    time.Time
	data []byte
}

const (
	readSize  = 64 << 10 // what a pipe holds
	keepLimit = 4 << 20  // then the copies wait for Take
)

// early is made before main and before most packages: this one imports little, and
// those that are ready are initialised in the order of their paths. Whatever program
// imports it is midwire, or a test that acts as midwire.
var early = begin()

// Started returns the server that was started early for a command, nil for none. The
// caller must Take it. A second call returns nil.
func Started(command []string) *Early {
	e := early
	if e == nil || !slices.Equal(e.Command, command) {
		return nil
	}
	early = nil
	return e
}

// Plain is the command of a proxy without any flag that matters to its server: as clients
// are configured, and as exec and wrap start it. nil for anything else. The program's name
// is not among args.
func Plain(args []string) []string {
	for i, arg := range args {
		switch {
		case begins(arg, "--label="), begins(arg, "--flow="):
		case arg == "--":
			return args[i+1:]
		default:
			return nil
		}
	}
	return nil
}

func begins(s, with string) bool { return len(s) >= len(with) && s[:len(with)] == with }

// begin starts the server of a plain proxy. What fails here is left to be tried, and told,
// once there is everything to tell it with.
func begin() *Early {
	if len(os.Args) == 0 {
		return nil
	}
	command := Plain(os.Args[1:])
	if len(command) == 0 {
		return nil
	}
	path := find(command[0], os.Getenv("PATH"))
	if path == "" {
		return nil
	}
	// The first timer takes descriptors, and the process dies where none are
	// left. That must not happen behind the start of the server.
	time.AfterFunc(time.Hour, func() {}).Stop()
	e := &Early{Command: command, Path: path, Began: time.Now(), Parent: os.Getppid(), taken: make(chan struct{})}
	errs, theirs, err := Like(os.Stderr)
	if err != nil {
		return nil
	}
	// The server dies with the thread that started it: this one, which is locked to
	// the process's first until main runs, has to stay.
	runtime.LockOSThread()
	e.Err = errs
	e.Process, e.In, e.Out, err = Start(e.Path, command, "", nil, os.Stdin, os.Stdout, theirs)
	theirs.Close()
	if err != nil {
		runtime.UnlockOSThread()
		for _, f := range []*os.File{e.In, e.Out, e.Err} {
			f.Close() // nil is no trouble
		}
		return nil
	}
	go e.copy(Up, os.Stdin, e.In)
	// Only now: what was ignored when we were started, the server has inherited. And it
	// takes about as long as to start a process. A client that has heard of the server
	// may signal it: what the server writes waits for this.
	usual, _ := Forwarded()
	e.Signals = make(chan os.Signal, 64)
	signal.Notify(e.Signals, usual...)
	go e.copy(Diag, e.Err, os.Stderr)
	go e.copy(Down, e.Out, os.Stdout)
	return e
}

// copy forwards until it is taken over.
func (e *Early) copy(of int, src, dst *os.File) {
	buf := make([]byte, readSize)
	for {
		if follow := e.next(of); follow != nil {
			follow(Rest{})
			return
		}
		n, err := src.Read(buf)
		follow, full := e.keep(of, buf[:n])
		if follow != nil {
			follow(Rest{Read: buf[:n], ReadErr: err})
			return
		}
		var failed error
		if n > 0 {
			_, failed = dst.Write(buf[:n])
		}
		if err != nil || failed != nil || full {
			<-e.taken
			e.next(of)(Rest{ReadErr: err, WriteErr: failed})
			return
		}
	}
}

// next says that what was read is written, and who goes on, nil for the copy itself.
func (e *Early) next(of int) func(Rest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.writes[of] = false
	return e.follow[of]
}

// keep keeps what was read, before it is written: otherwise an answer could come before
// its question. If someone has taken over, it returns who, and keeps nothing.
func (e *Early) keep(of int, b []byte) (follow func(Rest), full bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if follow = e.follow[of]; follow != nil {
		return follow, false
	}
	if len(b) > 0 {
		e.kept = append(e.kept, piece{of, time.Now(), slices.Clone(b)})
		e.size += len(b)
		e.writes[of] = true
	}
	return nil, e.size > keepLimit
}

// Take hands over: put gets what was copied so far, in its order, and follow[i] is called
// in a goroutine of its own to continue copy i, behind what it still writes. busy is
// called for those that write at this time.
func (e *Early) Take(put func(of int, t time.Time, data []byte), busy func(of int), follow [3]func(Rest)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.kept {
		put(p.of, p.t, p.data)
	}
	for of, writes := range e.writes {
		if writes {
			busy(of)
		}
	}
	e.kept, e.follow = nil, follow
	close(e.taken)
}
