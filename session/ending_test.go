package session_test

import (
	"strings"
	"testing"

	. "midwire/session"
	"midwire/session/wire"
)

const (
	callLine = `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}` + "\n"
	cancelIt = `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n"
	posted   = `1.1 > POST /mcp || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}` + "\n"
)

// TestEndings: how a call ended, in the word of the enumeration and in that of users.
func TestEndings(t *testing.T) {
	for name, one := range map[string]struct {
		text, is, word string
		errors         int
	}{
		"waiting":               {callLine, "waiting", "pending", 0},
		"served":                {callLine + `< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "served", "ok", 0},
		"tool error":            {callLine + `< {"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`, "tool error", "error", 1},
		"error":                 {callLine + `< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`, "refused", "error", 1},
		"error without a code":  {callLine + `< {"jsonrpc":"2.0","id":1,"error":{"message":"no"}}`, "refused", "error", 1},
		"cancelled":             {callLine + cancelIt, "withdrawn", "cancelled", 0},
		"response, then cancel": {callLine + `< {"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + cancelIt, "served", "ok", 0},
		"cancel, then response": {callLine + cancelIt + `< {"jsonrpc":"2.0","id":1,"result":{}}`, "late", "cancelled", 0},
		"cancel, then error":    {callLine + cancelIt + `< {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`, "late", "cancelled", 0},
		"exit":                  {callLine + `exit {"code":1}`, "unanswered", "lost", 0},
		"dropped by the gate":   {callLine + `gate {"what":"drop","frame":1}` + "\n" + `exit {"code":0}`, "undelivered", "lost", 0},
		"held at the end":       {callLine + `gate {"what":"hold","frame":1}` + "\n" + `exit {"code":0}`, "unanswered", "lost", 0},
		"HTTP status":           {"tap http\n" + posted + "1.1 < 503 text/plain || busy", "refused", "error", 1},
		"a page":                {"tap http\n" + posted + "1.1 < 200 text/html || <p>hello", "unreadable", "error", 1},
		"the server is not there": {
			"tap http\n" + `1 open {"error":"connection refused"}` + "\n" + posted + "1.1 < 502 text/plain || midwire: cannot reach it", "unreachable", "error", 1,
		},
		"a subscription ends": {
			`> {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}` + "\n" + cancelIt + `< {"jsonrpc":"2.0","id":1,"result":{}}`, "withdrawn", "cancelled", 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := parseTranscript(t, "tap stdio")
			for line := range strings.Lines(one.text) {
				if what, ok := strings.CutPrefix(line, "gate "); ok {
					s.Add(wire.Frame{Kind: wire.KindGate, Dir: wire.ToServer, X: 1}, what)
				} else if err := s.Line(strings.TrimSpace(line)); err != nil {
					t.Fatal(err)
				}
			}
			tr := s.apply()
			var row *Row
			for i := range tr.Rows() {
				if r := tr.Row(i); r.Kind == RowCall {
					row = r
				}
			}
			if row == nil || row.Ending.String() != one.is || row.Ending.Word() != one.word {
				t.Fatalf("%+v, want %s, %s", row, one.is, one.word)
			}
			if got := tr.Session(int(row.Session)).Errors; got != one.errors {
				t.Errorf("%d errors, want %d", got, one.errors)
			}
		})
	}
}

// TestEndingSets: what an ending says of an operation, by its word.
func TestEndingSets(t *testing.T) {
	for e := NoEnding; e.Known(); e++ {
		for what, is := range map[string][2]bool{
			"counted as an error": {e.IsError(), e.Word() == "error"},
			"shown as failed":     {e.Bad(), e.Word() == "error" || e.Word() == "lost"},
			"failed":              {e.Failed(), e.Bad() || e == Late},
			"a result or none":    {e.Result() && e.Denied(), false},
			"open and ended":      {e.Open() && (e.Failed() || e.GaveUp() || e.Result()), false},
		} {
			if is[0] != is[1] {
				t.Errorf("%q: %s: %v", e, what, is[0])
			}
		}
		if (e.String() == "") != (e == NoEnding) || (e.Word() == "") != (e == NoEnding) {
			t.Errorf("%d has the words %q and %q", e, e, e.Word())
		}
	}
}
