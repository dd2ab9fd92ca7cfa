package export

import (
	"fmt"
	"io"
	"strings"

	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// maxArgument is the longest body that is given on a command line: systems
// limit one argument to 128 KiB.
const maxArgument = 64 << 10

// writeCurl writes a POSIX shell script that sends what the client sent: a curl
// for each HTTP request, and for a process its standard input.
func writeCurl(w io.Writer, s *Source) error {
	c := curl{brief: brief{w: w}, s: s, open: map[uint32]*curlRequest{}}
	c.write("#!/bin/sh\n", comment("Made by midwire export: "+s.about()), comment("Session ids and credentials are as exported: replace the masked ones."))
	if s.Tap == "http" {
		c.origins()
	}
	for f := range s.frames {
		c.frame(f)
		if c.err != nil {
			return c.err
		}
	}
	c.endInput()
	for _, r := range c.order {
		c.request(r)
	}
	return c.err
}

// origins writes a variable for each server.
func (c *curl) origins() {
	c.vars = map[string]string{}
	for f := range c.s.frames {
		at := c.s.origin(f.Conn)
		if f.Kind != wire.KindRequest || c.vars[at] != "" {
			continue
		}
		name := "BASE"
		if n := len(c.vars); n > 0 {
			name = fmt.Sprintf("BASE%d", n+1)
		}
		c.vars[at] = name
		c.write(name, "=${", name, ":-", shellWord(at), "}\n")
	}
	if len(c.vars) == 0 {
		c.write("BASE=${BASE:-", shellWord(origin(c.s.Target)), "}\n")
	}
}

// curl is a script in the making.
type curl struct {
	brief
	s     *Source
	open  map[uint32]*curlRequest // requests whose body is not complete
	order []*curlRequest
	input bool // within the input of a process
	here  bool // within a here-document
	runs  int
	names map[string]bool   // variables that were set
	base  string            // of one command: the server's origin; of a script a variable says it
	vars  map[string]string // the variables of origins
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
	case wire.KindLine:
		if f.Dir == wire.ToServer {
			c.line(f)
		}
	case wire.KindStart, wire.KindExit:
		c.endInput()
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
		c.write("\n", comment(fmt.Sprintf("#%d is too long for a script.", r.n)))
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
	c.variables(&r.head)
	c.write(feed, "curl -sS -g -i -N --max-time \"${MAX_TIME:-10}\" -X ", shellWord(r.head.Method), " ", c.url(r.conn, target))
	for _, f := range r.head.Fields {
		c.write(header(f))
	}
	c.write(send, "\n")
}

func (c *curl) url(conn uint32, target string) string {
	if c.base != "" {
		return shellWord(c.base + target)
	}
	return `"$` + c.vars[c.s.origin(conn)] + `"` + shellWord(target)
}

func requestWords(r *curlRequest) string {
	words := r.head.Method + " " + r.head.Target
	wire.ScanMessages(r.body, func(_ int, m wire.Message) bool {
		words = strings.TrimSpace(string(m.Method) + " " + string(m.ID))
		return false
	})
	return words
}

// variables lets who runs the script say what a masked session id is now.
func (c *curl) variables(h *wire.Head) {
	name := variable(h.Get(mcp.HeaderSessionID))
	if name == "" || c.names[name] {
		return
	}
	if c.names == nil {
		c.names = map[string]bool{}
	}
	c.names[name] = true
	c.write("# The session id that the server issued now: ", name, "=… sh THIS-SCRIPT\n", name, "=${", name, ":-", h.Get(mcp.HeaderSessionID), "}\n")
}

// variable is the shell variable for a placeholder; "" for anything else.
func variable(id string) string {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(id, "unknown-"), "session-")
	if !ok || rest == "" || strings.Trim(rest, "0123456789") != "" {
		return ""
	}
	return strings.ReplaceAll(id, "-", "_")
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
	if name := variable(f.Value); name != "" && strings.EqualFold(f.Name, mcp.HeaderSessionID) {
		line = shellQuote(f.Name+": ") + `"$` + name + `"`
	}
	return " \\\n  -H " + line
}

// tokenLetters are those of a header name (RFC 9110 5.6.2).
const tokenLetters = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const hereEnd = "END-OF-INPUT"

// line writes a line of a process's standard input.
func (c *curl) line(f *wire.Frame) {
	if !c.input {
		c.input = true
		c.runs++
		c.write("\n", comment(fmt.Sprintf("Server run %d. Its input stays open WAIT seconds for the responses.", c.runs)), "{\n")
	}
	text := string(f.Data)
	if f.Len > MaxWhole {
		c.endHere()
		c.write(comment(fmt.Sprintf("#%d, a message of %d bytes, is too long for a script.", f.N, f.Len)))
		return
	}
	if !isPlain(text) || text == hereEnd || f.EOL != "\n" {
		c.endHere()
		c.write(shellPrint(text+f.EOL), "\n")
		return
	}
	if !c.here {
		c.here = true
		c.write("cat <<'", hereEnd, "'\n")
	}
	c.write(text, "\n")
}

func (c *curl) endHere() {
	if c.here {
		c.here = false
		c.write(hereEnd, "\n")
	}
}

func (c *curl) endInput() {
	c.endHere()
	if !c.input {
		return
	}
	c.input = false
	var words []string
	for _, word := range c.s.Command {
		words = append(words, shellWord(word))
	}
	if len(words) == 0 {
		words = []string{"cat"}
	}
	c.write("sleep \"${WAIT:-3}\"\n} | ", strings.Join(words, " "), "\n")
}
