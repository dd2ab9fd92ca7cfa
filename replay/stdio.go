package replay

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"midwire/intercept"
	"midwire/session/record"
)

// graceAtEnd is how long a stdio server may take to end after its input was
// closed, and again after it was asked to end.
const graceAtEnd = 3 * time.Second

// stdioPeer is a server on pipes, with a tap in between.
type stdioPeer struct {
	run  *run
	lane *lane
	in   *os.File      // to the tap
	out  chan []byte   // closed by the driver when there is no more to send
	read chan struct{} // closed when the reader has read all
	over chan struct{} // closed when the tap has ended
	stop chan struct{} // closed to end the server
	shut bool          // out is closed
	path string        // of the recording, "" for none
}

// connectStdio starts the target's command behind a tap.
func (r *run) connectStdio(l *lane) error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	started := time.Now()
	cwd, _ := os.Getwd()
	w := r.opt.Record(record.Header{
		Started: started, Tap: "stdio", Label: r.label(filepath.Base(r.opt.Command[0])),
		Command: record.RedactArgs(r.opt.Command), Cwd: or(r.opt.Dir, cwd),
	})
	p := &stdioPeer{
		run: r, lane: l, in: inW, path: w.Path(),
		out: make(chan []byte, 16), read: make(chan struct{}), over: make(chan struct{}), stop: make(chan struct{}),
	}
	l.peer = p
	if p.path != "" {
		r.Other = append(r.Other, p.path)
	}
	tap := &intercept.Stdio{
		Command: r.opt.Command, Dir: r.opt.Dir, Stdin: inR, Stdout: outW, Stderr: null,
		Started: started, Record: func() *record.Writer { return w }, Env: r.opt.Env, Stop: p.stop,
	}
	go p.runTap(tap)
	go p.write()
	go p.readAll(outR)
	return nil
}

// label names the recording of a replay, and links it to the original.
func (r *run) label(target string) string {
	return "replay of " + or(r.Script.Header.ID, filepath.Base(r.Script.Path)) + ": " + target
}

func (p *stdioPeer) runTap(tap *intercept.Stdio) {
	exit, err := tap.Run()
	text := fmt.Errorf("the server has ended with exit code %d", exit.Code)
	if err != nil {
		text = err
	}
	// Closed by the tap already, unless a grandchild of the server holds on.
	tap.Stdout.Close()
	tap.Stdin.Close()
	close(p.over)
	<-p.read // its last words come before the news of its end
	p.run.tell(arrival{lane: p.lane, kind: arrivedGone, err: text, step: -1})
}

func (p *stdioPeer) write() {
	defer p.in.Close()
	var err error
	for line := range p.out {
		if err == nil {
			_, err = p.in.Write(append(bytes.TrimRight(line, "\r"), '\n'))
		}
		p.run.tell(arrival{lane: p.lane, kind: arrivedWritten, step: -1})
	}
}

func (p *stdioPeer) readAll(out *os.File) {
	defer close(p.read)
	defer out.Close()
	lines := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			p.run.tell(arrival{lane: p.lane, kind: arrivedMessage, step: -1, payload: line})
		}
		if err != nil {
			return
		}
	}
}

// send queues a line. The driver takes arrivals while the queue is full: a
// server may not read before its own output is read.
func (p *stdioPeer) send(o outgoing) {
	if p.shut {
		return // what a server asks when it is left gets no answer
	}
	line := bytes.ReplaceAll(o.payload, []byte{'\n'}, nil) // a line is a message
	for {
		select {
		case p.out <- line:
			return
		case a := <-p.run.arrivals:
			p.run.handle(a)
		case <-p.over:
			return
		case <-p.run.ctx.Done():
			return
		}
		if p.shut {
			return
		}
	}
}

func (p *stdioPeer) stream(outgoing) {}
func (p *stdioPeer) remove(outgoing) {}

// leave cancels the calls of a step: on stdio there is no stream to close
// (2026-07-28, 6.8).
func (p *stdioPeer) leave(step int32) {
	s := &p.run.Script.Steps[step]
	for call := s.First; call < s.First+s.Count; call++ {
		f, ok := p.run.flying[call]
		if ok && p.run.Script.Sessions[s.Session].Modern {
			p.send(outgoing{step: -1, payload: []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + f.id + `}}`)})
		}
	}
}

// close ends the server as a client does: its input is closed, then it is asked
// to end, then it is ended.
func (p *stdioPeer) close(r *run, l *lane) {
	close(p.out)
	p.shut = true
	if p.wait(graceAtEnd) {
		return
	}
	r.problem(int32(l.number), "the server did not end after its input was closed; it was ended")
	close(p.stop) // the tap asks, and then kills what is left of it
	p.wait(graceAtEnd)
}

// wait waits for the tap to end and takes what still arrives.
func (p *stdioPeer) wait(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-p.over:
			return true
		case a := <-p.run.arrivals:
			p.run.handle(a)
		case <-timer.C:
			return false
		}
	}
}
