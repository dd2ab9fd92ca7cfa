package backend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/transcript"
	"midwire/intercept"
	"midwire/replay"
	"midwire/session/record"
	"midwire/ui/library"
	"midwire/ui/replaying"
)

var _ replaying.Replayer = (*Replayer)(nil)

// TestMain lets the test binary play a server, "serve" and what is odd about
// it, and an editor: "edit OLD NEW FILE".
func TestMain(m *testing.M) {
	args := os.Args[1:]
	switch {
	case len(args) > 0 && args[0] == "serve":
		if shop(args[1:]...).Run(context.Background(), &mcp.StdioTransport{}) != nil {
			os.Exit(1)
		}
	case len(args) == 4 && args[0] == "edit":
		text, err := os.ReadFile(args[3])
		if err == nil {
			err = os.WriteFile(args[3], []byte(strings.ReplaceAll(string(text), args[1], args[2])), 0o600)
		}
		if err != nil {
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

type basket struct {
	ID   string `json:"id,omitempty"`
	Item string `json:"item,omitempty"`
}

type total struct {
	Items  int   `json:"items"`
	TookMS int64 `json:"took_ms"`
}

// shop is a server whose add needs the id that open hands out.
func shop(odd ...string) *mcp.Server {
	var mu sync.Mutex
	baskets := map[string]int{}
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "open", Annotations: readOnly}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, basket, error) {
		mu.Lock()
		defer mu.Unlock()
		b := basket{ID: fmt.Sprintf("bk-%x", time.Now().UnixNano())}
		baskets[b.ID] = 0
		return nil, b, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "add"}, func(_ context.Context, _ *mcp.CallToolRequest, in basket) (*mcp.CallToolResult, total, error) {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := baskets[in.ID]; !ok {
			return nil, total{}, errors.New("no such basket")
		}
		baskets[in.ID]++
		if slices.Contains(odd, "changed") {
			baskets[in.ID] += len(in.Item)
		}
		return nil, total{baskets[in.ID], time.Now().UnixNano() % 1000}, nil
	})
	return s
}

// library is a folder of recordings and a Replayer on it.
func testLibrary(t *testing.T) (*Replayer, string) {
	dir := t.TempDir()
	r := New(Env{
		Path: func(id string) string { return filepath.Join(dir, id+".jsonl") }, Getenv: os.Getenv,
		Own:     func(string) bool { return true },
		Options: func() (record.Options, error) { return record.Options{}, nil },
		Slow:    replay.Slow{Factor: 1, Least: time.Hour}, // the machine may be busy
		Record: func(h record.Header, opt record.Options) *record.Writer {
			w, err := record.Create(dir, h, opt)
			if err != nil {
				t.Error(err)
				return record.Discard()
			}
			return w
		},
	})
	t.Cleanup(r.Wait)
	return r, dir
}

// recorded is the id of a recording of a client at the shop.
func recorded(t *testing.T, dir string) string {
	t.Helper()
	return recordedAs(t, dir, record.Header{Command: []string{os.Args[0], "serve"}})
}

// recordedAs is the same with what the recording says of its command.
func recordedAs(t *testing.T, dir string, h record.Header) string {
	t.Helper()
	h.Tap, h.Label = "stdio", "shop"
	command := []string{os.Args[0], "serve"}
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	w, err := record.Create(dir, h, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tap := intercept.Stdio{Command: command, Stdin: inR, Stdout: outW, Stderr: null, Started: time.Now(), Record: func() *record.Writer { return w }}
	done := make(chan struct{})
	go func() { defer close(done); _, _ = tap.Run() }()
	client := mcp.NewClient(&mcp.Implementation{Name: "buyer", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	opened, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "open"})
	if err != nil {
		t.Fatal(err)
	}
	id := opened.StructuredContent.(map[string]any)["id"].(string)
	for _, item := range []string{"tea", "milk"} {
		if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: basket{id, item}}); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.Close()
	inW.Close()
	<-done
	return idOf(w.Path())
}

func whole(id string) replaying.Request {
	return replaying.Request{SessionRef: library.SessionRef{Recording: id, Session: -1}}
}

func verdictsOf(c *replay.Comparison) string {
	var all []string
	for _, o := range c.Calls {
		all = append(all, fmt.Sprintf("%s=%d", strings.TrimSpace(o.Method+" "+o.Target), o.Verdict))
	}
	return strings.Join(all, ", ")
}

func TestSessionIsReplayedFromTheScreen(t *testing.T) {
	r, dir := testLibrary(t)
	id := recorded(t, dir)
	q := whole(id)
	p, err := r.Plan(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if p.Calls != 5 || p.Left != 2 || !slices.Equal(p.Unmarked, []string{"add"}) || !slices.Equal(p.Subs, []string{"1 handle"}) || p.Missing != "" || !strings.HasSuffix(p.Target, " serve") {
		t.Errorf("%+v", p)
	}
	if _, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {}); err == nil {
		t.Error("tools were called without having asked")
	}
	q.Tools = replaying.AllTools
	var last replay.Progress
	c, err := r.Run(t.Context(), shown(t, r, q), func(at replay.Progress) { last = at })
	if err != nil {
		t.Fatal(err)
	}
	if got := verdictsOf(c); got != "initialize=0, tools/list=0, tools/call open=0, tools/call add=0, tools/call add=0" {
		t.Error(got)
	}
	if last != (replay.Progress{Done: 5, All: 5}) {
		t.Errorf("%+v", last)
	}
	again, err := r.Compare(t.Context(), library.SessionRef{Recording: id, Session: -1}, library.SessionRef{Recording: c.Second, Session: -1})
	if err != nil || verdictsOf(again) != verdictsOf(c) || again.SecondName == "" {
		t.Errorf("the recording of the replay: %v %+v", err, again)
	}
}

func TestDifferencesAreLaidOutAndIgnored(t *testing.T) {
	r, dir := testLibrary(t)
	id := recorded(t, dir)
	q := whole(id)
	q.Tools, q.Target = replaying.AllTools, replay.JoinWords([]string{os.Args[0], "serve", "changed"})
	c, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if o := c.Calls[3]; o.Verdict != replay.Changed || !o.Was.There || o.Was.Failed || string(o.Was.Body) == string(o.Now.Body) {
		t.Fatalf("%+v", o)
	}
	kinds := func(c *replay.Comparison) map[string]replay.LineKind {
		lines, err := r.Lines(c, 3)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]replay.LineKind{}
		for _, l := range lines {
			all[l.Path] = l.Kind
		}
		return all
	}
	got := kinds(c)
	const items = "result.structuredContent.items"
	if got[items] != replay.LineChanged || got["result.content[0].text.items"] != replay.LineChanged {
		t.Errorf("%v", got)
	}
}

func TestOneCallIsSentAlone(t *testing.T) {
	r, dir := testLibrary(t)
	id := recorded(t, dir)
	q := whole(id)
	q.Tools = replaying.AllTools
	all, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	q.Frame = all.Calls[4].Frame
	p, err := r.Plan(t.Context(), q)
	if err != nil || p.Calls != 3 || !strings.Contains(string(p.Params), `"milk"`) {
		t.Fatalf("%v %+v", err, p)
	}
	t.Setenv("VISUAL", replay.JoinWords([]string{os.Args[0], "edit", "milk", "sugar"}))
	e := r.Edit(p.Params)
	if err := e.Run(); err != nil {
		t.Fatal(err)
	}
	q.Params = e.Text()
	c, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {})
	if err != nil || len(c.Calls) != 3 {
		t.Fatalf("%v %+v", err, c)
	}
	if last := c.Calls[2]; last.Now.Failed || !strings.Contains(string(last.Now.Body), `"items":1`) {
		t.Errorf("the handle of this run was not passed back: %+v", last)
	}
	sent, err := os.ReadFile(filepath.Join(dir, c.Second+".jsonl"))
	if err != nil || !strings.Contains(string(sent), "sugar") || strings.Contains(string(sent), "milk") {
		t.Errorf("what was edited was not sent: %v", err)
	}
}

func TestReplayStops(t *testing.T) {
	r, dir := testLibrary(t)
	q := whole(recorded(t, dir))
	q.Tools = replaying.AllTools
	ctx, stop := context.WithCancel(t.Context())
	c, err := r.Run(ctx, shown(t, r, q), func(at replay.Progress) {
		if at.All > 0 { // before anything is sent
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || c == nil || len(c.Calls) != 0 {
		t.Errorf("%v %+v", err, c)
	}
}

func TestWhatCannotBeSentIsSaid(t *testing.T) {
	r, dir := testLibrary(t)
	id := recorded(t, dir)
	for target, want := range map[string]string{
		"serve --token redacted":                "masks a part of the target",
		"'serve":                                "quote",
		"http://a:xxxxx@host/mcp":               "masks a part of the target",
		"https://":                              "not an HTTP URL",
		"serve --url http://a:redacted@host/":   "masks a part of the target",
		"serve http://a/?k=redacted&b=1":        "masks a part of the target",
		"serve -H 'X-Key: redacted'":            "masks a part of the target",
		"serve '{\"k\":\"redacted:0a1b2c3d\"}'": "masks a part of the target",
		"http://a/?k=redacted":                  "masks a part of the target",
		"serve --show-redacted /redacted/x":     "",
		"http://127.0.0.1:1/a b":                "",
		`node 'a b.js' --x "it's"`:              "",
	} {
		q := whole(id)
		q.Target = target
		p, err := r.Plan(t.Context(), q)
		if err != nil || !strings.Contains(p.Missing, want) || (p.Missing == "") != (want == "") {
			t.Errorf("%s: %v %q", target, err, p.Missing)
		}
	}
	q := whole(id)
	q.Tools, q.Target = replaying.AllTools, filepath.Join(dir, "nosuchserver")
	c, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {})
	if err == nil || c == nil || len(c.Calls) != 5 || len(c.Problems) == 0 || !strings.Contains(c.Problems[len(c.Problems)-1], "not found") {
		t.Errorf("%v %+v", err, c)
	}
	if _, err := r.Plan(t.Context(), whole("nobody")); err == nil {
		t.Error("a recording that is not there is planned")
	}
}

const secretive = `tap http
1.1 > POST /mcp | Authorization: Bearer s3cret-t0ken-0123456789 || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"one","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-Id: aaaa1111 || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
`

func TestMaskedCredentialIsNamed(t *testing.T) {
	r, dir := testLibrary(t)
	s, err := transcript.Parse(secretive)
	if err != nil {
		t.Fatal(err)
	}
	w, err := record.Create(dir, record.Header{Tap: "http", Target: "http://127.0.0.1:1/mcp"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Frames {
		w.Append(f)
	}
	w.Close()
	q := whole(w.ID())
	p, err := r.Plan(t.Context(), q)
	if err != nil || !strings.Contains(p.Missing, "header Authorization") || !strings.Contains(p.Missing, "midwire replay "+w.ID()) {
		t.Errorf("%v %+v", err, p)
	}
	if c, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {}); err == nil || c != nil {
		t.Errorf("it was sent without the credential: %+v", c)
	}
}

// A command with a relative name is found where it was recorded.
func TestCommandRunsWhereItWasRecorded(t *testing.T) {
	r, dir := testLibrary(t)
	home := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(home, "shop")); err != nil {
		t.Fatal(err)
	}
	q := whole(recordedAs(t, dir, record.Header{Command: []string{"./shop", "serve"}, Cwd: home}))
	q.Tools = replaying.ReadOnlyTools
	c, err := r.Run(t.Context(), shown(t, r, q), func(replay.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	if got := verdictsOf(c); got != "initialize=0, tools/list=0, tools/call open=0, tools/call add=7, tools/call add=7" {
		t.Error(got)
	}
}

func TestWordsOfCommandLines(t *testing.T) {
	for _, words := range [][]string{{"a"}, {"a b", "c"}, {`it's`, ""}, {`"`, "'"}, {"\t", "x=y z"}} {
		text := replay.JoinWords(words)
		if got, ok := replay.SplitWords(text); !ok || !slices.Equal(got, words) {
			t.Errorf("%q is written %s and read %q", words, text, got)
		}
	}
}
