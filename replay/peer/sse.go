package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"midwire/session/wire"
)

// SSE is a server of HTTP+SSE (2024-11-05): the stream is at a URL of a proxy, and says where
// messages are posted. It is opened by the first Send, with the fields of that.
func (s *Server) SSE(at string, asked Asked, end func() (recording string, err error)) Peer {
	p := s.Talk(at, asked, end).(*httpPeer)
	ctx, cancel := context.WithCancel(context.Background())
	return &ssePeer{httpPeer: p, lines: make(chan []byte, 64), endpoint: make(chan string, 1), ctx: ctx, cancel: cancel}
}

type ssePeer struct {
	*httpPeer
	lines    chan []byte // messages of the stream, closed at its end
	endpoint chan string // what the server announced
	open     bool
	ctx      context.Context // of the stream
	cancel   context.CancelFunc
}

func (p *ssePeer) Send(ctx context.Context, payload []byte, header http.Header) (Response, error) {
	if !p.open {
		if out, err := p.begin(ctx, header.Clone()); err != nil || out.Came || ctx.Err() != nil {
			return out, err
		}
	}
	out, err := p.httpPeer.Send(ctx, payload, header.Clone())
	if err != nil || out.Came || out.Status < 200 || out.Status >= 300 {
		return out, err
	}
	later, _ := await(ctx, payload, p.lines, p.asked, func(reply []byte) { p.post(ctx, reply, header) })
	later.Status, later.Header = out.Status, out.Header
	return later, nil
}

// begin opens the stream and waits for the endpoint. A response that came refuses it.
func (p *ssePeer) begin(ctx context.Context, header http.Header) (Response, error) {
	p.open = true
	r, err := http.NewRequestWithContext(p.ctx, http.MethodGet, p.url, http.NoBody)
	if err != nil {
		return Response{}, err
	}
	header.Del("Content-Type")
	header.Set("Accept", "text/event-stream")
	asRecorded(r, header)
	stop := context.AfterFunc(ctx, p.cancel) // until it is open
	resp, err := p.client.Do(r)
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			err = nil
		}
		return Response{}, err
	}
	out := Response{Status: resp.StatusCode, Header: resp.Header}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxText))
		out.Text, out.Came = string(raw), resp.StatusCode >= 400
		return out, nil
	}
	go p.read(resp.Body)
	select {
	case at, ok := <-p.endpoint:
		stop()
		if !ok {
			return out, nil
		}
		return Response{}, p.aim(at)
	case <-ctx.Done():
		return out, nil
	}
}

// aim takes where messages go. They stay with the proxy, whatever a server says.
func (p *ssePeer) aim(at string) error {
	base, err := url.Parse(p.url)
	if err != nil {
		return err
	}
	to, err := base.Parse(strings.TrimSpace(at))
	if err != nil || to.Scheme != base.Scheme || to.Host != base.Host {
		return fmt.Errorf("the server announces an endpoint elsewhere, which is not asked: %q", at)
	}
	p.url = to.String()
	return nil
}

func (p *ssePeer) read(body io.ReadCloser) {
	defer close(p.lines)
	defer close(p.endpoint)
	defer body.Close()
	var events wire.EventFramer
	in, announced := p.intake.reader(body), false
	buf := make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		events.Feed(buf[:n], func(raw []byte) {
			switch e := wire.ParseEvent(raw); {
			case e.Name == "endpoint":
				if !announced {
					p.endpoint <- string(e.Data)
				}
				announced = true
			case len(e.Data) > 0:
				select {
				case p.lines <- bytes.Clone(e.Data):
				case <-p.ctx.Done():
				}
			}
		})
		if err != nil {
			return
		}
	}
}

func (p *ssePeer) Leave(context.Context, http.Header) {}

func (p *ssePeer) Close() (string, error) {
	p.cancel()
	return p.httpPeer.Close()
}
