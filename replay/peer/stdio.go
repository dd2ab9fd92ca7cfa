package peer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"midwire/intercept"
	"midwire/session/record"
	"midwire/session/record/redact"
)

type stdioPeer struct {
	in    *os.File
	asked Asked
	lines chan []byte   // what it says, closed at its end
	over  chan struct{} // closed when it has ended
	stop  func()        // ends it
	leave func() bool   // with the command
	mute  bool          // it has closed its output
	path  string
}

func (s *Server) start(ctx context.Context, tap *intercept.Stdio, label string, asked Asked) (Peer, error) {
	cwd, _ := os.Getwd()
	tap.Started = time.Now()
	w := s.Record(record.Header{
		Started: tap.Started, Tap: "stdio", Label: label, Command: redact.Args(tap.Command), Cwd: cmp.Or(tap.Dir, cwd),
	})
	in, out, stderr, err := tap.Pipes()
	if err != nil {
		return nil, err
	}
	p := &stdioPeer{
		in: in, path: w.Path(), asked: asked,
		lines: make(chan []byte, 64), over: make(chan struct{}),
	}
	if p.path == "" {
		return nil, errors.New("nothing can be judged without a recording")
	}
	stop := make(chan struct{})
	p.stop = sync.OnceFunc(func() { close(stop) })
	p.leave = context.AfterFunc(ctx, p.stop)
	tap.Record, tap.Stop = func() *record.Writer { return w }, stop
	go func() {
		defer close(p.over)
		_, _ = tap.Run() // that it cannot start shows as its end, and in the recording
	}()
	go func() {
		_, _ = io.Copy(io.Discard, s.intake.reader(stderr))
		p.flooded(s.intake)
		stderr.Close()
	}()
	go p.read(out, s.intake)
	return p, nil
}

func (p *stdioPeer) Leave(context.Context, http.Header) {}

// flooded ends a server that sent more than it may.
func (p *stdioPeer) flooded(in *intake) {
	if in.exceeded() {
		p.stop()
	}
}

func (p *stdioPeer) read(out *os.File, most *intake) {
	defer close(p.lines)
	defer out.Close()
	defer p.flooded(most)
	in := bufio.NewReader(most.reader(out))
	for {
		line, err := readLine(in)
		select {
		case p.lines <- line:
		case <-p.over:
			return
		}
		if err != nil {
			return
		}
	}
}

// readLine reads a line and keeps maxReply bytes of it.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxReply-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Exited says whether the server has ended. One that closes its output is about to.
func (p *stdioPeer) Exited() bool {
	wait := time.Duration(0)
	if p.mute {
		wait = settle
	}
	select {
	case <-p.over:
		return true
	case <-time.After(wait):
		return false
	}
}

// Send writes a line and waits for the response with its id.
func (p *stdioPeer) Send(ctx context.Context, payload []byte, _ http.Header) (Response, error) {
	if !p.write(ctx, payload) {
		return Response{}, nil
	}
	out, more := await(ctx, payload, p.lines, p.asked, func(reply []byte) { p.write(ctx, reply) })
	p.mute = p.mute || !more
	return out, nil
}

// write writes a line, and gives up when the time of ctx is over: a server need not
// read. It is false when nothing can be written any more.
func (p *stdioPeer) write(ctx context.Context, payload []byte) bool {
	until, _ := ctx.Deadline() // the zero time for none
	_ = p.in.SetWriteDeadline(until)
	if _, err := p.in.Write(append(bytes.Clone(payload), '\n')); err != nil {
		p.mute = !errors.Is(err, os.ErrDeadlineExceeded) // it has ended, which Exited says
		return false
	}
	return true
}

func (p *stdioPeer) Close() (string, error) {
	defer p.leave()
	p.in.Close()
	select {
	case <-p.over:
		return p.path, nil
	case <-time.After(settle):
	}
	p.stop()
	select {
	case <-p.over:
		return p.path, nil
	case <-time.After(settle):
		return p.path, fmt.Errorf("the server does not end")
	}
}
