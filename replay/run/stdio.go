package run

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"midwire/intercept"
	"midwire/replay"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// graceAtEnd is how long a stdio server may take to end after its input was
// closed, and again after it was asked to end.
const graceAtEnd = 3 * time.Second

type stdioPeer struct {
	run  *run
	conn *connection
	in   *os.File      // to the proxy
	out  chan []byte   // closed by the driver when there is no more to send
	read chan struct{} // closed when the reader has read all
	left chan struct{} // closed when the proxy has ended
	stop chan struct{} // closed to end the server, by
	end  func()        // any goroutine
	shut bool          // out is closed
	path string        // of the recording, "" for none
}

func (r *run) connectStdio(c *connection) error {
	tap := &intercept.Stdio{
		Command: r.opt.Command, Dir: r.opt.Dir, Started: time.Now(), Env: r.opt.Env, MaxUnit: replay.MaxMessage,
	}
	in, out, stderr, err := tap.Pipes()
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	cwd, _ := os.Getwd()
	w := r.opt.Record(record.Header{
		Started: tap.Started, Tap: "stdio", Label: r.label(filepath.Base(r.opt.Command[0])),
		Command: redact.Args(r.opt.Command), Cwd: cmp.Or(r.opt.Dir, cwd),
	})
	p := &stdioPeer{
		run: r, conn: c, in: in, path: w.Path(),
		out: make(chan []byte, 16), read: make(chan struct{}), left: make(chan struct{}), stop: make(chan struct{}),
	}
	p.end = sync.OnceFunc(func() { close(p.stop) })
	c.peer = p
	if p.path != "" {
		r.Other = append(r.Other, p.path)
	}
	tap.Record, tap.Stop = func() *record.Writer { return w }, p.stop
	go p.runProxy(tap)
	go p.write()
	go p.readAll(out)
	go p.readStderr(stderr)
	return nil
}

func (p *stdioPeer) runProxy(tap *intercept.Stdio) {
	exit, err := tap.Run()
	text := fmt.Errorf("the server has ended with exit code %d", exit.Code)
	if err != nil {
		text = err
	}
	close(p.left)
	<-p.read // what it wrote last arrives before its end
	p.run.lost(p.conn, text)
}

func (p *stdioPeer) write() {
	defer p.in.Close()
	var err error
	for line := range p.out {
		if err == nil {
			_, err = p.in.Write(append(bytes.TrimRight(line, "\r"), '\n'))
		}
		p.run.written(p.conn)
	}
}

func (p *stdioPeer) readAll(out *os.File) {
	defer close(p.read)
	defer out.Close()
	defer defect.Recover("the reading of responses", 0, func(d *defect.Defect) {
		p.run.lost(p.conn, d)
		p.end()
	})
	lines := bufio.NewReaderSize(out, 64<<10)
	m := incoming{in: p.run.intake, quit: p.left}
	for {
		line, err := m.readLine(lines)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			p.run.take(p.conn, reply{-1, line, 0, false, time.Now()}, &m)
		}
		if m.drop(); err != nil {
			p.exceeded(err)
			return
		}
	}
}

// readStderr takes what the server says beside the protocol. The proxy records it.
func (p *stdioPeer) readStderr(stderr *os.File) {
	defer stderr.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := stderr.Read(buf)
		if over := p.run.intake.take(n); over != nil {
			p.exceeded(over)
			return
		}
		if err != nil {
			return
		}
	}
}

// exceeded ends a server that sent more than is taken.
func (p *stdioPeer) exceeded(err error) {
	if isLimit(err) {
		p.run.lost(p.conn, err)
		p.end()
	}
}

// send queues a line. The driver takes arrivals while the queue is full: a
// server may not read before its own output is read.
func (p *stdioPeer) send(o outgoing) {
	if p.shut {
		return // what a server requests when it is left gets no response
	}
	line := bytes.ReplaceAll(o.payload, []byte{'\n'}, nil) // a line is a message
	if bytes.IndexByte(line, '\r') >= 0 && wire.Valid(line) {
		line = bytes.ReplaceAll(line, []byte{'\r'}, nil) // which ends a line for some servers
	}
	for {
		select {
		case p.out <- line:
			return
		case a := <-p.run.arrivals:
			p.run.handle(a)
		case <-p.left:
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
		pending, ok := p.run.pending[call]
		if ok && p.run.Script.Sessions[s.Session].Modern {
			p.send(outgoing{step: -1, payload: fmt.Appendf(nil,
				`{"jsonrpc":"2.0","method":"%s","params":{"requestId":%s}}`, mcp.NotifyCancelled, pending.id)})
		}
	}
}

// close ends the server as a client does: its input is closed, then it is asked
// to end, then it is ended.
func (p *stdioPeer) close() {
	close(p.out)
	p.shut = true
	if p.wait(graceAtEnd) {
		return
	}
	p.run.AddProblem(int32(p.conn.number), "the server did not end after its input was closed; it was ended")
	p.end() // the proxy asks, and then kills what is left of it
	p.wait(graceAtEnd)
}

// wait waits for the proxy to end and takes what still arrives.
func (p *stdioPeer) wait(patience time.Duration) bool {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case <-p.left:
			return true
		case a := <-p.run.arrivals:
			p.run.handle(a)
		case <-timer.C:
			return false
		}
	}
}
