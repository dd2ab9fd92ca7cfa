// Package forward is a forward proxy for the clients of one run: they reach
// servers by their own names through it. It opens the connections to hosts of a
// given set, and to those that a Learner finds, with certificates of an authority
// that lives as long as the run, and relays them into a recording. Everything else
// is a tunnel: passed on unread, and recorded as a name, times and numbers of
// bytes.
//
// Its goroutines: one that accepts, in Run; one for each connection, which ends
// with it; two for each tunnel, which end with it.
package forward

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"midwire/intercept"
	"midwire/session/defect"
	"midwire/session/wire"
)

const (
	maxHead      = 64 << 10               // of the first request, no one's is longer
	headPatience = 30 * time.Second       // for it
	endPatience  = 300 * time.Millisecond // for connections that end by themselves, when the run is over
)

// Proxy is a forward proxy of one run.
type Proxy struct {
	Listen    net.Listener // on this machine. Run closes it
	Secret    string       // the password of clients; see NewSecret
	Hosts     *Hosts       // whose connections are opened
	Learn     *Learner     // adds to them; nil to open only those
	Authority *Authority
	Relays    *intercept.Relays
	Dialer    *intercept.Dialer // of tunnels

	count counts
}

// User is what clients call themselves in the URL of the proxy.
const User = "midwire"

// NewSecret makes a password that no one guesses.
func NewSecret() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// URL is the proxy for clients of this run, with the secret.
func (p *Proxy) URL() string {
	u := url.URL{Scheme: "http", Host: p.Listen.Addr().String(), User: url.UserPassword(User, p.Secret)}
	return u.String()
}

// Run serves until ctx ends, and cuts what does not end with it.
func (p *Proxy) Run(ctx context.Context) error {
	if a, ok := p.Listen.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		p.Listen.Close()
		return fmt.Errorf("a forward proxy is for this machine only, not for %s", p.Listen.Addr())
	}
	hard, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	stop := context.AfterFunc(ctx, func() { p.Listen.Close() })
	defer stop()
	var wg sync.WaitGroup
	err := p.accept(ctx, func(c net.Conn) {
		wg.Go(func() {
			drop := context.AfterFunc(hard, func() { intercept.Reset(c) })
			defer drop()
			p.serve(hard, c)
		})
	})
	over := make(chan struct{})
	go func() { wg.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(endPatience):
		cut()
		<-over
	}
	return err
}

func (p *Proxy) accept(ctx context.Context, serve func(net.Conn)) error {
	for {
		c, err := p.Listen.Accept()
		switch {
		case err == nil:
			serve(c)
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("proxy %s: %w", p.Listen.Addr(), err)
		default: // no file descriptors; connections that end make room
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

func (p *Proxy) serve(ctx context.Context, c net.Conn) {
	defer c.Close()
	defer defect.Recover("a connection to the forward proxy", 0, func(d *defect.Defect) {
		p.Relays.Tell(wire.Frame{Kind: wire.KindNote}, wire.Note{Text: d.Error()})
	})
	head, rest, err := readHead(c)
	if err != nil {
		return
	}
	method, _, _ := strings.Cut(string(head), " ")
	target := requestTarget(head)
	given := wire.HeadValue(head, "Proxy-Authorization")
	browser := given == "" && method == "CONNECT" && strings.HasPrefix(agent(head), "Mozilla/") && ours(c)
	switch {
	case !p.allowed(given) && !browser:
		answer(c, "407 Proxy Authentication Required", "Proxy-Authenticate: Basic realm=\"midwire\"\r\n",
			"midwire: this proxy is for the clients of one run: its URL holds a password\n")
	case method == "CONNECT":
		p.connect(ctx, &sniffed{inside{c}, rest}, target, agent(head), browser)
	case strings.Contains(target, "://"):
		p.plain(ctx, c, append(head, rest...))
	default:
		answer(c, "400 Bad Request", "", "midwire: this is a forward proxy. Use it as HTTPS_PROXY and HTTP_PROXY, not as a server\n")
	}
}

// readHead reads the head of the first request, and what came with it.
func readHead(c net.Conn) (head, rest []byte, err error) {
	_ = c.SetReadDeadline(time.Now().Add(headPatience))
	defer c.SetReadDeadline(time.Time{})
	var all []byte
	buf := make([]byte, 4<<10)
	for len(all) < maxHead {
		n, err := c.Read(buf)
		all = append(all, buf[:n]...)
		for _, end := range []string{"\r\n\r\n", "\n\n"} {
			if i := bytes.Index(all, []byte(end)); i >= 0 {
				i += len(end)
				return all[:i:i], all[i:], nil
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, errors.New("the head is too long")
}

// allowed reports whether credentials are those of this run.
func (p *Proxy) allowed(given string) bool {
	scheme, code, _ := strings.Cut(given, " ")
	plain, err := base64.StdEncoding.DecodeString(strings.TrimSpace(code))
	want := User + ":" + p.Secret
	return err == nil && strings.EqualFold(scheme, "Basic") && p.Secret != "" &&
		subtle.ConstantTimeCompare(plain, []byte(want)) == 1
}

// answer answers a request ourselves and ends the connection.
func answer(c net.Conn, status, fields, text string) {
	_, _ = c.Write(intercept.Answer(status, fields, text))
	intercept.CloseWrite(c)
}

const established = "HTTP/1.1 200 Connection Established\r\n\r\n"

func (p *Proxy) opens(hostport string) bool { return p.Hosts.Has(hostport) || p.Learn.Has(hostport) }

func (p *Proxy) connect(ctx context.Context, c *sniffed, target, agent string, browser bool) {
	hostport := readAuthority(target, "")
	if hostport == "" {
		answer(c, "400 Bad Request", "", "midwire: CONNECT takes HOST:PORT\n")
		return
	}
	link := p.link(c, hostport)
	if link.agent = agent; strings.HasSuffix(hostport, ":80") {
		link.scheme = "http"
	}
	if browser {
		link.why = "it is a browser's, which trusts other certificates"
	}
	if browser || !p.opens(hostport) {
		p.tunnel(ctx, link, func() error { _, err := c.Write([]byte(established)); return err })
		return
	}
	if _, err := c.Write([]byte(established)); err != nil {
		return
	}
	b, err := c.first()
	switch {
	case err != nil: // it left without a word
	case b == 0x16:
		p.handshake(ctx, link, c)
	case 'A' <= b && b <= 'Z':
		link.scheme = "http"
		p.unleaked(link, c)
		p.relay(ctx, link, nil)
	default:
		link.why = "neither TLS nor HTTP"
		p.tunnel(ctx, link, nil)
	}
}

type link struct {
	id       uint32
	client   net.Conn
	hostport string
	scheme   string // of the server's URLs, as far as it is known
	absolute bool   // the client puts whole URLs into request lines
	agent    string // who asked for a tunnel
	why      string // it is not opened although its host is in the set
	edits    []wire.Edit
}

func (p *Proxy) link(c net.Conn, hostport string) *link {
	return &link{id: p.Relays.Number(), client: c, hostport: hostport, scheme: "https"}
}

func (l *link) target() *url.URL { return &url.URL{Scheme: l.scheme, Host: l.hostport} }

// relay opens a connection: what passes is recorded. up is nil to connect now.
func (p *Proxy) relay(ctx context.Context, l *link, up *intercept.Upstream) {
	p.count.add(opened, l.hostport)
	link := intercept.Link{
		ID: l.id, Client: p.guard(l), Target: l.target(), Edits: l.edits, Upstream: up, Absolute: l.absolute,
	}
	if p.Learn != nil {
		link.See = newWatch(p.Learn, l.hostport, func(text string) {
			p.note(l, text)
			p.count.say(text)
		}).see
	}
	p.Relays.Relay(ctx, link)
}

func (p *Proxy) note(l *link, text string) {
	p.Relays.Tell(wire.Frame{Kind: wire.KindNote, Conn: l.id}, wire.Note{Text: text})
}

// agent is who asks for a tunnel: what it calls itself, or the runtime that asks
// in that way.
func agent(head []byte) string {
	said := wire.HeadValue(head, "User-Agent")
	line, _ := wire.CutLine(head)
	switch {
	case said != "":
		return said
	case bytes.Contains(head, []byte("\nproxy-connection:")):
		return "Node"
	case bytes.Contains(head, []byte("\nProxy-Connection:")):
		return "Bun"
	case bytes.HasSuffix(line, []byte("HTTP/1.0")):
		return "Python"
	}
	return ""
}
