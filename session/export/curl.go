package export

import (
	"fmt"
	"io"
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// maxArgument is the longest body that is given on a command line: systems
// limit one argument to 128 KiB.
const maxArgument = 64 << 10

// writeCurl writes a curl command for each HTTP request of the client.
func writeCurl(w io.Writer, s *Source) error {
	c := curl{brief: brief{w: w}, s: s, open: map[uint32]*curlRequest{}}
	c.write(comment("Made by midwire export: "+s.summary()), comment("Session ids and credentials are as exported: replace the masked ones."))
	for f := range s.frames {
		c.frame(f)
		if c.err != nil {
			return c.err
		}
	}
	for _, r := range c.order {
		c.request(r)
	}
	return c.err
}

// curl makes commands of frames.
type curl struct {
	brief
	s     *Source
	open  map[uint32]*curlRequest // requests whose body is not complete
	order []*curlRequest
	base  string // of one command: the server's origin
}

type curlRequest struct {
	n     uint64
	conn  uint32
	t     int64
	head  wire.Head
	body  []byte
	done  bool
	short bool // something of the body was left out
}

func (c *curl) frame(f *wire.Frame) {
	switch f.Kind {
	case wire.KindRequest:
		if h, ok := wire.ParseHead(f.Data); ok && h.Method != "" {
			r := &curlRequest{n: f.N, conn: f.Conn, t: f.T, head: h}
			r.done = !hasBody(&h)
			c.open[f.X] = r
			c.order = append(c.order, r)
		}
	case wire.KindBody:
		if r := c.open[f.X]; r != nil && f.Dir == wire.ToServer {
			r.body = append(r.body, f.Data...)
			r.short = r.short || f.Len > MaxWhole
			r.done = f.Part != wire.More
		}
	case wire.KindResponse, wire.KindClose:
		if r := c.open[f.X]; r != nil {
			r.done = true
			delete(c.open, f.X)
		}
	}
	for len(c.order) > 0 && c.order[0].done {
		c.request(c.order[0])
		c.order = c.order[1:]
	}
}

func hasBody(h *wire.Head) bool {
	length := h.Get("Content-Length")
	return length != "" && length != "0" || h.Has("Transfer-Encoding")
}

// request writes one curl.
func (c *curl) request(r *curlRequest) {
	if r.short {
		c.write("\n", comment(fmt.Sprintf("#%d is too long for a command.", r.n)))
		return
	}
	target := requestPath(r.head.Target)
	body, ok := c.s.body(&r.head, r.body)
	send, feed := "", ""
	if body != "" {
		send = " \\\n  --data-raw " + shellQuote(body)
		if len(body) > maxArgument || !isPlain(body) {
			feed, send = shellPrint(body)+" |\n", " \\\n  --data-binary @-"
		}
	}
	if c.base == "" {
		c.write("\n", comment(fmt.Sprintf("#%d, after %.3f s: %s", r.n, float64(r.t)/1e9, short(requestWords(r), 100))))
	}
	if !ok && c.base == "" {
		c.write("# Its body is left out: midwire cannot read its compression.\n")
	}
	c.write(feed, "curl -sS -g -i -N --max-time 10 ", c.socket(), "-X ", shellWord(r.head.Method), " ", c.url(r.conn, target))
	for _, f := range r.head.Fields {
		c.write(header(f))
	}
	c.write(send, "\n")
}

// socket is the option for a server on a UNIX socket.
func (c *curl) socket() string {
	if at := words.ParseSocket(c.s.Target); at != nil {
		return "--unix-socket " + shellWord(words.SocketOf(at)) + " "
	}
	return ""
}

func (c *curl) url(conn uint32, target string) string {
	if c.base != "" {
		return shellWord(c.base + target)
	}
	return shellWord(c.s.origin(conn) + target)
}

func requestWords(r *curlRequest) string {
	words := r.head.Method + " " + r.head.Target
	wire.ScanMessages(r.body, func(_ int, m wire.Message) bool {
		words = strings.TrimSpace(string(m.Method) + " " + string(m.ID))
		return false
	})
	return words
}

// header is an option for one header line; nothing for what curl makes by
// itself, or would read as something else.
func header(f wire.Field) string {
	switch words.Fold(f.Name) {
	case "host", "content-length", "connection", "transfer-encoding", "accept-encoding", "content-encoding", "keep-alive", "expect":
		return ""
	}
	if f.Name == "" || strings.Trim(f.Name, tokenLetters) != "" {
		return ""
	}
	line := shellWord(f.Name + ": " + f.Value)
	if f.Value == "" {
		line = shellWord(f.Name + ";") // with a colon curl would leave it out
	}
	return " \\\n  -H " + line
}

// tokenLetters are those of a header name (RFC 9110 5.6.2).
const tokenLetters = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
