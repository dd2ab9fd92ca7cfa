//lint:file-ignore SA1019 sampling is deprecated, and is still to be passed on.

package hub_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/intercept/hub/confine"
	"midwire/session/wire"
)

// peerVariable makes the test binary a server on its standard streams.
const peerVariable = "MIDWIRE_HUB_PEER"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "confine" {
		confined(os.Args[2:])
	}
	switch os.Getenv(peerVariable) {
	case "raw", "touchy":
		rawPeer()
	case "failing": // as node does
		fmt.Fprintln(os.Stderr, "starting\nError: Cannot find module 'left-pad' for key very-secret\n    at Module._load (node:internal:1)\n\nNode.js v22.1.0")
		os.Exit(3)
	case "sdk":
		if err := sdkPeer("sdk").Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
	case "old":
		if err := sdkPeer("sdk", "2025-11-25").Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
	case "hub":
		hubProcess()
	default:
		os.Exit(m.Run())
	}
}

// confined is what midwire confine does.
func confined(args []string) {
	var l confine.Limits
	for ; args[0] != "--"; args = args[2:] {
		if args[0] == "--write" {
			l.Write = append(l.Write, args[1])
		} else {
			l.Read = append(l.Read, args[1])
		}
	}
	fmt.Fprintln(os.Stderr, confine.Exec(l, args[1:], os.Environ()))
	os.Exit(126)
}

// rawPeer is a server that reads no more of a message than it must, so that
// nothing of it can be lost: its tools return what they were given, letter for
// letter.
func rawPeer() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	say := func(format string, a ...any) { fmt.Printf(format+"\n", a...) }
	var held string // a call that waits for the client
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		m, ok := wire.ScanMessage(line)
		if !ok {
			continue
		}
		switch string(m.Method) {
		case "initialize":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},"logging":{},"completions":{}},"serverInfo":{"name":"raw","version":"1"},"instructions":"raw instructions"}}`, m.ID, wire.Get(m.Params, "protocolVersion"))
		case "tools/list":
			if wire.Get(m.Params, "cursor") == nil {
				say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"give","inputSchema":{"type":"object"},"_meta":{"n":9007199254740993}}],"nextCursor":"two"}}`, m.ID)
			} else {
				say(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"inputSchema":{"type":"object"},"name":"ask","x":1.0}]}}`, m.ID)
			}
		case "prompts/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"prompts":[{"name":"greet"}]}}`, m.ID)
		case "resources/list":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"resources":[{"uri":"raw://%s","name":"r"}]}}`, m.ID, os.Getenv("NAME"))
		case "resources/read", "resources/subscribe":
			if uri := wire.Text(wire.Get(m.Params, "uri")); !strings.HasPrefix(uri, "raw://"+os.Getenv("NAME")) {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"Resource not found"}}`, m.ID)
			} else {
				say(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":%q,"text":%q}]}}`, m.ID, uri, os.Getenv("NAME"))
			}
		case "tools/call":
			held = rawCall(&m, say)
		case "prompts/get", "completion/complete", "logging/setLevel":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"params":%s}}`, m.ID, m.Params)
		case "notifications/cancelled":
			say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"cancelled":%s}}}`, wire.Get(m.Params, "requestId"))
		case "":
			say(`{"jsonrpc":"2.0","id":%s,"result":{"response":%s}}`, held, strings.TrimSpace(string(line)))
		default:
			if m.ID != nil && os.Getenv(peerVariable) == "touchy" {
				os.Exit(3)
			}
			if m.ID != nil {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
			}
		}
	}
}

// rawCall answers a call of a tool, or leaves it open and returns its id.
func rawCall(m *wire.Message, say func(string, ...any)) (held string) {
	token := wire.Get(m.Params, "_meta", "progressToken")
	switch arguments := wire.Get(m.Params, "arguments"); wire.Text(wire.Get(m.Params, "name")) {
	case "ask":
		say(`{"jsonrpc":"2.0","id":0,"method":%s,"params":{"of":%q}}`, wire.Get(arguments, "method"), os.Getenv("NAME"))
		return string(m.ID)
	case "progress":
		for i := range 3 {
			say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d.0}}`, token, i+1)
		}
	case "change":
		say(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
		say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"n":1.0}}`)
	case "hang":
		say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hanging"}}`)
		return string(m.ID)
	case "die":
		os.Exit(7)
	case "env":
		say(`{"jsonrpc":"2.0","id":%s,"result":{"env":%q}}`, m.ID, strings.Join(os.Environ(), " "))
		return ""
	case "where":
		dir, _ := os.Getwd()
		say(`{"jsonrpc":"2.0","id":%s,"result":{"dir":%q,"key":%q,"pid":%d}}`, m.ID, dir, os.Getenv("KEY"), os.Getpid())
		return ""
	case "cat":
		text, err := os.ReadFile(wire.Text(wire.Get(arguments, "path")))
		say(`{"jsonrpc":"2.0","id":%s,"result":{"text":%q,"error":%q}}`, m.ID, text, fmt.Sprint(err))
		return ""
	case "write":
		err := os.WriteFile(wire.Text(wire.Get(arguments, "path")), []byte("x"), 0o600)
		say(`{"jsonrpc":"2.0","id":%s,"result":{"error":%q}}`, m.ID, fmt.Sprint(err))
		return ""
	}
	say(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"given":%s,"_meta":{"big":9007199254740993,"one":1.0,"e":"\u00e9"}}}`, m.ID, m.Params)
	return ""
}

// sdkPeer is a server of go-sdk's, which speaks some versions or all.
func sdkPeer(name string, versions ...string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: versions})
	mcp.AddTool(s, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, in map[string]any) (*mcp.CallToolResult, any, error) {
		text, _ := json.Marshal(in)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " " + string(text)}}}, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "sample"}, func(ctx context.Context, r *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, any, error) {
		got, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 5, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: name}}}})
		if err != nil {
			return nil, nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{got.Content}}, nil, nil
	})
	return s
}

// sdkHTTP is a server of go-sdk's behind a URL. seen gets every request.
func sdkHTTP(t *testing.T, name string, seen func(*http.Request)) string {
	t.Helper()
	server := sdkPeer(name)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen != nil {
			seen(r)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL + "/mcp"
}

// log collects lines that several goroutines write.
type log struct {
	mu   sync.Mutex // guards text
	text strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
