package peer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// Talk is the server over HTTP, at a URL of a proxy. The proxy is the caller's, and so is
// what Close is to do.
func (s *Server) Talk(at string, asked Asked, end func() (recording string, err error)) Peer {
	// One that the target redirects to is not the one that is asked.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Transport: &http.Transport{}, CheckRedirect: stay}
	return &httpPeer{url: at, asked: asked, end: end, client: client, intake: s.intake}
}

type httpPeer struct {
	url    string
	asked  Asked
	end    func() (string, error)
	client *http.Client
	intake *intake
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
	if p.intake.exceeded() {
		return Response{}, ErrFlood
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(payload))
	if err != nil {
		return Response{}, err
	}
	asRecorded(r, header)
	resp, err := p.client.Do(r)
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			err = nil
		}
		return Response{}, err
	}
	defer resp.Body.Close()
	out := Response{Status: resp.StatusCode, Header: resp.Header}
	own, _ := requested(payload)
	body := io.LimitReader(p.intake.reader(resp.Body), maxReply)
	if wire.IsMediaType(resp.Header.Get("Content-Type"), "text/event-stream") {
		var events wire.EventFramer
		buf := make([]byte, 32<<10)
		for !out.Came {
			n, err := body.Read(buf)
			events.Feed(buf[:n], func(raw []byte) { p.event(ctx, &out, own, wire.ParseEvent(raw).Data, header) })
			if err != nil {
				break
			}
		}
		return out, nil
	}
	raw, _ := io.ReadAll(body) // what cannot be read is no message
	if out.take(raw, own); !out.Came {
		out.Text = string(raw[:min(len(raw), maxText)])
	}
	out.Came = out.Came || out.Status >= 400
	return out, nil
}

// asRecorded gives a request its fields. Two of them are no fields for net/http: the host that
// is named, and that the body comes in chunks.
func asRecorded(r *http.Request, header http.Header) {
	r.Header = header
	if host := header.Get("Host"); host != "" {
		r.Host = host
		header.Del("Host")
	}
	if header.Get("Transfer-Encoding") != "" {
		header.Del("Transfer-Encoding")
		r.ContentLength = -1
	}
}

// event takes a message of a stream: the response, or a request of the server, which is
// answered.
func (p *httpPeer) event(ctx context.Context, out *Response, own string, data []byte, header http.Header) {
	if out.Came {
		return
	}
	if out.take(data, own); out.Came {
		return
	}
	if reply := p.asked.answer(data); reply != nil {
		p.post(ctx, reply, header)
	}
}

// post sends an answer to the server; header is that of the request that is being made.
func (p *httpPeer) post(ctx context.Context, answer []byte, header http.Header) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(answer))
	if err != nil {
		return
	}
	r.Header = header.Clone()
	for _, own := range [...]string{mcp.HeaderMethod, mcp.HeaderName} { // of the request alone
		r.Header.Del(own)
	}
	if resp, err := p.client.Do(r); err == nil {
		resp.Body.Close()
	}
}
