package intercept

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"midwire/session/wire"
)

// The endpoint event of HTTP+SSE names us instead of the server when it is an
// absolute URL of the server, however the bytes are cut; nothing else changes.
func TestEndpointEvent(t *testing.T) {
	for name, tc := range map[string]struct {
		event string // UP stands for the server's host and port
		edit  bool
	}{
		"relative":      {"event: endpoint\ndata: /messages?sessionId=1&x=%20\n\n", false},
		"absolute":      {"event: endpoint\r\ndata: http://UP/messages?sessionId=1&x=%zz\r\n\r\ndata: {\"jsonrpc\":\"2.0\"}\r\n\r\n", true},
		"no scheme":     {"event:endpoint\ndata: //UP/m\n\n", true},
		"third origin":  {"event: endpoint\ndata: http://elsewhere.example/m\n\n", false},
		"other event":   {"event: message\ndata: http://UP/m\n\n", false},
		"second event":  {"data: {}\n\nevent: endpoint\ndata: http://UP/m\n\n", false},
		"looks like it": {"event: endpoints\ndata: http://UP/m\n\n", false},
	} {
		for _, frame := range []string{"until close", "one chunk", "many chunks"} {
			t.Run(name+", "+frame, func(t *testing.T) {
				var event string
				up := rawUpstream(t, func(int, int) string { return sseAnswer(event, frame) })
				event = strings.ReplaceAll(tc.event, "UP", up.addr)
				tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: true})
				got := talk(t, tap.addr, "GET /sse HTTP/1.1\r\nHost: localhost:7000\r\nConnection: close\r\n\r\n")
				want := event
				if tc.edit {
					want = strings.NewReplacer("http://"+up.addr, "http://localhost:7000", "//"+up.addr, "http://localhost:7000").Replace(event)
				}
				if body := contentOf(t, got); body != want {
					t.Errorf("the client got %q\nwant %q", body, want)
				}
				if !tc.edit && got != sseAnswer(event, frame) {
					t.Errorf("changed without need: %q", got)
				}
				tap.stop()
				all := frames(t, tap.path)
				if n := len(ofKind(all, wire.KindEdit)); n == 1 != tc.edit {
					t.Errorf("%d edits are recorded", n)
				}
				if events := ofKind(all, wire.KindEvent); len(events) == 0 || !strings.HasPrefix(event, string(events[0].Data)) {
					t.Errorf("the recording does not show what the server sent")
				}
			})
		}
	}
}

func sseAnswer(event, frame string) string {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	switch frame {
	case "until close":
		return head + "Connection: close\r\n\r\n" + event
	case "one chunk":
		return fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, len(event), event)
	}
	var b strings.Builder
	b.WriteString(head + "Transfer-Encoding: chunked\r\n\r\n")
	for i := 0; i < len(event); i += 9 {
		piece := event[i:min(i+9, len(event))]
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(piece), piece)
	}
	return b.String() + "0\r\n\r\n"
}

// contentOf removes the framing of a raw response, with midwire's own framer.
func contentOf(t *testing.T, raw string) string {
	t.Helper()
	s := wire.NewResponseStream()
	s.Expect("GET")
	var body strings.Builder
	for p := []byte(raw); len(p) > 0; {
		tok, n := s.Next(p)
		if tok == wire.TokenContent {
			body.Write(p[:n])
		}
		p = p[n:]
	}
	if reason, bad := s.IsRaw(); bad || s.InMessage() && !s.UntilClose() && !s.Ended() {
		t.Fatalf("the framing is broken: %s\n%q", reason, raw)
	}
	return body.String()
}

// A remote server gets its own name as Host; everything else of the head stays.
func TestHostIsRewrittenForRemoteServers(t *testing.T) {
	up := rawUpstream(t, func(int, int) string { return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n" })
	tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: false})
	sent := strings.ReplaceAll(post("/mcp?x=1", "{}", "Accept: */*", "mcp-session-id:  s ")+post("/mcp", "{}"), "tap.example", "127.0.0.1:7000")
	talk(t, tap.addr, sent)
	if got, want := string(<-up.got), strings.ReplaceAll(sent, "127.0.0.1:7000", up.addr); got != want {
		t.Errorf("the server got\n%q\nwant\n%q", got, want)
	}
	tap.stop()
	all := frames(t, tap.path)
	if n := len(ofKind(all, wire.KindEdit)); n != 1 {
		t.Errorf("%d edits recorded, want one for the connection", n)
	}
	if r := ofKind(all, wire.KindRequest); !strings.Contains(string(r[0].Data), "127.0.0.1:7000") {
		t.Errorf("the recording does not show what the client sent: %q", r[0].Data)
	}
}

// The value of one Host is all that changes: a head that has none gets none, and of one
// that has two the second stays, so that the server refuses it as it would without midwire.
func TestOneHostIsRewritten(t *testing.T) {
	for name, heads := range map[string][2]string{
		"none": {"POST /mcp HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}", "POST /mcp HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}"},
		"two": {
			"POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
			"POST /mcp HTTP/1.1\r\nhost: HERE\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := rawUpstream(t, func(int, int) string {
				return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
			})
			tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: false})
			talk(t, tap.addr, heads[0])
			if got, want := string(<-up.got), strings.ReplaceAll(heads[1], "HERE", up.addr); got != want {
				t.Errorf("the server got\n%q\nwant\n%q", got, want)
			}
		})
	}
}

// With a rewritten Host the server cannot tell a page that attacks it any
// more: we do.
func TestForeignPagesAreRefusedWhenHostIsRewritten(t *testing.T) {
	for name, tc := range map[string]struct {
		host, origin string
		status       string
	}{
		"foreign host":   {"evil.example", "", "403"},
		"foreign origin": {"localhost:7000", "https://evil.example", "403"},
		"local":          {"localhost:7000", "http://localhost:6274", "202"},
		"allowed":        {"dev.internal:7000", "", "202"},
		"IPv6":           {"[::1]:7000", "", "202"},
		"case":           {"LocalHost:7000", "http://LOCALHOST:1", "202"},
		"final dot":      {"localhost.:7000", "http://localhost.:6274", "202"},
		"below":          {"app.localhost:7000", "", "202"},
		"mapped":         {"[::ffff:127.0.0.1]:7000", "", "202"},
		"zone":           {"[fe80::1%25eth0]:7000", "", "202"},
		"allowed, case":  {"DEV.Internal.:7000", "https://dev.internal.", "202"},
		"ends like it":   {"evildev.internal", "", "403"},
		"name of ours":   {"localhost.evil.example:7000", "", "403"},
		"null origin":    {"127.0.0.1", "null", "202"},
	} {
		t.Run(name, func(t *testing.T) {
			up := rawUpstream(t, func(int, int) string { return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n" })
			tap := startHTTP(t, &HTTP{Target: up.url, KeepHost: false, AllowHosts: []string{"dev.internal"}})
			req := "POST /mcp HTTP/1.1\r\nHost: " + tc.host + "\r\n"
			if tc.origin != "" {
				req += "Origin: " + tc.origin + "\r\n"
			}
			got := talk(t, tap.addr, req+"Content-Length: 2\r\n\r\n{}")
			if !strings.HasPrefix(got, "HTTP/1.1 "+tc.status) {
				t.Errorf("got %q", got)
			}
			if tc.status == "403" && !strings.Contains(got, "--allow-host") {
				t.Errorf("the answer does not say what to do: %q", got)
			}
		})
	}
}

func TestIsLocal(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "::1": true, "192.168.1.4": true, "10.0.0.1": true, "example.com": false, "8.8.8.8": false, "localhost.evil.com": false,
		"LOCALHOST": true, "localhost.": true, "a.b.localhost": true, "evillocalhost": false, "localhost..": false, "": false,
		"[::1]": true, "::ffff:127.0.0.1": true, "0:0:0:0:0:0:0:1": true, "::ffff:8.8.8.8": false, "fe80::1%eth0": true, "0.0.0.0": false, "127.1": false,
	} {
		if IsLocal(host) != want {
			t.Errorf("IsLocal(%q) is %v", host, !want)
		}
	}
	for _, same := range []string{"http://LocalHost.:80/m", "HTTP://localhost", "//LOCALHOST"} {
		if u, err := url.Parse(same); err != nil || !sameOrigin(u, &url.URL{Scheme: "http", Host: "localhost"}) {
			t.Errorf("%q is another origin than http://localhost", same)
		}
	}
	for _, bad := range []string{"localhost:3000", "ftp://x/", "http://", "::", "http://[::1/"} {
		if _, err := ParseTarget(bad); err == nil {
			t.Errorf("%q is taken for a server's URL", bad)
		}
	}
	if u, err := ParseTarget("https://mcp.example.com/mcp?x=1"); err != nil || u.Scheme != "https" {
		t.Errorf("%v %v", (*url.URL)(u), err)
	}
}
