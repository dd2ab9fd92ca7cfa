package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"midwire/session/wire"
)

// TestWhatBothSidesSee: for each preset, what server and client see of one
// conversation and when that they would not without it (+), and what they miss (-),
// over stdio, and over HTTP with bodies and with streams. UPDATE=1 rewrites the file.
func TestWhatBothSidesSee(t *testing.T) {
	var b strings.Builder
	usual := map[string]string{}
	for _, how := range []string{"stdio", "bodies", "streams"} {
		usual[how] = played(t, how, "text:nothing => drop")
	}
	for _, p := range Presets() {
		for _, how := range []string{"stdio", "bodies", "streams"} {
			tap := tapOf(how)
			rules, err := Parse(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			fits := true
			for _, r := range rules {
				fits = fits && r.Fits(tap) == ""
			}
			if !fits {
				continue
			}
			fmt.Fprintf(&b, "== %s, %s\n", p.Name, how)
			b.WriteString(difference(usual[how], played(t, how, p.Name)))
		}
	}
	path := filepath.Join("testdata", "presets.golden")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("what they see is another thing than in %s; UPDATE=1 rewrites it:\n%s", path, firstDifference(got, string(want)))
	}
}

func tapOf(how string) string {
	if how == "stdio" {
		return how
	}
	return "http"
}

// played is what is seen of the conversation.
func played(t *testing.T, how, rule string) (log string) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{world: newWorld(t, tapOf(how), rule), how: how, began: time.Now()}
		s.play()
		log = s.log.String()
		s.conn.Close()
	})
	return log
}

// difference lists the lines that are only in one.
func difference(usual, broken string) string {
	there := map[string]int{}
	for line := range strings.Lines(usual) {
		there[line]++
	}
	var b strings.Builder
	for line := range strings.Lines(broken) {
		if there[line]--; there[line] < 0 {
			b.WriteString("+ " + line)
		}
	}
	for line := range strings.Lines(usual) {
		if there[line] > 0 {
			there[line]--
			b.WriteString("- " + line)
		}
	}
	return b.String()
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("line %d: %s\nwas: %s", i+1, as[i], bs[i])
		}
	}
	return "one is longer"
}

// stage plays client and server of a conversation. The server answers what reaches
// it.
type stage struct {
	*world
	how   string
	began time.Time
	log   strings.Builder
	up    int // bytes that the server has seen
	down  int // bytes that the client has seen
	gone  bool
}

func (s *stage) play() {
	s.send(request(0, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`))
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := 1; i <= 3; i++ {
		s.send(toolCall(i, "a"))
	}
	if s.how == "streams" {
		s.raw("GET /mcp HTTP/1.1\r\nMcp-Session-Id: S\r\nLast-Event-ID: 7\r\n\r\n")
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`)
	time.Sleep(2 * time.Minute)
	s.look()
}

func (s *stage) send(message string) {
	if s.how == "stdio" {
		s.raw(message + "\n")
		return
	}
	fields := []string{"Accept: application/json, text/event-stream"}
	if !strings.Contains(message, `"initialize"`) {
		fields = append(fields, "Mcp-Session-Id: S", "MCP-Protocol-Version: 2025-06-18", "Authorization: Bearer x")
	}
	s.raw(post(message, fields...))
}

// raw sends bytes and has the server answer what it gets of them. A client that
// waits over HTTP sends nothing more on its connection.
func (s *stage) raw(text string) {
	if s.gone {
		return
	}
	s.feed(wire.ToServer, text, 1<<20)
	synctest.Wait()
	s.look()
	time.Sleep(3 * time.Second)
	s.look()
}

// look logs what went out, and answers for the server.
func (s *stage) look() {
	for synctest.Wait(); ; synctest.Wait() {
		got := s.sent(wire.ToServer)[s.up:]
		s.up += len(got)
		s.tell("server", got)
		back := s.sent(wire.ToClient)[s.down:]
		s.down += len(back)
		s.tell("client", back)
		s.mu.Lock()
		for _, how := range s.cuts {
			fmt.Fprintf(&s.log, "%s cut %s\n", s.clock(), []string{"clean", "reset"}[how])
		}
		if s.kills > 0 {
			fmt.Fprintf(&s.log, "%s killed\n", s.clock())
		}
		over := len(s.cuts)+s.kills > 0
		if over {
			s.cuts, s.kills = nil, 0
			s.gone = true
		}
		s.mu.Unlock()
		if got == "" && back == "" || s.gone {
			return
		}
		s.serve(got)
	}
}

func (s *stage) clock() string { return fmt.Sprintf("%5.1fs", time.Since(s.began).Seconds()) }

func (s *stage) tell(who, text string) {
	if text == "" {
		return
	}
	if len(text) > 1200 {
		text = fmt.Sprintf("%s… %d bytes", text[:200], len(text))
	}
	text = strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\r", "")
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&s.log, "%s %s| %s\n", s.clock(), who, line)
	}
}

// serve answers requests that have reached the server.
func (s *stage) serve(got string) {
	r := wire.NewRequestStream()
	if s.how == "stdio" {
		for line := range strings.Lines(got) {
			s.respond(line)
		}
		return
	}
	body, verb := "", ""
	for p := []byte(got); len(p) > 0 || r.Ended(); {
		tok, n := r.Next(p)
		switch tok {
		case wire.TokenHead:
			verb, body = r.Facts().Method, ""
		case wire.TokenContent:
			body += string(p[:n])
		case wire.TokenEnd:
			if verb == "GET" {
				s.feed(wire.ToClient, streamHead+chunk(": ping\n\n")+"0\r\n\r\n", 1<<20)
			} else {
				s.respond(body)
			}
		}
		p = p[n:]
	}
}

func (s *stage) respond(message string) {
	m, ok := wire.ScanMessage([]byte(strings.TrimSpace(message)))
	answer := ""
	if id := string(m.ID); ok && m.Kind == wire.MsgRequest {
		answer = `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"ok ` + id + `"}],"structuredContent":{"n":` + id + `}}}`
		if string(m.Method) == "initialize" {
			answer = `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"}}}`
		}
	}
	session := "Mcp-Session-Id: S"
	switch {
	case s.how == "stdio" && answer != "":
		s.feed(wire.ToClient, answer+"\n", 1<<20)
	case s.how == "stdio":
	case answer == "":
		s.feed(wire.ToClient, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", 1<<20)
	case s.how == "bodies":
		s.feed(wire.ToClient, reply(answer, session), 1<<20)
	default:
		head := strings.Replace(streamHead, "\r\n\r\n", "\r\n"+session+"\r\n\r\n", 1)
		note := event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
		s.feed(wire.ToClient, head+chunk("id: "+string(m.ID)+"\n"+note)+chunk(event(answer))+"0\r\n\r\n", 1<<20)
	}
}
