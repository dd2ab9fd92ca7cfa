//go:build unix

package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"midwire/replay"
	"midwire/replay/checks"
	"midwire/replay/peer"
	"midwire/replay/resilience"
	"midwire/session/diagnose/rules"
	"midwire/session/record"
)

// TestMain is also the client of the tests: RESILIENCE_CLIENT says what it does when
// a call fails.
func TestMain(m *testing.M) {
	if how := os.Getenv("RESILIENCE_CLIENT"); how != "" {
		os.Exit(client(how, os.Args[1]))
	}
	os.Exit(m.Run())
}

// client begins a session and calls a tool three times.
func client(how, url string) int {
	session := ""
	post := func(body string) int {
		r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
			r.Header.Set("MCP-Protocol-Version", "2025-11-25")
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		if how == "picky" && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
			fmt.Println("error: this is no JSON")
			os.Exit(1)
		}
		if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		return resp.StatusCode
	}
	begin := func() {
		session = ""
		post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"` + how + `","version":"1"}}}`)
		post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	begin()
	for n := 1; n <= 3; n++ {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, n)
		status := post(call)
		if status == http.StatusOK {
			continue
		}
		switch how {
		case "renews":
			begin()
			post(call)
		case "tells":
			fmt.Println("call failed with status", status)
			return 1
		case "hangs":
			<-time.After(time.Hour)
		}
	}
	return 0
}

// server is one that issues session ids and knows them.
func server() *httptest.Server {
	known := make(chan map[string]bool, 1)
	known <- map[string]bool{}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(body, &m) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		sessions := <-known
		defer func() { known <- sessions }()
		if m.Method == "initialize" {
			id := fmt.Sprintf("session-%d", len(sessions))
			sessions[id] = true
			w.Header().Set("Mcp-Session-Id", id)
		} else if !sessions[r.Header.Get("Mcp-Session-Id")] {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if v := r.Header.Get("MCP-Protocol-Version"); v != "" && v != "2025-11-25" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := `"result":{"content":[]}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"it","version":"1"}}`
		case "no/such/method":
			answer = `"error":{"code":-32601,"message":"no such method"}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
	}))
}

func options(t *testing.T, how string) Options {
	t.Helper()
	s := server()
	t.Cleanup(s.Close)
	at, err := url.Parse(s.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return Options{
		Server: peer.Server{URL: at, Record: func(h record.Header) *record.Writer {
			w, err := record.Create(dir, h, record.Options{})
			if err != nil {
				t.Error(err)
				return record.Discard()
			}
			return w
		}}, Client: "RESILIENCE_CLIENT=" + how + " exec " + replay.JoinWords([]string{os.Args[0]}) + " {url}", Folder: dir, Rules: rules.All(), Timeout: 20 * time.Second, Jobs: 2,
	}
}

func TestPlay(t *testing.T) {
	gone := resilience.Fault{Name: "expire-session", Rules: []string{"expire-session"}}
	exit := resilience.Fault{Name: "exit", Rules: []string{"exit"}}
	for how, want := range map[string]checks.Outcome{
		"renews": checks.Recovered, "tells": checks.Told, "silent": checks.Wrong, "hangs": checks.Hung,
	} {
		t.Run(how, func(t *testing.T) {
			o := options(t, how)
			if how == "hangs" {
				o.Timeout = 5 * time.Second // the run without the fault must end in that time on a busy machine, too
			}
			r, err := Play(context.Background(), o, []resilience.Fault{gone, exit})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Checks[0]
			if got.Outcome != want || len(got.Evidence) == 0 || r.Calls != 3 || r.Name != how+" 1" {
				t.Errorf("%+v", r)
			}
			if r.Checks[1].Outcome != checks.NotApplicable || !strings.Contains(r.Checks[1].Text, "stdio") {
				t.Errorf("exit over HTTP: %+v", r.Checks[1])
			}
		})
	}
}

func TestWithoutAClient(t *testing.T) {
	o := options(t, "tells")
	o.Client = "echo nothing to do"
	_, err := Play(context.Background(), o, nil)
	if err == nil || !strings.Contains(err.Error(), "does not get") && !strings.Contains(err.Error(), "no result") && !strings.Contains(err.Error(), "does not connect") {
		t.Error(err)
	}
}

func TestPlaceIsQuoted(t *testing.T) {
	p := place{server: []string{"a b", "it's", "plain"}, url: "http://x/"}
	if got := p.fill("client {server} {url}"); got != `client 'a b' 'it'"'"'s' plain http://x/` {
		t.Error(got)
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := &output{began: time.Now()}
	_, _ = o.Write(bytes.Repeat([]byte("x"), 3*maxLine))
	_, _ = o.Write([]byte("\nnext\n\nlast"))
	got := o.all()
	if len(got) != 3 || len(got[0].Text) != maxLine || got[1].Text != "next" || got[2].Text != "last" {
		t.Errorf("%d lines", len(got))
	}
}
