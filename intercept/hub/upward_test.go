//lint:file-ignore SA1019 sampling is deprecated, and is still to be passed on.

package hub_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/session/mcp"
)

// listen opens the stream without a request and returns its messages.
func (c *client) listen(ctx context.Context) <-chan string {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, "GET", c.url+c.path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header = c.header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != 200 {
		c.t.Fatalf("GET: %v %v", err, resp)
	}
	out := make(chan string, 100)
	go func() {
		defer close(out)
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				out <- data
			}
		}
	}()
	return out
}

// TestProgress: what a server says of a call comes on the stream of that call,
// number for number, under the client's own token.
func TestProgress(t *testing.T) {
	r := start(t, []string{raw("one", ""), raw("two", "")}, nil)
	for path, prefix := range map[string]string{"/mcp": "one_", "/one/mcp": ""} {
		c := r.client(path)
		c.initialize()
		got := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"%sprogress","_meta":{"progressToken":9007199254740993}}}`, prefix))
		if len(got) != 4 || get(got[3], "id") != `"a"` {
			t.Fatalf("%q", got)
		}
		for i, m := range got[:3] {
			want(t, m, `"progressToken":9007199254740993`, fmt.Sprintf(`"progress":%d.0`, i+1))
		}
	}
}

// TestQuestions: requests of servers reach the client of their session, those of
// two servers with one id under two, and its responses reach who has asked.
func TestQuestions(t *testing.T) {
	r := start(t, []string{raw("one", ""), raw("two", "")}, nil)
	c := r.client("/mcp")
	c.initialize()
	ctx := t.Context()
	asked := c.listen(ctx)
	var calls sync.WaitGroup
	for _, method := range []string{mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList} {
		for i, name := range []string{"one", "two"} {
			calls.Go(func() {
				got := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s_ask","arguments":{"method":%q}}}`, i+10, name, method))
				want(t, got[len(got)-1], fmt.Sprintf(`"id":%d,`, i+10), `"response":{"jsonrpc":"2.0","id":0,"result":{"for":"`+name+`","n":1.0}}`)
			})
		}
		ids := map[string]bool{}
		for range 2 {
			q := <-asked
			want(t, q, fmt.Sprintf("%q", method))
			ids[get(q, "id")] = true
			c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"for":%s,"n":1.0}}`, get(q, "id"), get(q, "params", "of")))
		}
		if len(ids) != 2 {
			t.Errorf("%v", ids)
		}
		calls.Wait()
	}
}

// TestCancellation: a call that the client cancels is cancelled where it runs, and
// its reply ends; what the server says then reaches the client.
func TestCancellation(t *testing.T) {
	r := start(t, []string{raw("one", ""), raw("two", "")}, nil)
	c := r.client("/mcp")
	c.initialize()
	ctx := t.Context()
	heard := c.listen(ctx)
	over := make(chan []string)
	go func() {
		over <- c.post(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"two_hang"}}`)
	}()
	want(t, <-heard, `"data":"hanging"`)
	c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77,"reason":"enough"}}`)
	want(t, <-heard, `{"cancelled":77}`)
	if got := <-over; len(got) > 1 {
		t.Errorf("%q", got)
	}
	want(t, c.call("two_give", "{}"), `"result"`)
}

// TestResources: a resource is read where it is, whether it was listed or not;
// prompts, completions and levels of logging find their servers.
func TestResources(t *testing.T) {
	r := start(t, []string{raw("one", ""), raw("two", "")}, nil)
	c := r.client("/mcp")
	c.initialize()
	want(t, c.ask("resources/read", `{"uri":"raw://two/unlisted"}`), `"text":"two"`)
	want(t, c.ask("resources/list", "{}"), `"uri":"raw://one"`, `"uri":"raw://two"`)
	want(t, c.ask("resources/read", `{"uri":"raw://one"}`), `"text":"one"`)
	want(t, c.ask("resources/subscribe", `{"uri":"raw://two"}`), `"result"`)
	want(t, c.ask("resources/read", `{"uri":"elsewhere://x"}`), "Resource not found")
	want(t, c.ask("prompts/list", "{}"), `"one_greet"`, `"two_greet"`)
	want(t, c.ask("prompts/get", `{"name":"two_greet","arguments":{"a":"b"}}`), `"params":{"name":"greet","arguments":{"a":"b"}}`)
	want(t, c.ask("completion/complete", `{"ref":{"type":"ref/prompt","name":"one_greet"},"argument":{"name":"a","value":""}}`), `"name":"greet"`)
	want(t, c.ask("logging/setLevel", `{"level":"debug"}`), `"result":{}`)
	want(t, c.ask("resources/templates/list", "{}"), `"resourceTemplates":[]`)
	want(t, c.ask("ping", "{}"), `"result":{}`)
	want(t, c.ask("no/such", "{}"), "-32601")
}

// TestBatch: the messages of a batch are answered each.
func TestBatch(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	c := r.client("/mcp")
	c.initialize()
	got := c.post(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one_give","arguments":{}}}]`)
	if len(got) != 2 || get(got[0], "id") != "1" || get(got[1], "id") != "2" {
		t.Errorf("%q", got)
	}
}

// TestSDKClient: a client of go-sdk's, which samples, talks to servers of go-sdk's
// and to a process.
func TestSDKClient(t *testing.T) {
	self := strings.Replace(raw("near", ""), `:"raw"`, `:"sdk"`, 1)
	r := start(t, []string{self, remote("far", sdkHTTP(t, "far", nil))}, nil)
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		c := sdk.NewClient(&sdk.Implementation{Name: "c", Version: "1"}, &sdk.ClientOptions{
			CreateMessageHandler: func(_ context.Context, q *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
				return &sdk.CreateMessageResult{Role: "assistant", Model: "m", Content: &sdk.TextContent{Text: "sampled " + q.Params.Messages[0].Content.(*sdk.TextContent).Text}}, nil
			},
		})
		s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: r.url + "/mcp"}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		tools, err := s.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 4 {
			t.Errorf("%+v %v", tools, err)
		}
		for tool, text := range map[string]string{"near_sample": "sampled sdk", "far_sample": "sampled far"} {
			got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
			if err != nil || got.IsError || got.Content[0].(*sdk.TextContent).Text != text {
				t.Errorf("%s %s: %+v %v", version, tool, got, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}
