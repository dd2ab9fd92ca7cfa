package reload

import (
	"bytes"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// state is what a Keeper is doing.
type state int

const (
	serving  state = iota // lines pass
	stopping              // the process is asked to end, and another one follows
	greeting              // the new process has initialize, and has not answered
	down                  // there is no process: the last one failed
	leaving               // the client has left, or the server was asked to end
	over
)

// Keeper is the server of one client, whatever process it is.
type Keeper struct {
	opt  Options
	in   chan piece // of the client; closed with its input
	gone chan struct{}
	asks chan string // to restart, and why
	out  chan own    // to the client; closed at the end
	done chan struct{}
	how  end

	mu    sync.Mutex // guards child for Signal and Kill
	child *running
	final atomic.Bool // the server was asked to end, and not by us

	started atomic.Int64 // when the process was, in Unix nanoseconds
	spoke   atomic.Bool  // the process has said something since what descends from it was noted

	rest []byte // a line that has begun; of Write

	// Of the loop.
	is    state
	up    []piece // what is to be written to the process
	down  []own
	hello []byte // initialize, for a process that has not got it
	why   string // of the restart
	again string // of one that was asked for meanwhile
	fault string // why a process cannot be used
	asked bool   // the process was sent SIGTERM
	torn  bool   // the client's line has lost its beginning
	mid   bool   // a part of a line was passed to the client
	timer *time.Timer
	quiet <-chan time.Time // when an ended process has nothing more to say
	pause time.Duration
	until time.Time // no start before
	talk  talk
}

// own is a piece for the client. tell is called before it is forwarded.
type own struct {
	piece
	tell func()
}

// New keeps a server whose first process runs.
func New(opt Options, first *Process) *Keeper {
	k := &Keeper{
		opt: opt, in: make(chan piece), gone: make(chan struct{}), asks: make(chan string, 1),
		out: make(chan own), done: make(chan struct{}), child: watchOver(first),
		timer: time.NewTimer(time.Hour), pause: leastPause,
	}
	k.timer.Stop()
	k.started.Store(time.Now().UnixNano())
	go k.loop()
	if len(opt.Watch) > 0 {
		go k.watch()
	}
	return k
}

// Restart restarts the server, and is done before that is.
func (k *Keeper) Restart(why string) error {
	select {
	case <-k.done:
		return errors.New("the server has ended")
	case k.asks <- why:
	default: // one that was asked for is not done yet
	}
	return nil
}

// Write takes what the client says. It waits while the server is restarted.
func (k *Keeper) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n') + 1
		whole := n > 0
		if !whole {
			n = len(rest)
		}
		k.rest, rest = append(k.rest, rest[:n]...), rest[n:]
		if !whole && len(k.rest) < largestLine {
			break
		}
		if !k.take(piece{k.rest, whole}) {
			return 0, io.ErrClosedPipe
		}
		k.rest = nil
	}
	return len(b), nil
}

func (k *Keeper) take(p piece) bool {
	select {
	case k.in <- p:
		return true
	case <-k.done:
		return false
	}
}

// Leave is the end of the client's input. It comes behind the last Write.
func (k *Keeper) Leave() {
	close(k.gone)
	if len(k.rest) > 0 {
		k.take(piece{k.rest, false})
	}
	close(k.in)
}

// Next returns what the client is to get, and io.EOF behind the last of it.
func (k *Keeper) Next() ([]byte, error) {
	o, more := <-k.out
	if !more {
		return nil, io.EOF
	}
	if o.tell != nil {
		o.tell()
	}
	return o.data, nil
}

// Signal sends a signal to the process that runs.
func (k *Keeper) Signal(sig os.Signal) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.child == nil {
		return os.ErrProcessDone
	}
	return k.child.Signal(sig)
}

// Final says that the server was asked to end: no other process follows.
func (k *Keeper) Final() {
	k.final.Store(true)
	_ = k.Restart("") // it looks up
}

// Kill ends the server for good.
func (k *Keeper) Kill() {
	k.Final()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.child != nil {
		k.child.Kill()
	}
}

// Wait waits until the last process has ended, and returns how.
func (k *Keeper) Wait() (*os.ProcessState, error) {
	<-k.done
	return k.how.state, k.how.err
}

func (k *Keeper) loop() {
	runtime.LockOSThread() // a process may die with the thread that started it
	defer close(k.out)
	for k.is != over {
		k.step()
	}
	close(k.done)
	k.opt.Done()
	for _, o := range k.down {
		k.out <- o
	}
}

// step waits for the next event. What one side says is taken only when the other has
// taken what came before: so no side fills our memory, and none waits for itself.
func (k *Keeper) step() {
	var in, fromChild chan piece
	var toChild chan []byte
	var toClient chan own
	var ended chan end
	var nextUp []byte
	var nextDown own
	c := k.child
	if k.is == serving && len(k.up) == 0 || k.is == down {
		in = k.in
	}
	if c != nil && !c.over {
		ended = c.ended
	}
	if c != nil && len(k.down) == 0 {
		fromChild = c.out
	}
	switch {
	case c == nil:
	case k.hello != nil:
		toChild, nextUp = c.in, k.hello
	case len(k.up) > 0 && (k.is == serving || k.is == leaving):
		toChild, nextUp = c.in, k.up[0].data
	}
	if toChild != nil {
		k.note()
	}
	if len(k.down) > 0 {
		toClient, nextDown = k.out, k.down[0]
	}
	gone := k.gone
	if k.is == leaving || k.is == serving { // there, the end of in says so
		gone = nil
	}
	select {
	case p, more := <-in:
		if more {
			k.fromClient(p)
		} else {
			k.leave()
		}
	case <-gone:
		k.leave()
	case toChild <- nextUp:
		k.written()
	case toClient <- nextDown:
		k.down = k.down[1:]
	case p, more := <-fromChild:
		k.fromServer(p, more)
	case how := <-ended:
		c.over, c.how = true, how
		k.quiet = time.After(silence)
	case <-k.quiet:
		k.gather()
	case why := <-k.asks:
		k.restart(why)
	case <-k.timer.C:
		k.onTimer()
	}
}
