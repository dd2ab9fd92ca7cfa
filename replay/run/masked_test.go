package run

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session/record"
)

// masked1 and masked2 are what a recording has in the place of credentials.
const masked1, masked2 = "redacted:0a1b2c3d", "redacted:ffffffff"

// taking is a server that keeps all that it is sent, head and body.
func taking(t testing.TB) (url string, got func() string) {
	var mu sync.Mutex
	var all bytes.Buffer
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		fmt.Fprintf(&all, "%s %s\n", r.Method, r.RequestURI)
		_ = r.Header.Write(&all)
		fmt.Fprintf(&all, "\n%s\n", body)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
}

// A mask is never sent, wherever it stands; what it stands for can be given.
func TestMasksAreNotSent(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 80) + `"` + masked1 + `"` + strings.Repeat("}", 80)
	call := func(params string) string { return `{"jsonrpc":"2.0","id":1,"method":"echo","params":` + params + `}` }
	for name, tt := range map[string]struct {
		target, field, body string
		why                 string
		set                 []string    // gives it
		header              http.Header // or this
		to                  string      // or this, behind the server's origin
		want                string      // what is sent then
	}{
		"query":               {target: "/mcp?a=1&api_key=" + masked1, body: call("{}"), why: "URL /mcp?a=1&api_key=" + masked1, set: []string{masked1 + "=s&cret"}, want: "/mcp?a=1&api_key=s%26cret"},
		"query, by --to":      {target: "/mcp?api_key=" + masked1, body: call("{}"), why: "--to", to: "/mcp?api_key=mine", want: "/mcp?api_key=mine"},
		"query, left out":     {target: "/mcp?api_key=" + masked1, body: call("{}"), why: "--to", to: "/mcp?", want: "POST /mcp"},
		"path":                {target: "/t/" + masked1 + "/mcp", body: call("{}"), why: "URL /t/", to: "/t/x/mcp", want: "POST /t/x/mcp"},
		"header":              {target: "/mcp", field: "X-Any: Token " + masked1, body: call("{}"), why: "header X-Any", header: http.Header{"X-Any": {"mine"}}, want: "X-Any: mine"},
		"header, by its mask": {target: "/mcp", field: "X-Any: Token " + masked1, body: call("{}"), why: "header X-Any", set: []string{masked1 + "=mine"}, want: "X-Any: Token mine"},
		"member":              {target: "/mcp", body: call(`{"key":"` + masked1 + `"}`), why: "--set params.key=", set: []string{"params.key=mine"}, want: `{"key":"mine"}`},
		"two members":         {target: "/mcp", body: call(`{"key":"` + masked1 + `","key":"x"}`), why: "masks", set: []string{masked1 + "=mine"}, want: `{"key":"mine","key":"x"}`},
		"in a text":           {target: "/mcp", body: call(`{"text":"a ` + masked1 + ` b ` + masked1 + `"}`), why: "--set " + masked1, set: []string{masked1 + "=mine"}, want: `"a mine b mine"`},
		"JSON as text":        {target: "/mcp", body: call(`{"text":"{\"key\":\"` + masked1 + `\"}"}`), why: "params.text", set: []string{masked1 + "=mine"}, want: `{\"key\":\"mine\"}`},
		"two masks":           {target: "/mcp", body: call(`{"a":"` + masked1 + `","b":["` + masked2 + `"]}`), why: "params.a, params.b[0]", set: []string{"params.a=1", masked2 + "=mine"}, want: `{"a":1,"b":["mine"]}`},
		"deep":                {target: "/mcp", body: call(deep), why: "a part of #"},
		"name of a member":    {target: "/mcp", body: call(`{"` + masked1 + `":1}`), why: "a part of #"},
		"in a batch":          {target: "/mcp", body: "[" + call(`{"key":"`+masked1+`"}`) + "]", why: "--set params.key=", set: []string{"params.key=mine"}, want: `{"key":"mine"}`},
	} {
		t.Run(name, func(t *testing.T) {
			url, got := taking(t)
			path := replaytest.Transcript(t, record.Header{Tap: "http"}, "1.1 > POST "+tt.target+" | Content-Type: application/json | Cookie: sid="+masked2+
				" | "+cmp.Or(tt.field, "X-None: 1")+" || "+tt.body+"\n"+`1.1 < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{}}`)
			s := load(t, path)
			p, err := s.Plan(replay.PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = Run(t.Context(), p, Options{Server: peer.Server{URL: replaytest.URL(t, url), Record: replaytest.Library(t)}, Yes: true})
			if err == nil || !strings.Contains(err.Error(), tt.why) || got() != "" {
				t.Fatalf("error %v, want %q; sent %s", err, tt.why, got())
			}
			if tt.want == "" {
				return
			}
			var set []replay.Setting
			for _, text := range tt.set {
				one, err := replay.ParseSetting(text)
				if err != nil {
					t.Fatal(err)
				}
				set = append(set, one)
			}
			if p, err = s.Plan(replay.PlanOptions{Set: set}); err != nil {
				t.Fatal(err)
			}
			if _, err = Run(t.Context(), p, Options{Server: peer.Server{URL: replaytest.URL(t, url+tt.to), Header: tt.header, Record: replaytest.Library(t)}, Yes: true}); err != nil {
				t.Fatal(err)
			}
			if sent := got(); strings.Contains(sent, "redacted:") || !strings.Contains(sent, tt.want) {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

// What is not in the plan is looked at before it goes out: a response to the
// server is refused when it holds a mask.
func TestMasksInAnswersAreNotSent(t *testing.T) {
	t.Parallel()
	path := replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"ask","params":{"message":"password?"}}
		< {"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"password?"}}
		> {"jsonrpc":"2.0","id":"q1","result":{"action":"accept","content":{"password":"`+masked1+`"}}}
		< {"jsonrpc":"2.0","id":1,"result":{}}`)
	r := replayed(t, path, Options{Server: peer.Server{Command: replaytest.Serve("raw")}})
	if got := strings.Join(replaytest.Sent(t, r.Other[0]), "\n"); strings.Contains(got, "redacted:") || !strings.Contains(got, `"id":"q1","error"`) || !strings.Contains(fmt.Sprint(r.Problems), "masks") {
		t.Errorf("sent %s\nproblems %v", got, r.Problems)
	}
}

// A line that is no JSON cannot be given its credential.
func TestMaskInALineIsNotSent(t *testing.T) {
	t.Parallel()
	p, err := load(t, replaytest.Tape(t, "stdio", "> key="+masked1)).Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), p, Options{Server: peer.Server{Command: replaytest.Serve("raw"), Record: replaytest.Library(t)}, Yes: true}); err == nil || !strings.Contains(err.Error(), "--keep-secrets") {
		t.Errorf("error %v", err)
	}
}
