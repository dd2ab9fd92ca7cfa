package forward

import (
	"bytes"
	"encoding/base64"
	"slices"
	"sync"

	"midwire/session/wire"
)

// guard is a client's connection from which the password of this run does not come,
// wherever in the bytes it stands: in a head that no one can read, in a body, in
// another protocol. Its place is kept, so that no length changes. What is taken for
// TLS passes as it is.
type guard struct {
	inside
	code  []byte // the password as clients send it
	found func() // called when it was there

	begun, off bool
	passed     int    // bytes of its beginning that were forwarded last
	held       []byte // what follows them, when the rest is sure to come
	out        []byte // to be read
	err        error  // behind out
}

// tellTale is how much of the code is no secret, and says that the rest comes.
var tellTale = base64.StdEncoding.EncodedLen(len(User)+1) - 2

func (p *Proxy) guard(l *link) *guard {
	code := base64.StdEncoding.EncodeToString([]byte(User + ":" + p.Secret))
	return &guard{inside: inside{l.client}, code: []byte(code), found: sync.OnceFunc(func() {
		p.Relays.Tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToServer, Conn: l.id},
			wire.Edit{What: wire.EditProxyField, Was: "Proxy-Authorization"})
	})}
}

// Read implements net.Conn.
func (g *guard) Read(p []byte) (int, error) {
	for len(g.out) == 0 && g.err == nil {
		n, err := g.Conn.Read(p)
		if n > 0 && !g.begun {
			g.begun, g.off = true, p[0] == 0x16
		}
		if g.off || g.passed+len(g.held) == 0 && !bytes.Contains(p[:n], g.code) && g.beginning(p[:n]) == 0 {
			return n, err
		}
		g.out, g.err = g.cleaned(p[:n], err != nil), err
	}
	n := copy(p, g.out)
	if g.out = g.out[n:]; len(g.out) > 0 {
		return n, nil
	}
	return n, g.err
}

// cleaned blanks the password and holds back what may be its beginning.
func (g *guard) cleaned(p []byte, last bool) []byte {
	all := slices.Concat(g.code[:g.passed], g.held, p)
	for i := bytes.Index(all, g.code); i >= 0; i = bytes.Index(all, g.code) {
		copy(all[i:], bytes.Repeat([]byte("x"), len(g.code)))
		g.found()
	}
	from, begin := g.passed, len(all)-g.beginning(all)
	to := max(from, begin)
	if len(all)-begin < tellTale {
		to = len(all)
	}
	g.passed, g.held = to-begin, all[to:]
	if last {
		copy(g.held, bytes.Repeat([]byte("x"), len(g.held)))
		to = len(all)
	}
	return all[from:to]
}

// beginning is how many bytes at the end of b are the beginning of the password.
func (g *guard) beginning(b []byte) int {
	n := min(len(g.code)-1, len(b))
	for ; !bytes.HasSuffix(b, g.code[:n]); n-- {
	}
	return n
}
