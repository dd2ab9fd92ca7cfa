package reload

import (
	"bufio"
	"errors"
	"os"
	"time"
)

// largestLine is how much of a line is kept to be read. What is longer passes in parts,
// which are not read.
const largestLine = 16 << 20

// piece is a line with its terminator, or a part of a line.
type piece struct {
	data  []byte
	whole bool
}

// running is a process with the goroutines at its pipes.
type running struct {
	*Process
	in    chan []byte // to its input; closed by the Keeper
	out   chan piece  // of its output; closed at the end of that
	left  chan struct{}
	ended chan end

	over  bool // it has ended: how is
	how   end
	since time.Time
}

// end is how a process ended.
type end struct {
	state *os.ProcessState
	err   error
}

func (e end) String() string {
	switch {
	case e.err != nil:
		return e.err.Error()
	case e.state == nil:
		return "it never ran"
	}
	return e.state.String()
}

func watchOver(p *Process) *running {
	r := &running{
		Process: p, in: make(chan []byte), out: make(chan piece), left: make(chan struct{}),
		ended: make(chan end, 1), since: time.Now(),
	}
	go write(p.In, r.in)
	go read(p.Out, r.out, r.left)
	go func() {
		state, err := p.Wait()
		r.ended <- end{state, err}
	}()
	return r
}

// write writes until the Keeper closes lines, also to a process that reads no longer.
func write(to *os.File, lines <-chan []byte) {
	defer to.Close()
	var err error
	for line := range lines {
		if err == nil {
			_, err = to.Write(line)
		}
	}
}

// read hands over lines until there are no more, or left is closed.
func read(from *os.File, out chan<- piece, left <-chan struct{}) {
	defer close(out)
	defer from.Close()
	in := bufio.NewReaderSize(from, 64<<10)
	var kept []byte
	for {
		part, err := in.ReadSlice('\n')
		kept = append(kept, part...)
		if errors.Is(err, bufio.ErrBufferFull) && len(kept) < largestLine {
			continue
		}
		if len(kept) > 0 {
			select {
			case out <- piece{kept, err == nil}:
			case <-left:
				return
			}
			kept = nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}
