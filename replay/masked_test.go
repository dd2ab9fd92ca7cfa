package replay

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

	"midwire/fixtures/transcript"
	"midwire/session/record"
	"midwire/session/record/redact"
)

// masked1 and masked2 are what a recording has in the place of credentials.
const masked1, masked2 = "redacted:0a1b2c3d", "redacted:ffffffff"

// script writes a transcript as a recording.
func script(t testing.TB, h record.Header, text string) string {
	t.Helper()
	s, err := transcript.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	w, err := record.Create(t.TempDir(), h, record.Options{Redact: redact.Options{Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Frames {
		w.Append(f)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

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
			path := script(t, record.Header{Tap: "http"}, "1.1 > POST "+tt.target+" | Content-Type: application/json | Cookie: sid="+masked2+
				" | "+cmp.Or(tt.field, "X-None: 1")+" || "+tt.body+"\n"+`1.1 < 200 application/json || {"jsonrpc":"2.0","id":1,"result":{}}`)
			s := load(t, path)
			p, err := s.Plan(PlanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.Run(t.Context(), Options{URL: parse(t, url), Record: library(t), Yes: true})
			if err == nil || !strings.Contains(err.Error(), tt.why) || got() != "" {
				t.Fatalf("error %v, want %q; sent %s", err, tt.why, got())
			}
			if tt.want == "" {
				return
			}
			var set []Setting
			for _, text := range tt.set {
				one, err := ParseSetting(text)
				if err != nil {
					t.Fatal(err)
				}
				set = append(set, one)
			}
			if p, err = s.Plan(PlanOptions{Set: set}); err != nil {
				t.Fatal(err)
			}
			if _, err = p.Run(t.Context(), Options{URL: parse(t, url+tt.to), Header: tt.header, Record: library(t), Yes: true}); err != nil {
				t.Fatal(err)
			}
			if sent := got(); strings.Contains(sent, "redacted:") || !strings.Contains(sent, tt.want) {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

// What is not in the plan is looked at before it goes out: an answer to the
// server is refused when it holds a mask.
func TestMasksInAnswersAreNotSent(t *testing.T) {
	path := tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"ask","params":{"message":"password?"}}
		< {"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"password?"}}
		> {"jsonrpc":"2.0","id":"q1","result":{"action":"accept","content":{"password":"`+masked1+`"}}}
		< {"jsonrpc":"2.0","id":1,"result":{}}`)
	r := replayed(t, path, Options{Command: serve("raw")})
	if got := strings.Join(sent(t, r), "\n"); strings.Contains(got, "redacted:") || !strings.Contains(got, `"id":"q1","error"`) || !strings.Contains(fmt.Sprint(r.Problems), "masks") {
		t.Errorf("sent %s\nproblems %v", got, r.Problems)
	}
}

// A mock does not hand masks out in the place of credentials.
func TestMockHandsOutNoMasks(t *testing.T) {
	path := tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"login"}
		< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`+masked1+`"}}
		< {"jsonrpc":"2.0","id":1,"result":{"token":"`+masked1+`"}}
		> {"jsonrpc":"2.0","id":2,"method":"echo"}
		< {"jsonrpc":"2.0","id":2,"result":{"a":1}}`)
	said := make(chan string, 10)
	url := mockHTTPServer(t, &Mock{Script: load(t, path), Say: func(s string) { said <- s }})
	resp, err := http.Post(url+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"login"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || bytes.Contains(got, []byte("redacted:")) || !bytes.Contains(got, []byte("--keep-secrets")) || len(said) != 2 {
		t.Errorf("it sent %s, %v, said %d", got, err, len(said))
	}
}

// A line that is no JSON cannot be given its credential.
func TestMaskInALineIsNotSent(t *testing.T) {
	p, err := load(t, tape(t, "stdio", "> key="+masked1)).Plan(PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context(), Options{Command: serve("raw"), Record: library(t), Yes: true}); err == nil || !strings.Contains(err.Error(), "--keep-secrets") {
		t.Errorf("error %v", err)
	}
}

// A recorded target never leads a replay to another host, and its path is sent
// as it was.
func TestTargetsStayOnTheirHost(t *testing.T) {
	for target, want := range map[string]string{
		"/a?b=c": "/a?b=c", "@evil:80/": "/@evil:80/", "//evil/x": "//evil/x", "http://evil/x?y": "/x?y", `\\evil`: `/%5C%5Cevil`, "/a#b": "/a#b", "?x": "/?x", "*": "/*",
	} {
		u := parse(t, "http://server.example:3000/")
		aimAs(u, true, target)
		if again, err := http.NewRequest(http.MethodPost, u.String(), nil); err != nil || again.URL.Host != "server.example:3000" || again.URL.User != nil {
			t.Errorf("%q leads to %s: %v", target, u, err)
		} else if got := again.URL.RequestURI(); got != want && target != "/a#b" {
			t.Errorf("%q is sent as %s, want %s", target, got, want)
		}
	}
}
