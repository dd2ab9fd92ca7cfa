package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session/wire"
)

// hosts is a recording of a forward proxy with several servers.
func hosts() *tape {
	t := &tape{}
	open := func(conn uint32, host, proto string) {
		t.fact(wire.Frame{Kind: wire.KindOpen, Conn: conn}, wire.Open{Host: host, Proto: proto, Upstream: "203.0.113.1:443"})
	}
	open(1, "mcp.example.com:443", "tls")
	t.post(1, "/mcp", "Host: mcp.example.com\r\n", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "401 No", "", "{}")
	open(2, "auth.example.com:8443", "h2")
	t.post(2, "/token?x=1", "Host: elsewhere.example\r\n", "grant_type=x", "200 OK", "", "{}")
	open(3, "plain.example:80", "")
	t.post(3, "/p", "", "{}", "200 OK", "", "{}")
	t.post(1, "/mcp", "Host: mcp.example.com\r\n", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "200 OK", "", "{}")
	open(4, "evil.example/@x' y:443", "tls")
	t.post(4, "/e", "", "{}", "200 OK", "", "{}")
	return t
}

func TestEachExchangeHasItsOwnOrigin(t *testing.T) {
	for target, first := range map[string]string{"": "http://127.0.0.1:3000", "https://mcp.example.com/mcp": "https://mcp.example.com"} {
		s := source("http", hosts().frames)
		s.Target = target
		var b strings.Builder
		if err := Write(&b, "har", s); err != nil {
			t.Fatal(err)
		}
		var archive struct {
			Log struct {
				Entries []struct{ Request struct{ URL string } }
			}
		}
		if err := json.Unmarshal([]byte(b.String()), &archive); err != nil {
			t.Fatal(err)
		}
		var urls []string
		for _, e := range archive.Log.Entries {
			urls = append(urls, e.Request.URL)
		}
		if want := []string{
			"https://mcp.example.com/mcp", "https://auth.example.com:8443/token?x=1", "http://plain.example/p", "https://mcp.example.com/mcp", first + "/e",
		}; !slices.Equal(urls, want) {
			t.Errorf("HAR: %q", urls)
		}
		b.Reset()
		if err := Write(&b, "curl", s); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			` 'POST' 'https://mcp.example.com/mcp'`, ` 'POST' 'https://auth.example.com:8443/token?x=1'`, ` 'POST' 'http://plain.example/p'`,
		} {
			if !strings.Contains(b.String(), text) {
				t.Errorf("curl: no %q in %s", text, b.String())
			}
		}
		if strings.Contains(b.String(), "evil") {
			t.Error(b.String())
		}
	}
}

func TestCurlOfAConnection(t *testing.T) {
	all := hosts().frames
	frames := []*wire.Frame{&all[6]}
	for i := 7; i < 12; i++ {
		frames = append(frames, &all[i])
	}
	got, ok := Curl("https://mcp.example.com", frames)
	if !ok || !strings.Contains(got, "-X 'POST' 'https://auth.example.com:8443/token?x=1'") {
		t.Error(got, ok, fmt.Sprint(frames[0].Kind))
	}
}

// TestArchiveHasPages: readers of HAR group entries by pages, and some ask for one.
func TestArchiveHasPages(t *testing.T) {
	var b strings.Builder
	if err := Write(&b, "har", source("http", hosts().frames)); err != nil {
		t.Fatal(err)
	}
	var archive struct {
		Log struct {
			Pages []struct {
				StartedDateTime time.Time
				ID, Title       string
				PageTimings     *struct{}
			}
			Entries []struct{ Pageref string }
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &archive); err != nil {
		t.Fatal(err)
	}
	pages := archive.Log.Pages
	if len(pages) != 1 || pages[0].ID == "" || pages[0].Title == "" || pages[0].StartedDateTime.IsZero() || pages[0].PageTimings == nil {
		t.Fatalf("%+v", pages)
	}
	for _, e := range archive.Log.Entries {
		if e.Pageref != pages[0].ID {
			t.Errorf("%+v", e)
		}
	}
}
