package replay

//lint:file-ignore SA1019 the tests show revisions in which sampling is not deprecated.

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/classics/classicstest"
	"midwire/intercept"
	"midwire/session/record"
)

// TestMain lets the test binary play a stdio server: "serve" and the names of
// what is different about it, or "mock" and a recording.
func TestMain(m *testing.M) {
	args := append(os.Args[1:], "", "")
	var err error
	switch {
	case args[0] == "serve" && args[1] == "raw":
		rawServer(os.Args[3:])
	case args[0] == "serve":
		err = newDocs(args[1:]...).Run(context.Background(), &mcp.StdioTransport{})
	case args[0] == "mock":
		var s *Script
		if s, err = Load(args[1]); err == nil {
			err = (&Mock{Script: s}).Stdio(context.Background(), os.Stdin, os.Stdout)
		}
	default:
		classicstest.Main(m)
	}
	if err != nil {
		os.Exit(1)
	}
}

// docs is a server whose edit demands what read handed out.
type docs struct {
	mu       sync.Mutex
	sessions map[string]string // text by handle; guarded by mu
}

type docArgs struct {
	Name      string `json:"name"`
	SessionID string `json:"session_id,omitempty"`
	Text      string `json:"text,omitempty"`
}

type docInfo struct {
	Words   int    `json:"words"`
	TookMS  int64  `json:"took_ms"`
	TraceID string `json:"trace_id"`
	At      string `json:"read_at"`
}

func newDocs(odd ...string) *mcp.Server {
	is := func(name string) bool {
		return slices.Contains(odd, name)
	}
	d := &docs{sessions: map[string]string{}}
	s := mcp.NewServer(&mcp.Implementation{Name: "docs", Version: rand.Text()[:4]}, nil)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "read", Annotations: readOnly}, d.read)
	if !is("removed") {
		mcp.AddTool(s, &mcp.Tool{Name: "count", Annotations: readOnly}, func(context.Context, *mcp.CallToolRequest, docArgs) (*mcp.CallToolResult, docInfo, error) {
			words := 3
			if is("changed") {
				words = 4
			}
			return nil, docInfo{Words: words, TookMS: time.Now().UnixNano() % 100, TraceID: rand.Text(), At: time.Now().Format(time.RFC3339Nano)}, nil
		})
	}
	mcp.AddTool(s, &mcp.Tool{Name: "edit"}, d.edit)
	mcp.AddTool(s, &mcp.Tool{Name: "ask", Annotations: readOnly}, func(ctx context.Context, r *mcp.CallToolRequest, in docArgs) (*mcp.CallToolResult, any, error) {
		answer, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{
			MaxTokens: 9, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "about " + in.Name}}},
		})
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{answer.Content.(*mcp.TextContent)}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "wait", Annotations: readOnly}, func(ctx context.Context, _ *mcp.CallToolRequest, _ docArgs) (*mcp.CallToolResult, any, error) {
		if is("slow") {
			<-time.After(slowness)
		}
		if is("hangs") {
			<-ctx.Done()
		}
		if is("dies") {
			os.Exit(7)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	})
	return s
}

func (d *docs) read(_ context.Context, _ *mcp.CallToolRequest, in docArgs) (*mcp.CallToolResult, any, error) {
	id := rand.Text()[:12]
	d.mu.Lock()
	d.sessions[id] = in.Name
	d.mu.Unlock()
	text := fmt.Sprintf("# %s\nHello.\n[session: %s]", in.Name, id)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
}

func (d *docs) edit(_ context.Context, _ *mcp.CallToolRequest, in docArgs) (*mcp.CallToolResult, any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions[in.SessionID] != in.Name {
		return nil, nil, errors.New("read the document first")
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "changed " + in.Name}}}, nil, nil
}

// host is a client that works with documents.
func host(t testing.TB, tr mcp.Transport, revision string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			text := r.Params.Messages[0].Content.(*mcp.TextContent).Text
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "all " + text}}, nil
		},
	})
	s, err := c.Connect(t.Context(), tr, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func call(t testing.TB, s *mcp.ClientSession, tool string, args docArgs) string {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var text strings.Builder
	for _, c := range r.Content {
		text.WriteString(c.(*mcp.TextContent).Text)
	}
	return text.String()
}

// session plays what most tests replay: handles, volatile values, and, where
// the revision has it, the server asking the client.
func play(t testing.TB, s *mcp.ClientSession, ask bool) {
	t.Helper()
	if _, err := s.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.md", "b.md"} {
		text := call(t, s, "read", docArgs{Name: name})
		id := text[len(text)-13 : len(text)-1]
		if got := call(t, s, "edit", docArgs{Name: name, SessionID: id, Text: "x"}); got != "changed "+name {
			t.Fatalf("edit: %s", got)
		}
	}
	call(t, s, "count", docArgs{Name: "a.md"})
	call(t, s, "wait", docArgs{Name: "a.md"})
	call(t, s, "edit", docArgs{Name: "a.md", SessionID: "none", Text: "refused"})
	if ask {
		call(t, s, "ask", docArgs{Name: "a.md"})
	}
	if err := s.Close(); err != nil {
		t.Logf("close: %v", err)
	}
}

// library makes recordings in a folder of the test's own.
func library(t testing.TB) func(record.Header) *record.Writer {
	dir := t.TempDir()
	return func(h record.Header) *record.Writer {
		w, err := record.Create(dir, h, record.Options{})
		if err != nil {
			t.Error(err)
			return record.Discard()
		}
		return w
	}
}

// overStdio records what a client does with a stdio server.
func overStdio(t testing.TB, command []string, revision string, do func(*mcp.ClientSession)) string {
	t.Helper()
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
	w := library(t)(record.Header{Tap: "stdio", Command: command})
	tap := intercept.Stdio{Command: command, Stdin: inR, Stdout: outW, Stderr: null, Started: time.Now(), Record: func() *record.Writer { return w }}
	done := make(chan struct{})
	go func() { defer close(done); _, _ = tap.Run() }()
	do(host(t, &mcp.IOTransport{Reader: outR, Writer: inW}, revision))
	inW.Close()
	<-done
	return w.Path()
}

// overHTTP records what a client does with an HTTP server.
func overHTTP(t testing.TB, server string, do func(origin string)) string {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	opt := intercept.HTTPOptions{Listen: "127.0.0.1:0"}
	tap, err := opt.New(target)
	if err != nil {
		t.Fatal(err)
	}
	tap.Started = time.Now()
	tap.Record = library(t)(record.Header{Started: tap.Started, Tap: "http", Target: server, Listen: tap.Listen.Addr().String()})
	path := tap.Record.Path()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = tap.Run(ctx) }()
	do(tap.Origin())
	cancel()
	<-done
	return path
}

// serveDocs serves documents at /mcp, /modern and /sse.
func serveDocs(t testing.TB, odd ...string) string {
	t.Helper()
	docs := newDocs(odd...)
	get := func(*http.Request) *mcp.Server { return docs }
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, nil))
	mux.Handle("/modern", mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}))
	mux.Handle("/sse", mcp.NewSSEHandler(get, nil))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// slowness is how long a slow server takes for a call: much longer than one
// takes on a busy machine.
const slowness = 2 * time.Second

// serve is the command of the same server on stdio.
func serve(odd ...string) []string { return append([]string{os.Args[0], "serve"}, odd...) }

func load(t testing.TB, path string) *Script {
	t.Helper()
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// replayed replays a recording.
func replayed(t testing.TB, path string, opt Options) *Report {
	t.Helper()
	p, err := load(t, path).Plan(PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Yes = true
	if opt.Record == nil {
		opt.Record = library(t)
	}
	r, err := p.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parse(t testing.TB, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// allSame fails the test with what differs.
func allSame(t *testing.T, r *Report, calls int) {
	t.Helper()
	if r.Differs() || r.Count(Same) != calls {
		t.Errorf("want %d calls, all same; got %d:", calls, r.Count(Same))
		for _, o := range r.Outcomes {
			t.Logf("%s %q %v %s slower=%v", o.Verdict, o.Label, o.Changes, o.Note, o.Slower)
		}
		t.Logf("problems: %v", r.Problems)
	}
}
