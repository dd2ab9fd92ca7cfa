package intercept

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestGuard: what a page of another site can make a browser send is refused, under
// whatever name it has reached this machine; what clients of this machine send is not.
func TestGuard(t *testing.T) {
	for name, tc := range map[string]struct {
		head  string // behind the request line, as the request has it
		serve bool
	}{
		"local":              {"Host: 127.0.0.1:7000", true},
		"upper case":         {"HOST: LocalHost:7000", true},
		"IPv6":               {"Host: [::1]:7000", true},
		"final dot":          {"Host: localhost.", true},
		"allowed":            {"Host: dev.internal:7000", true},
		"local page":         {"Host: localhost\nOrigin: http://127.0.0.1:3000\nSec-Fetch-Site: cross-site", true},
		"typed in":           {"Host: localhost\nSec-Fetch-Site: none", true},
		"rebound":            {"Host: evil.example:7000", false},
		"rebound, dot":       {"Host: EVIL.example.:7000", false},
		"like ours":          {"Host: localhost.evil.example", false},
		"like an address":    {"Host: 127.0.0.1.evil.example", false},
		"any address":        {"Host: 0.0.0.0:7000", false},
		"IPv6 elsewhere":     {"Host: [2001:db8::1]:7000", false},
		"mapped elsewhere":   {"Host: [::ffff:8.8.8.8]", false},
		"none":               {"Accept: */*", false},
		"empty":              {"Host:", false},
		"page":               {"Host: localhost\nOrigin: https://evil.example", false},
		"page, port of ours": {"Host: localhost:7000\nOrigin: http://evil.example:7000", false},
		"no scheme":          {"Host: localhost\nOrigin: evil.example", false},
		"null":               {"Host: localhost\nOrigin: null", false},
		"file":               {"Host: localhost\nOrigin: file://", false},
		"second origin":      {"Host: localhost\nOrigin: http://localhost\nOrigin: https://evil.example", false},
		"picture":            {"Host: localhost\nSec-Fetch-Site: cross-site", false},
	} {
		head := "GET /mcp HTTP/1.1\r\n" + strings.ReplaceAll(tc.head, "\n", "\r\n") + "\r\n\r\n"
		if why := HeadCaller([]byte(head)).Refusal("midwire x", "dev.internal"); (why == "") != tc.serve {
			t.Errorf("%s: its head: %q", name, why)
		}
		r := httptest.NewRequest("GET", "/mcp", nil)
		r.Host = ""
		for line := range strings.SplitSeq(tc.head, "\n") {
			field, value, _ := strings.Cut(line, ":")
			if value = strings.TrimSpace(value); strings.EqualFold(field, "host") {
				r.Host = value
			} else {
				r.Header.Add(field, value)
			}
		}
		w := httptest.NewRecorder()
		Guard(http.NotFoundHandler(), "midwire x", "dev.internal").ServeHTTP(w, r)
		if (w.Code == http.StatusNotFound) != tc.serve || !tc.serve && w.Code != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	for _, target := range []string{"http://evil.example/mcp", "http://evil.example:7000", "https://evil.example?x", "//evil.example/mcp"} {
		head := "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"
		if why := HeadCaller([]byte(head)).Refusal(""); (why == "") != strings.HasPrefix(target, "//") {
			t.Errorf("%s: %q", target, why) // the last is a path
		}
	}
}

// TestAddressesAreMasked: a URL that is none is not said with its password.
func TestAddressesAreMasked(t *testing.T) {
	for _, raw := range []string{
		"http://me:hunter22@[::1/mcp", "ftp://me:hunter22@host/", "http://h:x/mcp?api_key=hunter22", "ws://h/mcp?token=hunter22",
	} {
		if _, err := ParseTarget(raw); err == nil || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// FuzzCaller: what passes by its head passes as net/http reads it.
func FuzzCaller(f *testing.F) {
	for _, head := range []string{
		"GET /mcp HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n", "GET http://a/ HTTP/1.0\r\nhost: b\r\n\r\n",
		"GET //a/b HTTP/1.1\nHost: [::1]:1\nSec-Fetch-Site: none\n\n", "OPTIONS * HTTP/1.1\r\nHost:\tlocalhost\r\n origin: x\r\n\r\n",
		"CONNECT a:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", "POST x://y@z:1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nORIGIN: null\r\n\r\n",
	} {
		f.Add(head)
	}
	f.Fuzz(func(t *testing.T, head string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(head)))
		if err != nil || HeadCaller([]byte(head)).Refusal("") != "" {
			return
		}
		if why := RequestCaller(r).Refusal(""); why != "" {
			t.Errorf("%q passes, but %s", head, why)
		}
	})
}
