package contrast

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/library/summary"
	"midwire/session/record"
	"midwire/session/record/redact"
)

// desk is a session over HTTP of a client and a server: what they say can be changed.
type desk struct {
	client, version, server string
	accept                  string
	noID                    bool   // the client does not send the session id back
	tool                    string // definition of the tool
	args                    string
	refuse                  string // what the call gets instead of a result
	label                   string // of its recording
	before                  int    // calls that are served before it
}

func (d desk) text() string {
	or := func(v, other string) string {
		if v == "" {
			return other
		}
		return v
	}
	id := " | Mcp-Session-Id: 7f0e3f8c-97b1-4f59-b6ff-3a9f6b3b7c01"
	sent := id
	if d.noID {
		sent = ""
	}
	head := "Accept: " + or(d.accept, "application/json, text/event-stream") + " | Content-Type: application/json"
	later := head + sent + " | MCP-Protocol-Version: 2025-06-18"
	var b strings.Builder
	b.WriteString("tap http\n")
	exchange := func(n int, head, body, status, response string) {
		fmt.Fprintf(&b, "1.%d > POST /mcp | %s || %s\n1.%d < %s || %s\n", n, head, body, n, status, response)
	}
	exchange(1, head, fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"%s","version":"1"}}}`, or(d.client, "desk")),
		"200 application/json"+id, fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"%s","version":"%s"}}}`, or(d.server, "papers"), or(d.version, "1.2.0")))
	exchange(2, later, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "202", "")
	exchange(3, later, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "200 application/json",
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[`+or(d.tool, `{"name":"find","inputSchema":{"type":"object"}}`)+`]}}`)
	for i := range d.before {
		exchange(4+i, later, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"other","arguments":{}}}`, 2+i),
			"200 application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, 2+i))
	}
	n := 4 + d.before
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"find","arguments":%s}}`, n, or(d.args, `{"text":"rain"}`))
	if d.refuse != "" {
		exchange(n, later, body, "400 application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"%s"}}`, n, d.refuse))
	} else {
		exchange(n, later, body, "200 application/json", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"found"}]}}`, n))
	}
	return b.String()
}

// shelve records sessions an hour apart and returns the folder and the last file.
func shelve(t *testing.T, all ...desk) (dir, last string) {
	t.Helper()
	dir = t.TempDir()
	began := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	for i, d := range all {
		s, err := transcript.Parse(d.text())
		if err != nil {
			t.Fatal(err)
		}
		w, err := record.Create(dir, record.Header{
			Tap: "http", Label: d.label, Target: "http://127.0.0.1:4000/mcp", Started: began.Add(time.Duration(i) * time.Hour),
		}, record.Options{Redact: redact.Options{Keep: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.Frames {
			w.Append(f)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		last = w.Path()
	}
	return dir, last
}

// TestWhatDiffersFirst plays a failure after three sessions that work, each with one
// difference that decides, and expects that one first.
func TestWhatDiffersFirst(t *testing.T) {
	const refused = "unexpected failure"
	for name, c := range map[string]struct {
		good []desk
		bad  desk
		want string
	}{
		"session id": {bad: desk{noID: true}, want: "Mcp-Session-Id of requests: sent in 3 of 3 good, not here"},
		"accept":     {bad: desk{accept: "*/*"}, want: "Accept of requests: application/json, text/event-stream in 3 of 3 good, here */*"},
		"version":    {bad: desk{version: "1.3.0"}, want: "server version: papers 1.2.0 in 3 of 3 good, here papers 1.3.0"},
		"null":       {bad: desk{args: `{"text":null}`}, want: "argument text: text in 3 of 3 good, here null"},
		"left out":   {bad: desk{args: `{}`}, want: "argument text: text in 3 of 3 good, not here"},
		"letters":    {bad: desk{args: `{"text":"Größe"}`}, want: "letters beyond ASCII in argument text: not in 3 of 3 good, here yes"},
		"length":     {bad: desk{args: `{"text":"` + strings.Repeat("x", 5000) + `"}`}, want: "length of argument text: at most 4 in 3 of 3 good, here 5000"},
		"definition": {bad: desk{tool: `{"name":"find","inputSchema":{"type":"object","required":["q"]}}`}, want: "definition of find"},
		"calls": {
			good: []desk{{before: 1}, {before: 2}},
			bad:  desk{before: 30}, want: "requests before it: at most 4 in 2 of 2 good, here 32",
		},
		"most of them": {
			good: []desk{{}, {}, {}, {accept: "*/*"}},
			bad:  desk{accept: "*/*"}, want: "Accept of requests: application/json, text/event-stream in 3 of 4 good, here */*",
		},
	} {
		t.Run(name, func(t *testing.T) {
			all := c.good
			if all == nil {
				all = []desk{{}, {args: `{"text":"sun"}`}, {}}
			}
			c.bad.refuse = refused
			dir, bad := shelve(t, append(all, c.bad)...)
			r, err := Run(context.Background(), dir, bad, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Differences) == 0 || !strings.HasPrefix(r.Differences[0].Line(len(r.Good)), c.want) {
				t.Errorf("want %q, got\n%s", c.want, r.Text())
			}
			if r.Call != "tools/call find" || r.Common != "the same client and server" {
				t.Errorf("call %q, common %q", r.Call, r.Common)
			}
		})
	}
}

// TestLikeIsNotDifferent: what is the same, and what differs from run to run, is not named.
func TestLikeIsNotDifferent(t *testing.T) {
	dir, bad := shelve(t, desk{args: `{"text":"sun"}`}, desk{args: `{"text":"snow"}`}, desk{refuse: "unexpected failure"})
	r, err := Run(context.Background(), dir, bad, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Differences) != 0 || len(r.Calls) != 1 || !strings.Contains(r.Text(), "Nothing that can be compared is otherwise here") {
		t.Error(r.Text())
	}
}

// TestSince: the library says until when it worked, and with which version it fails.
func TestSince(t *testing.T) {
	fails := desk{version: "1.3.0", refuse: "unexpected failure"}
	dir, bad := shelve(t, desk{}, fails, desk{}, desk{client: "stranger", server: "elsewhere", refuse: "x"}, fails, fails)
	r, err := Run(context.Background(), dir, bad, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Since
	if s == nil || s.Worked.Server != "papers 1.2.0" || s.Failed.Server != "papers 1.3.0" || s.Count != 2 || s.Again != nil {
		t.Fatalf("%+v\n%s", s, r.Text())
	}
	for _, part := range []string{"with papers 1.2.0, fails since", "with papers 1.3.0 (2 sessions)", "as in 2 other sessions"} {
		if !strings.Contains(strings.Join(strings.Fields(r.Text()), " "), part) {
			t.Errorf("%q is not in\n%s", part, r.Text())
		}
	}
}

// TestWhomToCompareWith: the same client and server go before the same server, that before
// the same client; strangers never; without any the error says what to do.
func TestWhomToCompareWith(t *testing.T) {
	bad := desk{refuse: "unexpected failure"}
	for want, all := range map[string][]desk{
		"the same client and server": {{}, {client: "other"}, {server: "other"}},
		"the same server":            {{client: "other"}, {client: "third"}},
	} {
		dir, file := shelve(t, append(all, bad)...)
		r, err := Run(context.Background(), dir, file, Options{})
		if err != nil || r.Common != want {
			t.Errorf("%v: want %s: %+v", err, want, r)
		}
	}
	dir, file := shelve(t, bad, bad)
	_, err := Run(context.Background(), dir, file, Options{})
	if _, ok := errors.AsType[*ErrNothingGood](err); !ok || !strings.Contains(err.Error(), "--with GOOD") {
		t.Error(err)
	}
	dir, file = shelve(t, desk{}, desk{})
	if _, err = Run(context.Background(), dir, file, Options{}); err == nil || !strings.Contains(err.Error(), "no session of it failed") {
		t.Error(err)
	}
	if _, err = Run(context.Background(), dir, file, Options{Session: 7}); err == nil || !strings.Contains(err.Error(), "no session 7") {
		t.Error(err)
	}
}

// TestWithOneThatIsNamed: a recording that lies elsewhere can be named.
func TestWithOneThatIsNamed(t *testing.T) {
	_, good := shelve(t, desk{client: "far", server: "away"})
	dir, bad := shelve(t, desk{}, desk{noID: true, refuse: "unexpected failure"})
	r, err := Run(context.Background(), dir, bad, Options{With: good})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Good) != 1 || r.Good[0].Client != "far 1" || r.Differences[0].What != "Mcp-Session-Id of requests" {
		t.Error(r.Text())
	}
}

// TestCopiesAreNotGood: what works in a copy of another host's is compared with only when it is
// named, and says nothing of since when an own session fails.
func TestCopiesAreNotGood(t *testing.T) {
	dir, bad := shelve(t, desk{}, desk{refuse: "unexpected failure"})
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	copied := strings.TrimSuffix(files[0], ".jsonl") + "@web1.jsonl"
	if err := os.Rename(files[0], copied); err != nil {
		t.Fatal(err)
	}
	if _, err := summary.Get(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if r, err := Run(t.Context(), dir, bad, Options{}); err == nil {
		t.Error(r.Text())
	} else if _, ok := errors.AsType[*ErrNothingGood](err); !ok {
		t.Error(err)
	}
	s, err := summary.Get(t.Context(), bad)
	if err != nil {
		t.Fatal(err)
	}
	if Knows(dir, []*session.Session{s.Sessions[0].Session()}, []diagnose.Verdict{s.Sessions[0].Result}) {
		t.Error("check promises a good session")
	}
	r, err := Run(t.Context(), dir, bad, Options{With: copied})
	if err != nil || len(r.Good) != 1 || r.Good[0].Path() != copied || r.Since != nil {
		t.Errorf("named: %+v, %v", r, err)
	}
}

// TestNothingReachesTheTerminal: names that peers chose are made safe.
func TestNothingReachesTheTerminal(t *testing.T) {
	evil := desk{client: `a\u001b[2Jb`, version: `1\u001b]0;x\u0007`, args: `{"te\u001b[31mxt":1}`}
	worse := evil
	worse.args, worse.refuse, worse.version = `{"te\u001b[31mxt":null}`, `no\u001b[2J`, `2\u001b[2J`
	dir, bad := shelve(t, evil, worse)
	r, err := Run(context.Background(), dir, bad, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Text(); strings.ContainsAny(text, "\x1b\x07") || len(r.Differences) < 2 {
		t.Errorf("%q", text)
	}
}

// TestTriesAreNoSessions: what midwire asked itself is nothing to compare with, and does not say
// since when it works; named on purpose it is.
func TestTriesAreNoSessions(t *testing.T) {
	for _, label := range []string{"probe of x", "replay of x: http://127.0.0.1:4000/mcp"} {
		dir, bad := shelve(t, desk{label: label}, desk{refuse: "no"})
		var nothing *ErrNothingGood
		if _, err := Run(t.Context(), dir, bad, Options{}); !errors.As(err, &nothing) {
			t.Errorf("%s: %v", label, err)
		}
		dir, bad = shelve(t, desk{}, desk{refuse: "no"}, desk{label: label, refuse: "no"}, desk{label: label})
		names, err := record.Names(dir)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), dir, record.File(dir, names[len(names)-2]), Options{})
		if _ = bad; err != nil || len(r.Good) != 1 || r.Since == nil || r.Since.Again != nil || r.Since.Count != 1 {
			t.Errorf("%s: %v, %+v", label, err, r)
		}
	}
}
