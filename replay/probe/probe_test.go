package probe

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"midwire/replay/peer"
	"midwire/session/record"
)

// played is a failure: what was recorded, when the server refuses, and what asking comes
// to.
type played struct {
	recorded []exchange
	refuses  func(r *http.Request, m map[string]any) (int, string)
	outcome  Outcome
	says     string
	side     string
}

// missing refuses requests without a header.
func missing(name string) func(*http.Request, map[string]any) (int, string) {
	return func(r *http.Request, m map[string]any) (int, string) {
		if m["id"] != nil && m["method"] != "initialize" && r.Header.Get(name) == "" {
			return 400, no
		}
		return 0, ""
	}
}

// argument refuses calls with arguments that are bad.
func argument(bad func(args map[string]any) bool) func(*http.Request, map[string]any) (int, string) {
	return func(_ *http.Request, m map[string]any) (int, string) {
		params, _ := m["params"].(map[string]any)
		args, _ := params["arguments"].(map[string]any)
		if m["method"] == "tools/call" && bad(args) {
			return 200, no
		}
		return 0, ""
	}
}

func never(*http.Request, map[string]any) (int, string) { return 0, "" }

var no = rpcError("7", "Bad Request")

var plays = map[string]played{
	"session id left out": {
		[]exchange{begins(), ready(), {good + "MCP-Protocol-Version: 2025-06-18\r\n", lists, 400, no}},
		missing("Mcp-Session-Id"), Decided, "Mcp-Session-Id is not sent (3 of 3 times)", "client",
	},
	"session that is over": {
		[]exchange{begins(), ready(), {inSession, lists, 404, no}},
		func(r *http.Request, _ map[string]any) (int, string) {
			if r.Header.Get("Mcp-Session-Id") == "old" {
				return 404, no
			}
			return 0, ""
		}, Decided, "The server does not know that session", "",
	},
	"no handshake": {
		[]exchange{{good, lists, 400, no}}, missing("Mcp-Session-Id"), Decided, "there is no initialize before the request", "client",
	},
	"no initialized": {
		[]exchange{begins(), {inSession, lists, 400, no}},
		func(r *http.Request, m map[string]any) (int, string) {
			if m["method"] == "tools/list" && r.Header.Get("X-Ready") != "true" {
				return 400, no
			}
			return 0, ""
		}, Decided, "notifications/initialized is not sent", "client",
	},
	"accept": {
		[]exchange{begins(), ready(), {strings.Replace(inSession, ", text/event-stream", "", 1), lists, 406, no}},
		func(r *http.Request, m map[string]any) (int, string) {
			if m["id"] != nil && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
				return 406, no
			}
			return 0, ""
		}, Decided, "Accept is application/json", "client",
	},
	"an origin that a server must not mind": {
		[]exchange{begins(), ready(), {inSession + "Origin: http://localhost:3000\r\n", lists, 403, no}},
		func(r *http.Request, _ map[string]any) (int, string) {
			if r.Header.Get("Origin") != "" {
				return 403, no
			}
			return 0, ""
		}, Decided, "Origin is http://localhost:3000", "server",
	},
	"argument of another type": {
		[]exchange{begins(), ready(), {inSession, calls(`{"sides":"6"}`), 200, no}},
		argument(func(args map[string]any) bool { _, ok := args["sides"].(json.Number); return !ok }),
		Decided, `params.arguments.sides is "6"`, "client",
	},
	"argument that nobody knows": {
		[]exchange{begins(), ready(), {inSession, calls(`{"sides":6,"größe":"ж\u001b[2J"}`), 200, no}},
		argument(func(args map[string]any) bool { _, ok := args["größe"]; return ok }),
		Decided, `params.arguments.größe is`, "client",
	},
	"argument that may be left out": {
		[]exchange{begins(), ready(), {inSession, calls(`{"sides":6}`), 200, no}},
		argument(func(args map[string]any) bool { _, ok := args["label"]; return !ok }),
		Decided, "params.arguments.label is left out (3 of 3 times)", "server",
	},
	"two things together": {
		[]exchange{begins(), ready(), {good + "Origin: http://a\r\n", lists, 400, no}},
		func(r *http.Request, m map[string]any) (int, string) {
			if m["id"] != nil && r.Header.Get("Origin") != "" && r.Header.Get("Mcp-Session-Id") == "" {
				return 400, no
			}
			return 0, ""
		}, Decided, "that Mcp-Session-Id is not sent, and that Origin is http://a", "client",
	},
	"2026-07-28 without a mirror of the method": {
		[]exchange{{good + "MCP-Protocol-Version: 2026-07-28\r\n", modern, 400, no}},
		missing("Mcp-Method"),
		Decided, "Mcp-Method is not sent", "client",
	},
	"2026-07-28 without who asks": {
		[]exchange{{
			good + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n",
			strings.Replace(modern, `"io.modelcontextprotocol/clientCapabilities":{},`, "", 1), 400, no,
		}},
		func(_ *http.Request, m map[string]any) (int, string) {
			params, _ := m["params"].(map[string]any)
			meta, _ := params["_meta"].(map[string]any)
			if _, ok := meta["io.modelcontextprotocol/clientCapabilities"]; !ok {
				return 400, no
			}
			return 0, ""
		}, Decided, "clientCapabilities is left out", "client",
	},
	"2026-07-28 to a server of before": {
		[]exchange{{good + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n", modern, 400, no}},
		missing("Mcp-Session-Id"), Decided, "that the client speaks 2026-07-28, and the server only versions with a handshake", "",
	},
	"a handshake to a server of 2026-07-28": {
		[]exchange{{good, begins().request, 400, rpcError("0", "no such method")}},
		func(r *http.Request, m map[string]any) (int, string) {
			if m["method"] == "initialize" || m["id"] != nil && r.Header.Get("Mcp-Method") == "" {
				return 400, rpcError("0", "no such method")
			}
			return 0, ""
		}, Decided, "the server speaks only 2026-07-28", "",
	},
	"refuses everybody": {
		[]exchange{begins(), ready(), {inSession, lists, 400, no}},
		func(_ *http.Request, m map[string]any) (int, string) {
			if m["method"] == "tools/list" {
				return 400, no
			}
			return 0, ""
		}, Refused, "A conforming client is refused in the same way (3 of 3 times)", "",
	},
	"refuses everybody's handshake": {
		[]exchange{{good, begins().request, 500, rpcError("0", "boom")}},
		func(_ *http.Request, m map[string]any) (int, string) {
			if m["method"] != "notifications/initialized" {
				return 500, rpcError("0", "boom")
			}
			return 0, ""
		}, Refused, "refused in the same way", "",
	},
	"works now":        {[]exchange{begins(), ready(), {inSession, lists, 503, no}}, never, Served, "also as it was recorded", ""},
	"wants credential": {[]exchange{begins(), ready(), {inSession, lists, 400, no}}, func(*http.Request, map[string]any) (int, string) { return 401, "" }, Other, "--header", ""},
}

func TestProbe(t *testing.T) {
	for name, tt := range plays {
		t.Run(name, func(t *testing.T) {
			r, err := probed(t, script(t, tt.recorded...), &server{refuses: tt.refuses}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != tt.outcome || !strings.Contains(r.Says, tt.says) || r.Side != tt.side {
				t.Errorf("%s, %s: %s\nnot %s, %s: %s\n%s", r.Outcome, r.Side, r.Says, tt.outcome, tt.side, tt.says, r.Text())
			}
			if r.Known != (r.Outcome == Decided) {
				t.Errorf("known: %v, of %s", r.Known, r.Outcome)
			}
			if text := r.Text(); strings.ContainsAny(text, "\x1b\x07") || len(r.Recordings) == 0 {
				t.Errorf("%q, recorded as %q", text, r.Recordings)
			}
		})
	}
}

// TestFlaky: a server that answers as it likes proves nothing.
func TestFlaky(t *testing.T) {
	n := 0
	srv := &server{refuses: func(_ *http.Request, m map[string]any) (int, string) {
		if m["method"] == "tools/list" {
			if n++; n%2 == 1 {
				return 400, no
			}
		}
		return 0, ""
	}}
	r, err := probed(t, script(t, begins(), ready(), exchange{inSession, lists, 400, no}), srv, Options{})
	if err != nil || r.Outcome != Flaky || r.Known || r.Side != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestConsent: a tool that may do something is not called unless its user said so.
func TestConsent(t *testing.T) {
	burn := strings.Replace(calls(`{}`), "roll", "burn", 1)
	s := script(t, begins(), ready(), exchange{inSession, burn, 200, rpcError("7", "no")})
	srv := &server{refuses: func(*http.Request, map[string]any) (int, string) { return 0, "" }}
	_, err := probed(t, s, srv, Options{})
	if err == nil || !strings.Contains(err.Error(), "burn is not marked read-only") {
		t.Errorf("%v", err)
	}
	for _, method := range srv.got {
		if method == "tools/call" {
			t.Error("it was called")
		}
	}
	if r, err := probed(t, s, srv, Options{Yes: true}); err != nil || r.Outcome != Served {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestMask: a mask is not sent in the place of a credential.
func TestMask(t *testing.T) {
	masked := calls(`{"sides":6,"label":"redacted:0123abcd"}`)
	s := script(t, begins(), ready(), exchange{inSession, masked, 200, rpcError("7", "no")})
	srv := &server{refuses: func(*http.Request, map[string]any) (int, string) { return 0, "" }}
	if _, err := probed(t, s, srv, Options{}); err == nil || !strings.Contains(err.Error(), "masks") {
		t.Errorf("%v", err)
	}
}

// TestSecretsAreNotSaid: a server that repeats the credential it was given does not have
// it printed, and it is not in the recording.
func TestSecretsAreNotSaid(t *testing.T) {
	const secret = "correct-horse-battery"
	s := script(t, begins(), ready(), exchange{inSession, lists, 400, no})
	srv := &server{refuses: func(r *http.Request, _ map[string]any) (int, string) {
		return 401, rpcError("7", "no user has "+r.Header.Get("Authorization"))
	}}
	r, err := probed(t, s, srv, Options{Server: peer.Server{Header: http.Header{"Authorization": {"Bearer " + secret}}}})
	if err != nil {
		t.Fatal(err)
	}
	said, _ := json.Marshal(r)
	recorded, err := os.ReadFile(r.Recordings[0])
	if err != nil || !strings.Contains(string(recorded), "redacted:") {
		t.Errorf("the recording has no mask, %v", err)
	}
	if strings.Contains(r.Text()+string(said), secret) || strings.Contains(string(recorded), secret) {
		t.Errorf("it says %s, %s", said, recorded)
	}
}

// TestShortFields: a field that is no credential changes no answer, and the path is the
// recorded one.
func TestShortFields(t *testing.T) {
	s := script(t, begins(), ready(), exchange{good + "MCP-Protocol-Version: 2025-06-18\r\n", lists, 400, no})
	srv := &server{refuses: func(r *http.Request, m map[string]any) (int, string) {
		if r.URL.Path != "/mcp" || r.Header.Get("X-Mode") != "a" {
			return 500, no
		}
		return missing("Mcp-Session-Id")(r, m)
	}}
	r, err := probed(t, s, srv, Options{Server: peer.Server{Header: http.Header{"X-Mode": {"a"}}}})
	if err != nil || r.Outcome != Decided || !strings.Contains(r.Text(), `"Bad Request"`) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLimits: a server that keeps quiet, and one that never has enough, end it.
func TestLimits(t *testing.T) {
	s := script(t, begins(), ready(), exchange{inSession, lists, 400, no})
	refuse := func(_ *http.Request, m map[string]any) (int, string) {
		if m["method"] == "tools/list" {
			return 400, no
		}
		return 0, ""
	}
	if r, err := probed(t, s, &server{refuses: refuse}, Options{Most: 2}); err == nil || len(r.Tries) != 1 || r.Outcome != "" && r.Known {
		t.Errorf("%+v, %v", r, err)
	}
	silent := &server{refuses: func(r *http.Request, _ map[string]any) (int, string) { <-r.Context().Done(); return 500, "" }}
	if r, err := probed(t, s, silent, Options{Timeout: 50 * time.Millisecond}); err != nil || r.Outcome != Other {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, s, int32(len(s.Calls)-1), Options{Server: peer.Server{Command: []string{os.Args[0]}, Record: func(record.Header) *record.Writer { return record.Discard() }}}); err == nil {
		t.Error("it went on")
	}
}
