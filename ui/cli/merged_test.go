package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session"
	"midwire/session/diagnose/rules"
	"midwire/session/record"
	"midwire/ui/library"
	"midwire/ui/query"
)

// playServer is the argument that makes the test binary a small MCP server, with
// its name behind it.
const playServer = "play-server"

func serve(name string) {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := `{"content":[{"type":"text","text":"from ` + name + `"}]}`
		if m.Method == "initialize" {
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"` + name + `","version":"1"}}`
		} else if name == "weather" {
			fmt.Println("it rains")
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}

// client is one that speaks to a server through midwire.
type client struct {
	*testing.T
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
}

func (w *world) connect(t *testing.T, name string) *client {
	t.Helper()
	c := &client{T: t, name: name, cmd: exec.CommandContext(t.Context(), os.Args[0], "--", os.Args[0], playServer, name)}
	c.cmd.Env = append(os.Environ(), "MIDWIRE_HOME="+w.getenv["MIDWIRE_HOME"])
	in, err := c.cmd.StdinPipe()
	out, err2 := c.cmd.StdoutPipe()
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	c.in, c.out = in, bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`)
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// ask sends a request and waits for its response.
func (c *client) ask(line string) {
	c.Helper()
	fmt.Fprintln(c.in, line)
	for c.out.Scan() {
		if strings.HasPrefix(c.out.Text(), `{"jsonrpc"`) {
			return
		}
	}
	c.Fatalf("%s has gone: %v", c.name, c.out.Err())
}

func (c *client) call(id int) {
	c.Helper()
	c.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"look","arguments":{}}}`, id))
}

// leave ends the server, and with it the proxy.
func (c *client) leave() {
	c.in.Close()
	_ = c.cmd.Wait()
}

// viewer takes in what a Watch delivers, as the screen does.
type viewer struct {
	*testing.T
	*record.Watch
	all map[string]*library.Recording
	one *library.Recording
}

func (v *viewer) until(what string, ok func() bool) {
	v.Helper()
	ctx, stop := context.WithTimeout(v.Context(), 30*time.Second)
	defer stop()
	for !ok() {
		b, err := v.Next(ctx)
		if err != nil {
			v.Fatalf("not %s: %v", what, err)
		}
		for _, r := range b.Recordings {
			if v.all[r.ID] == nil {
				v.all[r.ID] = library.New(r, rules.All(), nil)
			}
			v.all[r.ID].Recording = r
		}
		for id, share := range b.Loading {
			v.all[id].Loading = share
		}
		for i := range b.Frames {
			v.all[b.Frames[i].Rec].Take(&b.Frames[i])
		}
	}
}

// calls are the ids of the calls in the list that a filter keeps, in its order.
func (v *viewer) calls(filter string) (ids []string) {
	v.Helper()
	q, err := query.Read(filter)
	if err != nil {
		v.Fatal(err)
	}
	for i := range v.one.Tracker.Rows() {
		row := v.one.Tracker.Row(i)
		if v.one.Tracker.Name(row.Name) == "tools/call" && q.Match(query.RowSubject(v.one, i, nil)) {
			ids = append(ids, v.one.Tracker.Name(row.ID))
		}
	}
	return ids
}

// Five servers of one client, each behind a midwire of its own, are one list.
func TestFiveServersInOneList(t *testing.T) {
	w := newWorld(t)
	names := []string{"files", "git", "memory", "weather", "calendar"}
	var clients []*client
	for _, name := range names {
		clients = append(clients, w.connect(t, name))
	}
	watch, err := record.NewWatch(w.recordings(), time.Time{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	v := &viewer{t, watch, map[string]*library.Recording{}, nil}
	v.until("listed", func() bool { return len(v.all) == len(names) })
	var parts []*library.Recording
	for _, r := range v.all {
		parts = append(parts, r)
	}
	v.one = library.NewMerged("merged/1", parts, rules.All(), nil)
	v.all[v.one.ID] = v.one
	v.Merge(v.one.ID, library.IDs(parts))

	id, want := 0, []string(nil)
	round := func(of []*client) {
		for _, c := range of {
			id++
			c.call(id)
			want = append(want, fmt.Sprint(id))
		}
	}
	for range 5 {
		round(clients)
	}
	v.until("all there", func() bool { return len(v.calls("is:ok")) == len(want) })
	clients[1].leave() // git ends, the others go on
	slices.Reverse(clients[2:])
	round(clients[2:])
	v.until("there after one has ended", func() bool {
		return len(v.calls("is:ok")) == len(want) && v.one.Name() == "5 proxies, 4 live"
	})
	if got := v.calls("method:tools"); !slices.Equal(got, want) {
		t.Errorf("the order is %v, the client's %v", got, want)
	}
	if got := v.calls("server:memory"); len(got) != 6 || got[0] != "3" {
		t.Errorf("memory has %v", got)
	}
	v.checkNames(names)
	v.checkFindings()
	for i, c := range clients {
		if i != 1 {
			c.leave()
		}
	}
	v.until("ended", func() bool { return !v.one.Live && v.one.Name() == "5 recordings" })
	if s := v.one.Session(0); s.State != session.StateClosed {
		t.Errorf("a session is %s", s.State)
	}
}

// checkNames: a session is called what its server calls itself.
func (v *viewer) checkNames(names []string) {
	v.Helper()
	var got []string
	for i, s := range v.one.Tracker.Sessions() {
		of, k := v.one.SessionOrigin(i)
		if own := of.Session(k); own == nil || own.Server.Name != s.Server.Name {
			v.Errorf("session %d of %s is not %s", k, of.ID, s.Server.Name)
		}
		got = append(got, s.Server.Name)
	}
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		v.Errorf("sessions %q", got)
	}
}

// checkFindings: what one server did wrong is found where it did.
func (v *viewer) checkFindings() {
	v.Helper()
	v.one.ArrangeFindings()
	for _, f := range v.one.Findings.All {
		if f.Rule.ID != "stdout-noise" {
			continue
		}
		of, own := v.one.FindingOrigin(f)
		for i, n := range f.Frames {
			here, err := v.Frame(v.one.ID, n)
			there, err2 := v.Frame(of.ID, own.Frames[i])
			if err != nil || err2 != nil || string(here.Data) != "it rains" || string(there.Data) != "it rains" || here.N != n {
				v.Errorf("frame %d is %q, frame %d of its own %q: %v, %v", n, here.Data, own.Frames[i], there.Data, err, err2)
			}
		}
		if f.Count != 6 || of.Session(0).Server.Name != "weather" {
			v.Errorf("%d times in %s", f.Count, of.Session(0).Server.Name)
		}
		return
	}
	v.Errorf("the noise of weather was not found among %d", len(v.one.Findings.All))
}
