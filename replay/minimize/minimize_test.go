package minimize

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
	"midwire/replay/run"
	"midwire/session/record"
)

// world is a server whose last call fails when certain calls were made before it in the
// same session, with certain arguments.
type world struct {
	needs   []int // steps that have to come before, by the argument “n”
	ordered bool
	members []string // of the last call's arguments, that have to be there
	flaky   bool
	healthy bool

	mu       sync.Mutex
	seen     map[string][]int
	sessions int
	called   []string
}

func (s *world) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments map[string]any
		}
	}
	_ = json.Unmarshal(raw, &m)
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method != http.MethodPost || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	id, result := r.Header.Get("Mcp-Session-Id"), `{}`
	switch m.Method {
	case "initialize":
		s.sessions++
		w.Header().Set("Mcp-Session-Id", fmt.Sprintf("new-session-%d-5f0c7a1e", s.sessions))
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"world","version":"1"}}`
	case "tools/list":
		result = toolsResult
	case "tools/call":
		s.called = append(s.called, m.Params.Name)
		if m.Params.Name == "last" && s.fails(id, m.Params.Arguments) {
			result = `{"isError":true,"content":[{"type":"text","text":"index 7 is out of range"}]}`
			break
		}
		n, _ := m.Params.Arguments["n"].(float64)
		s.seen[id] = append(s.seen[id], int(n))
		result = `{"content":[{"type":"text","text":"done"}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (s *world) fails(id string, args map[string]any) bool {
	if s.healthy || s.flaky && s.sessions%2 == 0 {
		return false
	}
	at := -1
	for _, n := range s.needs {
		i := slices.Index(s.seen[id], n)
		if i < 0 || s.ordered && i < at {
			return false
		}
		at = i
	}
	return !slices.ContainsFunc(s.members, func(name string) bool { _, ok := args[name]; return !ok })
}

const toolsResult = `{"tools":[{"name":"step","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},` +
	`{"name":"last","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"wipe","inputSchema":{"type":"object"}}]}`

// session is a recording of so many calls before one that fails.
func session(t *testing.T, calls int, wipe bool, last string) *replay.Script {
	t.Helper()
	var b strings.Builder
	b.WriteString("tap http\n")
	x := 0
	post := func(id, method, params, result string) {
		x++
		fmt.Fprintf(&b, "1.%d > POST /mcp | Accept: application/json, text/event-stream | Content-Type: application/json"+
			" | User-Agent: desk | X-Tenant: blue | X-Trace: 1", x)
		if method != "initialize" {
			b.WriteString(" | Mcp-Session-Id: was-0d5b8c1f-52c1")
		}
		fmt.Fprintf(&b, ` || {"jsonrpc":"2.0",%s"method":%q,"params":%s}`+"\n", id, method, params)
		switch {
		case id == "":
			fmt.Fprintf(&b, "1.%d < 202 ||\n", x)
		default:
			head := ""
			if method == "initialize" {
				head = " | Mcp-Session-Id: was-0d5b8c1f-52c1"
			}
			fmt.Fprintf(&b, `1.%d < 200 application/json%s || {"jsonrpc":"2.0",%s"result":%s}`+"\n", x, head, id, result)
		}
	}
	post(`"id":0,`, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`,
		`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"world","version":"1"}}`)
	post("", "notifications/initialized", "{}", "")
	post(`"id":1,`, "tools/list", "{}", toolsResult)
	for i := range calls {
		name := "step"
		if wipe && i == calls/2 {
			name = "wipe"
		}
		post(fmt.Sprintf(`"id":%d,`, i+2), "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"n":%d}}`, name, i), `{"content":[{"type":"text","text":"done"}]}`)
	}
	post(fmt.Sprintf(`"id":%d,`, calls+2), "tools/call", `{"name":"last","arguments":`+last+`}`,
		`{"isError":true,"content":[{"type":"text","text":"index 3 is out of range"}]}`)
	s, err := replay.Load(replaytest.Transcript(t, record.Header{Tap: "http", Target: "http://127.0.0.1:1/mcp"}, b.String()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ask minimizes the last call of a script against a world.
func ask(t *testing.T, s *replay.Script, w *world, opt Options) (*Result, error) {
	t.Helper()
	w.seen = map[string][]int{}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	opt.URL, opt.Record = u, replaytest.Library(t)
	return Run(context.Background(), s, int32(len(s.Calls)-1), opt)
}

// frames are the requests of calls by their argument n.
func frames(s *replay.Script, calls []int) (all []uint32) {
	for _, n := range calls {
		all = append(all, s.CallRow(int32(n+2)).Request)
	}
	return all
}

// TestPlanted minimizes twenty failures that are planted among a hundred calls: what is left
// is what they need, and no more; half of them take 20 tries at most.
func TestPlanted(t *testing.T) {
	s := session(t, 97, false, `{"n":1000,"text":"a long text that does not matter","deep":{"a":1,"b":[1,2,3]},"flag":true}`)
	r := rand.New(rand.NewPCG(2026, 11))
	var tries []int
	for i := range 12 { // each order, member and number of needs together with each other
		w := &world{ordered: i%2 == 0}
		for len(w.needs) < i%4 {
			if n := r.IntN(97); !slices.Contains(w.needs, n) {
				w.needs = append(w.needs, n)
			}
		}
		slices.Sort(w.needs)
		if i%3 == 0 {
			w.members = []string{"flag"}
		}
		got, err := ask(t, s, w, Options{})
		if err != nil || got.Outcome != Minimal || got.Fails != 3 || got.Times != 3 || got.Minimal == "" {
			t.Fatalf("%d: %v: %+v", i, err, got)
		}
		var left []uint32
		for _, m := range got.Messages {
			if m.Label == "tools/call step" {
				left = append(left, m.Frame)
			}
		}
		if want := frames(s, w.needs); !slices.Equal(left, want) {
			t.Errorf("%d: #%v are left, %v are needed", i, left, want)
		}
		if !slices.Equal(got.Members, w.members) {
			t.Errorf("%d: members %v are left, %v are needed", i, got.Members, w.members)
		}
		tries = append(tries, got.Tries)
	}
	slices.Sort(tries)
	t.Log("tries:", tries)
	if median := tries[len(tries)/2]; median > 20 {
		t.Errorf("half of them took more than 20 tries: %v", tries)
	}
}

// TestNotMinimized: what fails sometimes, and what fails no more, is said to, and not searched.
func TestNotMinimized(t *testing.T) {
	s := session(t, 10, false, `{"n":1}`)
	got, err := ask(t, s, &world{flaky: true}, Options{})
	if err != nil || got.Outcome != Flaky || got.Fails == 0 || got.Fails == got.Times || got.Tries > 10 {
		t.Errorf("%v: %+v", err, got)
	}
	got, err = ask(t, s, &world{healthy: true}, Options{})
	if err != nil || got.Outcome != Gone || got.Fails != 0 || got.Tries > 10 {
		t.Errorf("%v: %+v", err, got)
	}
}

// TestNothingUnsafe: a tool that is not marked read-only is not called without leave.
func TestNothingUnsafe(t *testing.T) {
	w := &world{needs: []int{2}}
	got, err := ask(t, session(t, 10, true, `{"n":1}`), w, Options{})
	if err != nil || got.Outcome != Minimal || got.LeftOut != 1 || slices.Contains(w.called, "wipe") {
		t.Errorf("%v: %+v, called %v", err, got, w.called)
	}
	w = &world{needs: []int{5}} // which is wipe
	got, err = ask(t, session(t, 10, true, `{"n":1}`), w, Options{Options: run.Options{Yes: true}})
	if err != nil || got.Outcome != Minimal || len(got.Messages) != 4 || !slices.Contains(w.called, "wipe") {
		t.Errorf("%v: %+v", err, got)
	}
}

// TestSecret: a server that repeats the credential fails in the recorded way, in which that is
// masked; neither the result nor what is left on the disk has it, and tries leave nothing.
func TestSecret(t *testing.T) {
	const secret = "s3cret/0123456789"
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	s := session(t, 5, false, `{"n":1}`)
	w := &world{seen: map[string][]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		in := httptest.NewRecorder()
		w.ServeHTTP(in, r)
		text := strings.ReplaceAll(in.Body.String(), "is out of range", `is out of range for s3cret\/0123456789`)
		out.Header().Set("Mcp-Session-Id", in.Header().Get("Mcp-Session-Id"))
		out.Header().Set("Content-Type", "application/json")
		out.WriteHeader(in.Code)
		_, _ = io.WriteString(out, text)
	}))
	defer server.Close()
	u, _ := url.Parse(server.URL + "/mcp?token=" + secret)
	opt := Options{}
	opt.URL, opt.Record = u, replaytest.Library(t)
	got, err := Run(context.Background(), s, int32(len(s.Calls)-1), opt)
	if err != nil || got.Outcome != Gone { // the recorded failure says nothing of a credential
		t.Fatalf("%v: %+v", err, got)
	}
	raw, _ := json.Marshal(got)
	if left, _ := os.ReadDir(temp); strings.Contains(string(raw)+got.Text(), "0123456789") || len(left) > 0 {
		t.Errorf("%s, left %v", raw, left)
	}
}

// TestLimits: a search whose tries are used up says what is known.
func TestLimits(t *testing.T) {
	got, err := ask(t, session(t, 60, false, `{"n":1}`), &world{needs: []int{3, 30, 50}}, Options{Most: 8})
	if err != nil || got.Outcome != Smaller || got.Tries != 8 || got.Why == "" {
		t.Fatalf("%v: %+v", err, got)
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &world{needs: []int{3}, seen: map[string][]int{}}
	server := httptest.NewServer(w)
	defer server.Close()
	u, _ := url.Parse(server.URL + "/mcp")
	s := session(t, 60, false, `{"n":1}`)
	got, err = Run(ctx, s, int32(len(s.Calls)-1), Options{
		Options: run.Options{Server: peer.Server{URL: u, Record: replaytest.Library(t)}}, Tried: func(p Progress) {
			if p.Tries == 6 {
				stop()
			}
		},
	})
	if err == nil || got == nil || got.Tries != 6 {
		t.Errorf("%v: %+v", err, got)
	}
	if _, err = Run(context.Background(), s, 1, Options{}); err == nil || !strings.Contains(err.Error(), "did not fail") {
		t.Error(err)
	}
}
