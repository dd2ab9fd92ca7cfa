package hub_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/session/mcp"
)

// changing is a server of 2026-07-28 behind a URL whose tool "touch" changes what it
// tells subscribers of. seen gets every request.
func changing(t *testing.T, seen func(*http.Request)) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "new", Version: "1"}, &sdk.ServerOptions{
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	server.AddResource(&sdk.Resource{URI: "new://a", Name: "a"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "new://a", Text: "a"}}}, nil
	})
	n := 0
	sdk.AddTool(server, &sdk.Tool{Name: "touch"}, func(ctx context.Context, r *sdk.CallToolRequest, _ map[string]any) (*sdk.CallToolResult, any, error) {
		n++
		sdk.AddTool(server, &sdk.Tool{Name: fmt.Sprint("more", n)}, func(context.Context, *sdk.CallToolRequest, map[string]any) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{}, nil, nil
		})
		return &sdk.CallToolResult{}, nil, server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "new://a"})
	})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if seen != nil {
			seen(r)
		}
		if r.Header.Get(mcp.HeaderVersion) != string(mcp.V20260728) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// subscribe opens a subscription to everything.
func (c *client) subscribe(ctx context.Context, id string) func() string {
	c.t.Helper()
	c.header.Set(mcp.HeaderMethod, mcp.Listen)
	resp, lines := c.events(ctx, "POST", fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%q,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["new://a"]},"_meta":{%s}}}`, id, envelope), "")
	if resp.StatusCode != http.StatusOK {
		c.t.Fatalf("listen: %s", resp.Status)
	}
	return func() string { _, data := next(lines); return data }
}

// TestSubscribers: clients that look alike share a server and subscribe each for itself,
// and a server of their own era is subscribed to for them.
func TestSubscribers(t *testing.T) {
	closed := make(chan struct{}, 10)
	url := changing(t, func(r *http.Request) {
		if r.Header.Get(mcp.HeaderMethod) == mcp.Listen {
			context.AfterFunc(r.Context(), func() { closed <- struct{}{} })
		}
	})
	r := start(t, []string{raw("one", ""), remote("new", url)}, nil)
	r.modern("/mcp").request("1", mcp.ToolsList, "", "")
	ctx, leave := context.WithCancel(t.Context())
	both := []func() string{r.modern("/mcp").subscribe(ctx, "a"), r.modern("/mcp").subscribe(ctx, "b")}
	for i, next := range both {
		want(t, next(), "acknowledged", fmt.Sprintf(`"io.modelcontextprotocol/subscriptionId":%q`, []string{"a", "b"}[i]))
	}
	r.modern("/mcp").request("2", mcp.ToolsCall, "one_change", "")
	for _, next := range both {
		want(t, next(), "tools/list_changed", `"n":1.0`)
	}
	until := func(next func() string, part string) string {
		for {
			if got := next(); got == "" || strings.Contains(got, part) {
				return got
			}
		}
	}
	for i, next := range both {
		// the server behind the hub subscribes in a moment
		got := ""
		for touched := 0; got == "" && touched < 100; touched++ {
			r.modern("/mcp").request("3", mcp.ToolsCall, "new_touch", "")
			got = until(next, "resources/updated")
		}
		want(t, got, "new://a", fmt.Sprintf(`"io.modelcontextprotocol/subscriptionId":%q`, []string{"a", "b"}[i]))
	}
	leave()
	for range both { // a client that leaves ends what was subscribed to for it
		<-closed
	}
}

// TestOldClientNewServer: a client with a session is told by a server of 2026-07-28 what
// changes, and asks it what that has no method for.
func TestOldClientNewServer(t *testing.T) {
	r := start(t, []string{raw("one", ""), remote("new", changing(t, nil))}, nil)
	c := r.client("/mcp")
	c.initialize()
	heard := c.listen(t.Context())
	want(t, c.ask("logging/setLevel", `{"level":"debug"}`), `"result":{}`)
	want(t, c.ask("resources/list", `{}`), "new://a")
	want(t, c.ask("resources/subscribe", `{"uri":"new://a"}`), `"result":{}`)
	seen := map[string]bool{}
	for len(seen) < 2 {
		c.call("new_touch", "{}")
		for range 2 {
			message := ""
			select {
			case message = <-heard:
			case <-time.After(200 * time.Millisecond): // the hub subscribes in a moment: it is touched again
			}
			if strings.Contains(message, "subscriptionId") {
				t.Error(message)
			}
			if method := get(message, "method"); method == `"notifications/tools/list_changed"` || strings.Contains(message, "new://a") {
				seen[method] = true
			}
		}
	}
}

// TestEndsWhenAsked: a server that ends at a question of an era that it does not know is
// begun again, once, and shaken hands with.
func TestEndsWhenAsked(t *testing.T) {
	r := start(t, []string{strings.Replace(raw("one", ""), `:"raw"`, `:"touchy"`, 1)}, nil)
	for _, path := range []string{"/mcp", "/one/mcp"} {
		got := r.modern(path).request("1", mcp.ToolsList, "", "")
		want(t, got[len(got)-1], "give")
	}
}

// TestStates: a server's own state passes as it is, and one of the hub's that there is
// not is refused, unless it goes to a server that may be a hub.
func TestStates(t *testing.T) {
	r := start(t, []string{raw("one", ""), remote("new", changing(t, nil))}, nil)
	want(t, r.modern("/mcp").request("1", mcp.ToolsCall, "new_touch", `"arguments":{},"requestState":"midwire-guessed",`)[0], `"complete"`)
	got := r.modern("/mcp").request("1", mcp.ToolsCall, "one_give", `"arguments":{},"requestState":"theirs",`)
	want(t, got[0], `"requestState":"theirs"`)
	got = r.modern("/mcp").request("1", mcp.ToolsCall, "one_give", `"arguments":{},"requestState":"midwire-guessed",`)
	want(t, got[0], "expired requestState")
}
