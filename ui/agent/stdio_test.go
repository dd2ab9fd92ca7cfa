package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"midwire/session/record"
	"midwire/session/wire"
	"midwire/ui/agent/ask"
)

// talker is a client that sends lines to a server with one recording.
type talker struct {
	t     testing.TB
	conn  net.Conn
	lines chan []byte // what the server says; closed when it has ended
	last  int
}

func talk(t testing.TB, r *ask.Recordings) *talker {
	t.Helper()
	here, there := net.Pipe()
	over := make(chan error, 1)
	go func() { over <- New(r).Run(t.Context(), &Stdio{Reader: there, Writer: there}) }()
	c := &talker{t: t, conn: here, lines: make(chan []byte, 100)}
	go func() {
		defer close(c.lines)
		for in := bufio.NewReader(here); ; {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			c.lines <- line
		}
	}()
	t.Cleanup(func() { here.Close(); <-over })
	c.say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	c.alive()
	return c
}

// say sends bytes; false when the server has ended.
func (c *talker) say(text string) bool {
	_ = c.conn.SetWriteDeadline(time.Now().Add(time.Minute)) // a server that hangs
	_, err := io.WriteString(c.conn, text)
	return err == nil
}

// alive returns what the server has said, once it has answered a ping, and fails when
// it does not.
func (c *talker) alive() (all []string) {
	c.t.Helper()
	c.last++
	id := fmt.Sprintf("ping-%d", c.last)
	if !c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"ping"}`, id) + "\n") {
		c.t.Fatal("the server has ended")
	}
	for line := range c.lines {
		if !json.Valid(line) {
			c.t.Fatalf("this is no JSON: %q", line)
		}
		if wire.Text(wire.Get(line, "id")) == id {
			return all
		}
		all = append(all, string(line))
	}
	c.t.Fatal("the server has ended")
	return nil
}

// small is a folder with one recording.
func small(t testing.TB) *ask.Recordings {
	t.Helper()
	dir := t.TempDir()
	w, err := record.Create(dir, record.Header{Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`>{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"t","arguments":{"a":"İ\u0000"}}}`,
		`<{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"Server not initialized"}}`,
	} {
		w.Append(&wire.Frame{Kind: wire.KindLine, Dir: wire.Dir(line[0]), X: 1, EOL: "\n", Data: []byte(line[1:])})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := &ask.Recordings{
		Folder:  func() (string, error) { return dir, nil },
		Masking: func() (record.Options, error) { return record.Options{}, nil },
	}
	t.Cleanup(r.Close)
	return r
}

// odd are lines that have ended servers, with what is answered.
func odd() map[string]string {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	return map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"midwire://session/x\u0000y"}}`: `"error"`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"\u0007\ud800\u001b"}}`:         `"error"`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"midwire://session/%zz"}}`:      `"error"`,
		`garbage`: `-32700`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"} x`: `-32700`,
		`{"jsonrpc":"2.0"}`:                          `-32600`,
		`{"jsonrpc":"1.0","id":7,"method":"ping"}`:   `"id":7,"error"`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:  `"id":null`,
		`[]`:   `-32600`,
		`[3]`:  `-32600`,
		`null`: `-32600`,
		`"x"`:  `-32600`,
		`[{"jsonrpc":"2.0","id":8,"method":"ping"},4]`:                                                               `"id":8,"result"`,
		`{"jsonrpc":"2.0","id":1,"method":"x\u0000İ\ud8"}`:                                                           `-32700`,
		`{"jsonrpc":"2.0","id":1,"method":"x\u0000İ\ud800"}`:                                                         `-32601`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("x", 1<<20) + `"}}`:      `"error"`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"midwire_search","arguments":` + deep + `}}`: `"error"`,
		strings.Repeat("x", MaxRequest+1):                                                                            `-32600`,
	}
}

// TestNoLineEndsTheServer: what is no message is answered with an error, and the
// messages behind it are served.
func TestNoLineEndsTheServer(t *testing.T) {
	c := talk(t, small(t))
	for line, want := range odd() {
		c.say(line + "\n")
		if all := c.answered(want); !strings.Contains(all, want) {
			t.Errorf("%.100q: %.300s", line, all)
		}
	}
}

// answered is alive, and waits for an answer that holds want. Answers of the SDK and of
// the transport have no order: pings overtake.
func (c *talker) answered(want string) (all string) {
	c.t.Helper()
	for range 1000 {
		if all += strings.Join(c.alive(), ""); strings.Contains(all, want) {
			break
		}
	}
	return all
}

// FuzzRequests: whatever is sent, it is answered or ignored, and the server lives.
func FuzzRequests(f *testing.F) {
	for line := range odd() {
		if len(line) < 1<<12 {
			f.Add(line)
		}
	}
	for _, tool := range []string{"diagnose", "sessions", "messages", "message", "search", "tools", "compare", "explain"} {
		for _, value := range []string{`"\u0000"`, `"İ"`, `"\ud800"`, `-1`, `1e99`, `{}`, `null`, `"last"`, `"` + strings.Repeat("(", 3000) + `"`} {
			for _, name := range []string{"session", "filter", "text", "frame", "path", "a", "limit", "cursor", "rule", "since"} {
				f.Add(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"midwire_%s","arguments":{%q:%s}}}`, tool, name, value))
			}
		}
	}
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list","params":{"cursor":"x"}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"\u0000","arguments":{"a":"\ud800"}}}`)
	f.Add(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[]}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{}}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"İ"}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	r := small(f)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "midwire_wait") {
			return // it waits
		}
		c := talk(t, r)
		c.say(line + "\n")
		c.alive()
	})
}
