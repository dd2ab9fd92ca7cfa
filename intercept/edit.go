package intercept

import (
	"bytes"
	"fmt"
	"slices"

	"midwire/session/wire"
	"midwire/session/words"
)

// The edits of this file are the closed list of what midwire changes on the
// way. Everything else passes as it came.

// hostEditor replaces the Host of every request by the target's: a remote
// server serves many names from one address. That blinds the server's own
// defence against DNS rebinding, so requests that come from a foreign page are
// refused here.
type hostEditor struct {
	relay   *relay
	framer  *wire.HTTPStream
	next    editor
	was     string
	refused bool
}

func (e *hostEditor) edit(p []byte) ([]byte, error) {
	var out []byte
	for len(p) > 0 || e.framer.Ended() {
		some, n := e.framer.Rewrite(p, e.rewrite)
		if e.refused {
			return nil, errRefused
		}
		out, p = append(out, some...), p[n:]
	}
	return out, nil
}

// rest returns a head that was cut off.
func (e *hostEditor) rest() []byte {
	if !e.framer.InHead() {
		return nil
	}
	return e.framer.Rest()
}

// rewrite returns the head with the target's Host, or refuses the request: then the
// connection is over.
func (e *hostEditor) rewrite(head []byte) []byte {
	host := wire.HeadValue(head, "Host")
	http := e.relay.http
	if name := HeadCaller(head).Foreign(append(slices.Clip(http.AllowHosts), http.Target.Host)...); name != "" {
		e.refused = true
		e.refuse(name)
		return nil
	}
	now := words.HostOf(http.Target)
	if host != e.was {
		e.was = host
		e.relay.tap.tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToServer, Conn: e.relay.id},
			wire.Edit{What: "host", Was: host, Now: now})
	}
	head, _ = e.next.edit(replaceField(head, "Host", now))
	return head
}

func (e *hostEditor) refuse(name string) {
	n := e.relay
	raw := Answer("403 Forbidden", "", fmt.Sprintf("midwire: host or origin %q is not local. If it should be, start midwire with --allow-host %s\n", name, name))
	n.tap.tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToClient, Conn: n.id}, wire.Edit{What: "answer", Was: name, Now: "403 Forbidden"})
	n.tap.q.put(n.seen.responses(), n.tap.now(), raw)
	_, _ = n.client.Write(raw)
	CloseWrite(n.client)
	n.refused.Store(true)
}

// replaceField returns a copy of the head with the value of the first field of a name
// replaced. Spelling and order stay, and so does a second one: unlike wire.SetField it
// makes no request out of one that the server would refuse.
func replaceField(head []byte, name, value string) []byte {
	for i := 0; i < len(head); {
		end := i + bytes.IndexByte(head[i:], '\n') + 1
		line := head[i:end]
		if _, ok := wire.CutField(line, name); ok {
			out := append([]byte(nil), head[:i+len(name)+1]...)
			out = append(out, ' ')
			out = append(out, value...)
			if bytes.HasSuffix(line, []byte("\r\n")) {
				out = append(out, '\r')
			}
			return append(append(out, '\n'), head[end:]...)
		}
		i = end
	}
	return append([]byte(nil), head...)
}

// Answer is a response of our own, which ends the connection. fields are whole lines.
func Answer(status, fields, text string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %s\r\n%sContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, fields, len(text), text)
}
