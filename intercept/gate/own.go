package gate

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// ownRequest is an HTTP request of the gate's own on its way to the proxy, as any
// client's: it is recorded and relayed like those, and no rule is asked about it.
type ownRequest struct {
	raw   []byte
	event wire.Gate // to be recorded behind it
}

const (
	maxOwn      = 64               // at a time
	ownPatience = 60 * time.Second // for the response, which no one gets
)

// sendOwn sends a request on its own connection to the server of c. The response
// is recorded, and delivered to no one. Gate.mu is held.
func (g *Gate) sendOwn(c *Conn, raw []byte, e wire.Gate) error {
	if len(g.owns) >= maxOwn {
		return errors.New("too many requests of the gate's own wait for their responses")
	}
	e.What = wire.GateInject
	own := &ownRequest{slices.Clone(raw), e}
	g.owns = append(g.owns, own)
	g.counts.Injected++
	go func() {
		err := exchangeOwn(c.carrier, own.raw)
		g.mu.Lock()
		defer g.mu.Unlock()
		if i := slices.Index(g.owns, own); i >= 0 {
			g.owns = slices.Delete(g.owns, i, i+1)
		}
		if err != nil {
			e.What, e.Why = wire.GatePass, "a request of the gate's own: "+err.Error()
			g.tell(e)
		}
	}()
	return nil
}

func exchangeOwn(by Carrier, raw []byte) error {
	conn, err := by.Again()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(ownPatience)); err != nil {
		return err
	}
	if _, err := conn.Write(raw); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return nil // a stream that stays open
	}
	return err
}

// isOwn reports whether a request that came is one of the gate's own, and what is to be
// recorded of it.
func (g *Gate) isOwn(raw []byte) (e wire.Gate, ok bool) {
	i := slices.IndexFunc(g.owns, func(o *ownRequest) bool { return bytes.Equal(o.raw, raw) })
	if i < 0 {
		return e, false
	}
	e = g.owns[i].event
	g.owns[i].raw = nil // the next one like it is its client's
	return e, true
}

// copies sends a request of a client again, count times.
func (g *Gate) copies(u *unit, count int, e wire.Gate) error {
	e.Why = "a copy of #" + strconv.FormatUint(u.ref.frame.Load(), 10)
	for range count {
		if err := g.sendOwn(u.lane.conn, u.bytes(), e); err != nil {
			return err
		}
	}
	return nil
}

// post sends a message to the server in the session t, nil for the only one, under
// the head of the latest request that its client sent.
func (g *Gate) post(c *Conn, t *talk, payload []byte, e wire.Gate) error {
	if t == nil {
		for _, one := range g.talks {
			if one.head != nil && t != nil {
				return errors.New("there are several sessions: say which")
			}
			if one.head != nil {
				t = one
			}
		}
		if t == nil && c != nil {
			t = c.talk
		}
	}
	if t == nil || t.head == nil {
		return errors.New("no request of that session was seen since something is armed: its next one shows what it is sent with")
	}
	for o := range g.conns {
		if c == nil || o.talk == t {
			c = o
		}
	}
	if c == nil {
		return errors.New("no connection of the session is open")
	}
	return g.sendOwn(c, headFor(t, payload), e)
}

// headFor is a request with that payload under the head of a session's latest one.
func headFor(t *talk, payload []byte) []byte {
	head := t.head
	for _, name := range []string{"Content-Encoding", "Expect"} {
		head = dropField(head, name)
	}
	if t.id != "" && wire.HeadValue(head, mcp.HeaderSessionID) == "" && !t.inQuery {
		head = wire.SetField(head, mcp.HeaderSessionID, t.id)
	}
	if m, ok := wire.ScanMessage(payload); ok && wire.HeadValue(head, mcp.HeaderMethod) != "" {
		head = dropField(dropField(head, mcp.HeaderMethod), mcp.HeaderName)
		if m.Method != nil {
			head = wire.SetField(head, mcp.HeaderMethod, string(m.Method))
		}
		if name := wire.Text(wire.Get(m.Params, "name")); name != "" {
			head = wire.SetField(head, mcp.HeaderName, name)
		}
	}
	return append(sized(head, len(payload)), payload...)
}
