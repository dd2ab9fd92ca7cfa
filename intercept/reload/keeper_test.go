package reload

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"midwire/fixtures/effort"
	"midwire/session/wire"
)

func TestMain(m *testing.M) {
	effort.Wait()
	m.Run()
}

// stage is a keeper with servers that the test plays.
type stage struct {
	*testing.T
	k      *Keeper
	serve  func(n int, s *server) // the nth process, from 1
	mu     sync.Mutex
	n      int
	said   []string
	own    int
	refuse error // of the next start
	noted  atomic.Int64
}

type server struct {
	t    *stage
	in   *bufio.Reader
	out  *os.File
	kill chan struct{}
	term chan struct{}
}

func newStage(t *testing.T, watch []string, serve func(n int, s *server)) *stage {
	st := &stage{T: t, serve: serve}
	first, err := st.start()
	if err != nil {
		t.Fatal(err)
	}
	st.k = New(Options{
		Start: st.start, Watch: watch, Done: func() {},
		Say: func(what, was, now string) {
			st.mu.Lock()
			defer st.mu.Unlock()
			st.said = append(st.said, what+": "+was+" | "+now)
		},
		Own: func([]byte) { st.own++ },
	}, first)
	return st
}

func (st *stage) start() (*Process, error) {
	if st.refuse != nil {
		return nil, st.refuse
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	st.n++
	s := &server{st, bufio.NewReader(theirIn), theirOut, make(chan struct{}), make(chan struct{})}
	over := make(chan struct{})
	n := st.n
	go func() {
		defer close(over)
		defer theirOut.Close()
		defer theirIn.Close()
		st.serve(n, s)
	}()
	once := sync.OnceFunc(func() { close(s.kill) })
	term := sync.OnceFunc(func() { close(s.term) })
	return &Process{
		Pid: n, In: in, Out: out,
		Signal: func(os.Signal) error { term(); return nil },
		Note:   func() { st.noted.Add(1) }, Sweep: func() int { return int(st.noted.Swap(0)) },
		Kill: once, Wait: func() (*os.ProcessState, error) { <-over; return nil, errors.New("code " + fmt.Sprint(n)) },
	}, nil
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`

// answers is a server like most: it answers until its input ends. crash ends it.
func answers(version string) func(int, *server) {
	return func(n int, s *server) {
		for {
			line, err := s.in.ReadString('\n')
			if err != nil {
				return
			}
			m, _ := wire.ScanMessage([]byte(line))
			switch {
			case m.Kind != wire.MsgRequest || strings.Contains(line, "hang"):
			case strings.Contains(line, "crash"):
				return
			case string(m.Method) == "initialize":
				fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,"result":{"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"%s%d"}}}`+"\n", m.ID, version, n)
			default:
				fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%s,"result":{"of":%d}}`+"\n", m.ID, n)
			}
		}
	}
}

func (st *stage) send(line string) {
	st.Helper()
	if _, err := st.k.Write([]byte(line + "\n")); err != nil {
		st.Fatal(err)
	}
}

func (st *stage) want(part string) {
	st.Helper()
	got, err := st.k.Next()
	if err != nil || !strings.Contains(string(got), part) {
		st.Fatalf("got %q %v, want %q; said %q", got, err, part, st.heard())
	}
}

func (st *stage) heard() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return strings.Join(st.said, "\n")
}

func (st *stage) end() string {
	st.Helper()
	go st.k.Leave()
	for {
		if _, err := st.k.Next(); err == io.EOF {
			break
		}
	}
	_, err := st.k.Wait()
	return err.Error()
}

func TestRestart(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil, answers("v"))
	st.send(hello)
	st.want(`"version":"v1"`)
	st.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}`)
	st.send(`{"jsonrpc":"2.0","id":"taken","method":"ping"}`)
	st.want(`"of":1`)
	if err := st.k.Restart("asked for"); err != nil {
		t.Fatal(err)
	}
	st.want(`"id":1,"error":{"code":-32000,"message":"midwire: the server was restarted (asked for). Send the request again"}`)
	st.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	st.want(`tools/list_changed`)
	st.want(`"of":2`)
	if how := st.end(); how != "code 2" || st.own != 2 {
		t.Errorf("%s, %d lines of our own", how, st.own)
	}
	if said := st.heard(); !strings.Contains(said, "reload-response: serverInfo.version v1 | serverInfo.version v2") {
		t.Error(said)
	}
}

// TestNoHandshake: a server of 2026-07-28 gets nothing but what its client sends.
func TestNoHandshake(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil, answers(""))
	st.send(`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`)
	st.want(`"of":1`)
	_ = st.k.Restart("asked for")
	for n := 2; ; n++ { // until it is another one
		st.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n))
		got, _ := st.k.Next()
		if strings.Contains(string(got), `"of":2`) {
			break
		}
	}
	if st.end(); st.own > 1 || strings.Contains(st.heard(), "initialize") {
		t.Error(st.heard())
	}
}

// TestCrash: a server that ends by itself is started for the next request, once, and not
// without a pause; what comes meanwhile is held, or answered.
func TestCrash(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil, answers("v"))
	st.send(hello)
	st.want(`"version"`)
	st.send(`{"jsonrpc":"2.0","id":1,"method":"crash"}`)
	st.want(`"id":1,"error"`)
	began := time.Now()
	st.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	st.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	st.want(`list_changed`)
	st.want(`"of":2`)
	if took := time.Since(began); took < leastPause/2 {
		t.Errorf("started again after %s", took)
	}
	st.end()
	if said := st.heard(); strings.Count(said, "reload-ended: process 1 | code 1") != 1 {
		t.Error(said)
	}
}

// TestUnusable: a server that cannot be started again costs errors, no loop, and no message.
func TestUnusable(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil, func(n int, s *server) {
		if n == 1 {
			answers("v")(n, s)
		}
	})
	st.send(hello)
	st.want(`"version"`)
	_ = st.k.Restart("a.js changed")
	for got := ""; !strings.Contains(got, `"error"`); { // the first process may still respond
		st.send(`{"jsonrpc":"2.0","id":"first","method":"ping"}`)
		next, _ := st.k.Next()
		got = string(next)
	}
	deadline := time.Now().Add(4 * time.Second)
	asked := 1
	for ; time.Now().Before(deadline); asked++ {
		st.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"n%d","method":"ping"}`, asked))
		st.want(fmt.Sprintf(`"id":"n%d","error"`, asked))
	}
	if st.n > asked+2 || asked > 4 { // each waits for a pause: 1 s, 2 s, 4 s
		t.Errorf("started %d times for %d requests", st.n, asked)
	}
	st.refuse = errors.New("no such file")
	if how := st.end(); !strings.HasPrefix(how, "code ") {
		t.Error(how)
	}
}

// TestHangs: a server that minds neither the end of its input nor SIGTERM is killed.
func TestHangs(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil, func(n int, s *server) {
		if n > 1 {
			answers("v")(n, s)
			return
		}
		line, _ := s.in.ReadString('\n')
		fmt.Fprintln(s.out, `{"jsonrpc":"2.0","id":0,"result":{}}`)
		fmt.Fprint(s.out, `{"jsonrpc":"2.0","id":1,"resu`, line[:0])
		<-s.kill
	})
	st.send(hello)
	st.want(`"result"`)
	_ = st.k.Restart("asked for")
	for !strings.Contains(st.heard(), "asked to end") {
		runtime.Gosched()
	}
	st.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	st.want(`"of":2`)
	st.end()
	said := st.heard()
	for _, part := range []string{"sent SIGTERM", "killed, with the processes", "reload-dropped: 29 bytes"} {
		if !strings.Contains(said, part) {
			t.Errorf("without %q: %s", part, said)
		}
	}
}

// TestStale: a response to what the process before asked does not reach the new one.
func TestStale(t *testing.T) {
	t.Parallel()
	got := make(chan string, 8)
	st := newStage(t, nil, func(n int, s *server) {
		if n == 1 {
			_, _ = s.in.ReadString('\n')
			fmt.Fprintln(s.out, `{"jsonrpc":"2.0","id":0,"result":{}}`)
			fmt.Fprintln(s.out, `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`)
			_, _ = s.in.ReadString('\n')
			return
		}
		_, _ = s.in.ReadString('\n')
		fmt.Fprintln(s.out, `{"jsonrpc":"2.0","id":0,"result":{}}`)
		line, _ := s.in.ReadString('\n')
		got <- line
		fmt.Fprintln(s.out, `{"jsonrpc":"2.0","id":9,"result":{}}`)
	})
	st.send(hello)
	st.want(`"result"`)
	st.want(`roots/list`)
	_ = st.k.Restart("asked for")
	st.want(`notifications/cancelled","params":{"requestId":7`)
	st.send(`{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}`)
	st.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	st.want(`"id":9`)
	if line := <-got; !strings.Contains(line, "ping") {
		t.Error(line)
	}
	st.end()
}

// TestFirst: a server that never answered ends as without us, and so does one that was asked
// to end.
func TestFirst(t *testing.T) {
	t.Parallel()
	st := newStage(t, nil, func(_ int, s *server) { fmt.Fprint(s.out, "usage: server\nmore") })
	st.want("usage")
	st.want("more")
	if _, err := st.k.Wait(); err.Error() != "code 1" {
		t.Error(err)
	}
	st = newStage(t, nil, func(n int, s *server) { go answers("v")(n, s); <-s.term })
	st.send(hello)
	st.want(`"version"`)
	st.k.Final()
	_ = st.k.Signal(terminate)
	if _, err := st.k.Wait(); err.Error() != "code 1" || st.n != 1 {
		t.Error(err, st.n)
	}
}

// TestWatch: a change restarts once; a file that the server itself writes is found out.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(deep, "own.log")
	st := newStage(t, []string{filepath.Join(dir, "**", "*.log")}, func(n int, s *server) {
		_ = os.WriteFile(log, []byte(strings.Repeat("x", n)), 0o600)
		answers("v")(n, s)
	})
	st.send(hello)
	go func() {
		for {
			if _, err := st.k.Next(); err != nil {
				return
			}
		}
	}()
	deadline := time.After(30 * time.Second)
	for again := time.After(0); !strings.Contains(st.heard(), "watched no longer"); {
		select {
		case <-again: // and once more: what the server wrote before the first look is no change
			_ = st.k.Restart("asked for")
			again = time.After(3 * time.Second)
		case <-time.After(50 * time.Millisecond):
		case <-deadline:
			t.Fatal(st.heard())
		}
	}
	if n := strings.Count(st.heard(), "own.log changed"); n >= mostQuick {
		t.Errorf("%d restarts", n)
	}
	st.k.Kill()
}
