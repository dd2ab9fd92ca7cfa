// Package peer is one end of a conversation with a server that midwire holds itself,
// message by message: through a proxy, so that it is a recording.
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
	"net/url"
	"os"
	"strings"
	"time"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// Peer is a connection to a server, through a proxy. One goroutine at a time may use it.
type Peer interface {
	// Send sends a message and returns the response to it, if it has an id. Nothing
	// came when the response has no message and no status. That the time of ctx is over
	// is no error. header is for HTTP; it belongs to Send from now on.
	Send(ctx context.Context, payload []byte, header http.Header) (Response, error)
	// Leave ends a session over HTTP as clients do (DELETE); it does not say whether that
	// was taken. header is for it.
	Leave(ctx context.Context, header http.Header)
	// Exited says whether the server has ended, as far as that can be known.
	Exited() bool
	// Close leaves the server and returns the file of the recording.
	Close() (recording string, err error)
}

// Response is what came of a message.
type Response struct {
	Status  int // 0 on stdio
	Header  http.Header
	Message wire.Message
	Came    bool   // there is a message, or a status that refuses
	Text    string // of a body that is no message, or how it begins
}

// Asked answers a request of the server: with the bytes of a response, or nil for none.
type Asked func(request *wire.Message) []byte

// settle is how long a server may take to end behind its client.
const settle = 5 * time.Second

// maxReply bounds what is read of one response.
const maxReply = 16 << 20

// maxText is how much is kept of a body that is no message.
const maxText = 2048

// Proxy puts a proxy in front of an HTTP server, which records to what open creates; what
// is sent is what the server is called, if o does not say otherwise. g may be nil. stop
// ends the proxy: then the recording is complete.
func Proxy(
	ctx context.Context, o intercept.HTTPOptions, server *url.URL, g *gate.Gate,
	open func(record.Header) *record.Writer, label string,
) (tap *intercept.HTTP, stop func(), err error) {
	o.Listen, o.Host = cmp.Or(o.Listen, "127.0.0.1:0"), cmp.Or(o.Host, "keep")
	if tap, err = o.New(server); err != nil {
		return nil, nil, err
	}
	tap.Started, tap.Gate = time.Now(), g
	tap.Record = open(record.Header{
		Started: tap.Started, Tap: "http", Label: label, Target: server.Redacted(), Listen: tap.Listen.Addr().String(),
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = tap.Run(ctx) // it fails only when it cannot accept, which the exchanges say
	}()
	return tap, func() { cancel(); <-ended }, nil
}

// HTTP is a server over HTTP, at a URL of a proxy. The proxy is the caller's, and so is
// what Close is to do.
func HTTP(at string, asked Asked, end func() (recording string, err error)) Peer {
	// One that the target redirects to is not the one that is asked.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Transport: &http.Transport{}, CheckRedirect: stay}
	return &httpPeer{url: at, asked: asked, end: end, client: client}
}

type httpPeer struct {
	url    string
	asked  Asked
	end    func() (string, error)
	client *http.Client
}

func (p *httpPeer) Exited() bool { return false }

func (p *httpPeer) Leave(ctx context.Context, header http.Header) {
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, p.url, http.NoBody)
	if err != nil {
		return
	}
	r.Header = header
	if resp, err := p.client.Do(r); err == nil {
		resp.Body.Close()
	}
}

func (p *httpPeer) Close() (string, error) {
	p.client.CloseIdleConnections()
	return p.end()
}

func (p *httpPeer) Send(ctx context.Context, payload []byte, header http.Header) (Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(payload))
	if err != nil {
		return Response{}, err
	}
	r.Header = header
	resp, err := p.client.Do(r)
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			err = nil
		}
		return Response{}, err
	}
	defer resp.Body.Close()
	out := Response{Status: resp.StatusCode, Header: resp.Header}
	body := io.LimitReader(resp.Body, maxReply)
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		var events wire.EventFramer
		buf := make([]byte, 32<<10)
		for !out.Came {
			n, err := body.Read(buf)
			events.Feed(buf[:n], func(raw []byte) { p.event(ctx, &out, wire.ParseEvent(raw).Data, header) })
			if err != nil {
				break
			}
		}
		return out, nil
	}
	raw, _ := io.ReadAll(body) // what cannot be read is no message
	if out.take(raw); !out.Came {
		out.Text = string(raw[:min(len(raw), maxText)])
	}
	out.Came = out.Came || out.Status >= 400
	return out, nil
}

// event takes a message of a stream: the response, or a request of the server, which is
// answered.
func (p *httpPeer) event(ctx context.Context, out *Response, data []byte, header http.Header) {
	if out.Came {
		return
	}
	out.take(data)
	m, ok := wire.ScanMessage(data)
	if !ok || m.Kind != wire.MsgRequest || p.asked == nil {
		return
	}
	answer := p.asked(&m)
	if answer == nil {
		return
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(answer))
	if err != nil {
		return
	}
	r.Header = header.Clone()
	if resp, err := p.client.Do(r); err == nil {
		resp.Body.Close()
	}
}

// take keeps a payload that is a response.
func (r *Response) take(payload []byte) {
	m, ok := wire.ScanMessage(bytes.Clone(payload))
	if ok && m.IsResponse() {
		r.Message, r.Came = m, true
	}
}

// stdioPeer is a server on pipes.
type stdioPeer struct {
	in    *os.File
	asked Asked
	lines chan []byte   // what it says, closed at its end
	over  chan struct{} // closed when it has ended
	stop  chan struct{}
	mute  bool // it has closed its output
	path  string
}

// Stdio starts a server behind a proxy. tap names the command, its folder and
// environment; what open creates, which it records to, must have a file.
func Stdio(
	tap *intercept.Stdio, open func(record.Header) *record.Writer, label string, asked Asked,
) (Peer, error) {
	cwd, _ := os.Getwd()
	tap.Started = time.Now()
	w := open(record.Header{
		Started: tap.Started, Tap: "stdio", Label: label, Command: redact.Args(tap.Command), Cwd: cmp.Or(tap.Dir, cwd),
	})
	var ends [3][2]*os.File // read from and written to: the server's input, output, stderr
	for i := range ends {
		var err error
		if ends[i][0], ends[i][1], err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	p := &stdioPeer{
		in: ends[0][1], path: w.Path(), asked: asked,
		lines: make(chan []byte, 64), over: make(chan struct{}), stop: make(chan struct{}),
	}
	if p.path == "" {
		return nil, errors.New("nothing can be judged without a recording")
	}
	tap.Stdin, tap.Stdout, tap.Stderr = ends[0][0], ends[1][1], ends[2][1]
	tap.Record, tap.Stop = func() *record.Writer { return w }, p.stop
	go func() {
		defer close(p.over)
		_, _ = tap.Run() // that it cannot start shows as its end, and in the recording
	}()
	go func() { _, _ = io.Copy(io.Discard, ends[2][0]) }()
	go p.read(ends[1][0])
	return p, nil
}

func (p *stdioPeer) Leave(context.Context, http.Header) {}

func (p *stdioPeer) read(out *os.File) {
	defer close(p.lines)
	defer out.Close()
	in := bufio.NewReader(out)
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
	var out Response
	if !p.write(ctx, payload) {
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
			line = bytes.TrimSpace(line)
			id := ""
			if out.take(line); out.Came {
				id = strings.Trim(string(out.Message.ID), `"`)
			}
			if out.Came && (id == own || out.Message.Kind == wire.MsgError && (id == "" || id == "null")) {
				return out, nil
			}
			out = Response{}
			if m, ok := wire.ScanMessage(line); ok && m.Kind == wire.MsgRequest && p.asked != nil {
				if answer := p.asked(&m); answer != nil {
					p.write(ctx, answer)
				}
			}
		}
	}
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
