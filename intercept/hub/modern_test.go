//lint:file-ignore SA1019 sampling is deprecated, and is still to be passed on.

package hub_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/session/mcp"
)

// modern is a client of 2026-07-28.
func (r *running) modern(path string) *client {
	c := r.client(path)
	c.header.Set(mcp.HeaderVersion, string(mcp.V20260728))
	return c
}

// request posts a request of 2026-07-28 and returns all that comes back. params is
// without its braces.
func (c *client) request(id, method, name, params string) []string {
	c.t.Helper()
	c.header.Set(mcp.HeaderMethod, method)
	c.header.Del(mcp.HeaderName)
	if name != "" {
		c.header.Set(mcp.HeaderName, name)
		params = fmt.Sprintf(`"name":%q,%s`, name, params)
	}
	if !strings.Contains(params, "_meta") {
		params += fmt.Sprintf(`"_meta":{%s}`, envelope)
	}
	resp, text := c.send("POST", c.path, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params))
	return messages(resp, text)
}

const envelope = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"}`

// TestModernEra: a client of 2026-07-28, which has no session, uses servers with a
// handshake, and is told in results what they ask of it.
func TestModernEra(t *testing.T) {
	r := start(t, []string{raw("one", ""), remote("two", sdkHTTP(t, "two", nil))}, nil)
	c := r.modern("/mcp")
	got := c.request(`"d"`, mcp.Discover, "", "")[0]
	want(t, got, `"id":"d"`, `"resultType":"complete"`, `"2026-07-28"`, `"ttlMs":0`, `"cacheScope"`, `"name":"midwire-hub"`, `"tools":{`)
	got = c.request("1", mcp.ToolsList, "", "")[0]
	want(t, got, `"id":1`, `"resultType":"complete"`, `"one_give"`, `"two_echo"`, "9007199254740993")
	got = c.request("7.0", mcp.ToolsCall, "one_give", `"arguments":{"x":1.0},`)[0]
	want(t, got, `"id":7.0`, `{"resultType":"complete","content":[]`, `"big":9007199254740993,"one":1.0`, `"_meta":{}`)
	all := c.request("2", mcp.ToolsCall, "one_progress", `"_meta":{"progressToken":"t",`+envelope+`}`)
	if len(all) != 4 || get(all[0], "params", "progressToken") != `"t"` || get(all[3], "id") != "2" {
		t.Errorf("%q", all)
	}
	// what a server asks comes as a result, and the next POST of the call answers it
	got = c.request("3", mcp.ToolsCall, "one_ask", `"arguments":{"method":"sampling/createMessage"},`)[0]
	want(t, got, `"resultType":"input_required"`, `"method":"sampling/createMessage","params":{"of":"one"}`)
	var key string
	for part := range strings.SplitSeq(got, `"`) {
		if strings.HasPrefix(part, "q") {
			key = part
		}
	}
	again := fmt.Sprintf(`"arguments":{"method":"sampling/createMessage"},"requestState":%s,"inputResponses":{%q:{"text":"mine"}},`, get(got, "result", "requestState"), key)
	got = c.request("4", mcp.ToolsCall, "one_ask", again)[0]
	want(t, got, `"id":4`, `"resultType":"complete"`, `"response":{"jsonrpc":"2.0","id":0,"result":{"text":"mine"}}`)
	want(t, c.request("5", mcp.ToolsCall, "one_ask", again)[0], "expired requestState")
	want(t, c.request("6", mcp.Ping, "", "")[0], "-32601")
	c.header.Set(mcp.HeaderVersion, "2027-01-01")
	want(t, c.request("6", mcp.ToolsList, "", "")[0], "-32020")
}

// TestModernIDs: clients that look alike share instances, and have ids of their own.
func TestModernIDs(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				got := r.modern("/mcp").request("1", mcp.ToolsCall, "one_give", fmt.Sprintf(`"arguments":{"i":%d},`, i))
				if len(got) != 1 || get(got[0], "result", "given", "arguments", "i") != fmt.Sprint(i) {
					t.Errorf("%d: %q", i, got)
				}
			}
		})
	}
	all.Wait()
	_, text := r.client("/mcp").send("GET", "/healthz", "")
	want(t, string(text), `"running":1`)
}

// TestModernSDKClient: go-sdk's client, which asks first whether a server is of
// that version.
func TestModernSDKClient(t *testing.T) {
	self := strings.Replace(raw("near", ""), `:"raw"`, `:"old"`, 1)
	r := start(t, []string{self, remote("far", sdkHTTP(t, "far", nil))}, nil)
	c := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, &sdk.ClientOptions{
		CreateMessageHandler: func(context.Context, *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			return &sdk.CreateMessageResult{Role: "assistant", Model: "m", Content: &sdk.TextContent{Text: "sampled"}}, nil
		},
	})
	s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: r.url + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if v := s.InitializeResult().ProtocolVersion; v != "2026-07-28" {
		t.Errorf("it speaks %s", v)
	}
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 4 {
		t.Errorf("%+v %v", tools, err)
	}
	for _, tool := range []string{"near_sample", "far_sample"} {
		got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
		if err != nil || got.IsError || got.Content[0].(*sdk.TextContent).Text != "sampled" {
			t.Errorf("%s: %+v %v", tool, got, err)
		}
	}
}

// refusing is a server of 2026-07-28 and of no other version.
func refusing(t *testing.T) string {
	t.Helper()
	server := sdkPeer("new")
	sdk.AddTool(server, &sdk.Tool{Name: "input"}, func(_ context.Context, r *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, any, error) {
		given, ok := r.Params.InputResponses["who"].(*sdk.ElicitResult)
		if !ok {
			return &sdk.CallToolResult{RequestState: "s1", InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{Message: "who?"}}}, nil, nil
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(given.Content["name"])}}}, nil, nil
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(mcp.HeaderVersion) != string(mcp.V20260728) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"unsupported protocol version","data":{"supported":["2026-07-28"]}}}`)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestModernServer: a server without handshake is found out, and used by clients
// of both eras.
func TestModernServer(t *testing.T) {
	r := start(t, []string{raw("one", ""), remote("new", refusing(t))}, nil)
	old := r.client("/mcp")
	want(t, old.initialize(), `"protocolVersion":"2025-06-18"`)
	want(t, old.ask("tools/list", "{}"), `"new_echo"`, `"one_give"`)
	want(t, old.ask("tools/call", `{"name":"new_echo","arguments":{"a":1},"_meta":{"mine":1}}`), `new {\"a\":1}`)
	c := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, &sdk.ClientOptions{
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"name": "me"}}, nil
		},
	})
	for _, version := range []string{"2025-11-25", ""} { // what a result asks for, both kinds of clients answer
		s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: r.url + "/mcp"}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "new_input", Arguments: map[string]any{}})
		if err != nil || got.IsError || got.Content[0].(*sdk.TextContent).Text != "me" {
			t.Errorf("%q: %+v %v", version, got, err)
		}
		s.Close()
	}
	want(t, r.modern("/mcp").request("1", mcp.ToolsCall, "new_echo", `"arguments":{"b":2},`)[0], `new {\"b\":2}`, `"resultType":"complete"`)
}

// TestListen: a subscription is acknowledged, and then told what it wants.
func TestListen(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	c := r.modern("/mcp")
	c.request("1", mcp.ToolsList, "", "")
	c.header.Set(mcp.HeaderMethod, mcp.Listen)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "POST", r.url+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{`+envelope+`}}}`))
	req.Header = c.header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	want(t, next(), "notifications/subscriptions/acknowledged", `"io.modelcontextprotocol/subscriptionId":"s"`)
	r.modern("/mcp").request("2", mcp.ToolsCall, "one_change", "")
	want(t, next(), `"method":"notifications/tools/list_changed"`, `{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"n":1.0}`)
}
