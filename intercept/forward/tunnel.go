package forward

import (
	"context"
	"io"
	"net"
	"sync"

	"midwire/intercept"
	"midwire/session/wire"
)

// tunnel passes a connection on unread. ready, if any, is called when the server
// is there, and tells the client so.
func (p *Proxy) tunnel(ctx context.Context, l *link, ready func() error) {
	p.count.add(tunnelled, l.hostport)
	open := wire.Open{Client: l.client.RemoteAddr().String(), Proto: wire.ProtoTunnel, Host: l.hostport}
	server, err := p.Dialer.DialTunnel(ctx, l.scheme, l.hostport, l.absolute)
	if err == nil {
		defer server.Close()
		open.Upstream = server.RemoteAddr().String()
	}
	p.Relays.Tell(wire.Frame{Kind: wire.KindOpen, Conn: l.id}, open)
	if l.why != "" {
		p.note(l, "not opened: "+l.why)
		p.count.say("not decrypted: " + l.hostport + ": " + l.why)
	}
	if err != nil {
		if ready != nil {
			answer(l.client, intercept.GatewayStatus(err), "", "midwire: cannot reach "+l.hostport+": "+err.Error()+"\n")
		}
		p.Relays.Tell(wire.Frame{Kind: wire.KindClose, Conn: l.id}, wire.Close{By: wire.ByUs, Error: err.Error()})
		return
	}
	stop := context.AfterFunc(ctx, func() { intercept.Reset(server) })
	defer stop()
	if ready == nil || ready() == nil {
		p.Relays.Tell(wire.Frame{Kind: wire.KindClose, Conn: l.id}, pass(p.guard(l), server))
	}
}

// pass copies both ways until both are over. The end of one is a half-close for
// the other, a failure is a reset for both.
func pass(client, server net.Conn) wire.Close {
	var first sync.Once
	var end wire.Close
	one := func(to, from net.Conn, by string, n *int64) {
		var err error
		*n, err = io.Copy(to, from)
		first.Do(func() {
			end.By, end.Clean = by, err == nil
			if err != nil {
				end.Error = err.Error()
			}
		})
		if err != nil {
			intercept.Reset(to)
			intercept.Reset(from)
			return
		}
		intercept.CloseWrite(to)
	}
	var sent, received int64
	var wg sync.WaitGroup
	wg.Go(func() { one(client, server, wire.ByServer, &received) })
	one(server, client, wire.ByClient, &sent)
	wg.Wait()
	end.Sent, end.Received = sent, received
	return end
}
