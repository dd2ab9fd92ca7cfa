package trial

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"midwire/intercept"
	"midwire/replay/resilience"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// connect reaches the server through a proxy.
func (o *Options) connect(ctx context.Context, f resilience.Fault) (peer, error) {
	if o.URL == nil {
		return o.connectStdio(f)
	}
	at, err := o.http(ctx, f, &stage{listen: "127.0.0.1:0"})
	if err != nil {
		return nil, err
	}
	return &httpPeer{setting: at, client: &http.Client{Transport: &http.Transport{}}}, nil
}

// maxReply bounds what is read of one response.
const maxReply = 16 << 20

// httpPeer is a server over HTTP.
type httpPeer struct {
	*setting
	client *http.Client
}

func (p *httpPeer) exited() bool { return false }

func (p *httpPeer) close() (string, error) {
	p.client.CloseIdleConnections()
	files, _ := p.files()
	return files[0], p.end()
}

// send posts a message. That its time is over is no error: nothing came.
func (p *httpPeer) send(ctx context.Context, payload []byte, header http.Header) (response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(payload))
	if err != nil {
		return response{}, err
	}
	r.Header = header
	resp, err := p.client.Do(r)
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			err = nil
		}
		return response{}, err
	}
	defer resp.Body.Close()
	out := response{status: resp.StatusCode, header: resp.Header}
	body := io.LimitReader(resp.Body, maxReply)
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		var events wire.EventFramer
		buf := make([]byte, 32<<10)
		for !out.came {
			n, err := body.Read(buf)
			events.Feed(buf[:n], func(raw []byte) { out.take(wire.ParseEvent(raw).Data) })
			if err != nil {
				break
			}
		}
		return out, nil
	}
	raw, _ := io.ReadAll(body) // what cannot be read is no message
	out.take(raw)
	out.came = out.came || out.status >= 400
	return out, nil
}

// take keeps a payload that is a response.
func (r *response) take(payload []byte) {
	m, ok := wire.ScanMessage(bytes.Clone(payload))
	if ok && (m.Kind == wire.MsgResult || m.Kind == wire.MsgError) {
		r.message, r.came = m, true
	}
}

// stdioPeer is a server on pipes.
type stdioPeer struct {
	in    *os.File
	lines chan []byte   // what it says, closed at its end
	over  chan struct{} // closed when it has ended
	stop  chan struct{}
	mute  bool // it has closed its output
	path  string
}

func (o *Options) connectStdio(f resilience.Fault) (peer, error) {
	var ends [3][2]*os.File // read from and written to: the server's input, output, stderr
	for i := range ends {
		var err error
		if ends[i][0], ends[i][1], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	started := time.Now()
	w := o.Record(record.Header{
		Started: started, Tap: "stdio", Label: label(f) + ": " + filepath.Base(o.Command[0]),
		Command: redact.Args(o.Command),
	})
	p := &stdioPeer{
		in: ends[0][1], path: w.Path(),
		lines: make(chan []byte, 64), over: make(chan struct{}), stop: make(chan struct{}),
	}
	if p.path == "" {
		return nil, errors.New("nothing can be judged without a recording")
	}
	tap := &intercept.Stdio{
		Command: o.Command, Stdin: ends[0][0], Stdout: ends[1][1], Stderr: ends[2][1], Started: started,
		Record: func() *record.Writer { return w }, Stop: p.stop,
	}
	go func() {
		defer close(p.over)
		_, _ = tap.Run() // that it cannot start shows as its end, and in the recording
	}()
	go func() { _, _ = io.Copy(io.Discard, ends[2][0]) }()
	go p.read(ends[1][0])
	return p, nil
}

func (p *stdioPeer) read(out *os.File) {
	defer close(p.lines)
	defer out.Close()
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadBytes('\n')
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

// exited says whether the server has ended. One that closes its output is about to.
func (p *stdioPeer) exited() bool {
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

// send writes a line and waits for the response with its id.
func (p *stdioPeer) send(ctx context.Context, payload []byte, _ http.Header) (response, error) {
	var out response
	if _, err := p.in.Write(append(bytes.Clone(payload), '\n')); err != nil {
		p.mute = true // it has ended, which exited says
		return out, nil
	}
	m, ok := wire.ScanMessage(payload)
	if !ok || m.Kind != wire.MsgRequest {
		return out, nil
	}
	own := strings.Trim(string(m.ID), `"`)
	for {
		select {
		case <-ctx.Done():
			return out, nil
		case line, more := <-p.lines:
			if !more {
				p.mute = true
				return out, nil
			}
			if out.take(bytes.TrimSpace(line)); out.came && strings.Trim(string(out.message.ID), `"`) == own {
				return out, nil
			}
			out = response{}
		}
	}
}

func (p *stdioPeer) close() (string, error) {
	p.in.Close()
	select {
	case <-p.over:
		return p.path, nil
	case <-time.After(settle):
	}
	close(p.stop)
	select {
	case <-p.over:
		return p.path, nil
	case <-time.After(settle):
		return p.path, fmt.Errorf("the server does not end")
	}
}
