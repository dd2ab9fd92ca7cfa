package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose/rules"
	"midwire/ui/detail"
)

// manyClients is a server with several clients: "my-agent" gets a session id and
// leaves it out of so many requests, the others send it back.
func manyClients(requests int) string {
	var b strings.Builder
	b.WriteString("tap http\n")
	x := 0
	post := func(conn int, id, body, status, header, response string) {
		x++
		if id != "" {
			id = " | Mcp-Session-Id: " + id
		}
		fmt.Fprintf(&b, "%d.%d > POST /mcp | Host: 127.0.0.1:18302 | Accept: application/json, text/event-stream | User-Agent: node%s | MCP-Protocol-Version: 2025-06-18 || %s\n", conn, x, id, body)
		if response == "" {
			fmt.Fprintf(&b, "%d.%d < %s\n", conn, x, status)
			return
		}
		fmt.Fprintf(&b, "%d.%d < %s application/json%s || %s\n", conn, x, status, header, response)
	}
	for i, client := range []string{"my-agent", "goose", "cursor", "my-ide"} {
		id := fmt.Sprintf("9f715db6c7e64a92b86edf86c59f5cf%d", i)
		post(i+1, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"`+client+`","version":"0.3.0"}}}`,
			"200", " | Mcp-Session-Id: "+id, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"workbench","version":"2.1.0"}}}`)
		post(i+1, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "202", "", "")
		if client != "my-agent" {
			post(i+1, id, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "200", "", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
		}
	}
	for i := range requests {
		b.WriteString("wait 300\n")
		post(1, "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i+1), "400", "",
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`)
	}
	return b.String()
}

// prove opens the findings of a recording with the rules that are shipped.
func prove(t *testing.T, transcript string, w, h int) *driver {
	s := having(Recording{ID: "r", Label: "workbench", Tap: "http", Where: "127.0.0.1:18302 → http://localhost:3000", Live: true}, framesOf(t, transcript))
	d := drive(t, s, Options{rules: rules.All()}, w, h)
	d.press("!")
	return d
}

// TestProofOfALostID: the head that issues the id, the head that lacks it, the
// response that refuses, and the other clients of the server.
func TestProofOfALostID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := prove(t, manyClients(9), 120, 45)
		d.want(
			"▌ ✗ my-agent  → workbench  The client does not send the assigned session id", "9×  client",
			"fix my-agent   Server workbench", "Keep the Mcp-Session-Id of the response",
			"others  ✓ 3 other clients of workbench send it back",
			"initialize response", "id issued", "▌  Mcp-Session-Id: 9f715db6c7e64a92b86edf86c59f5cf0",
			"id left out", "▌  Mcp-Session-Id: 9f71…5cf0                       missing",
			"refused", "HTTP/1.1 400", "exchange 9 of 9", "the same in #",
		)
		lines := strings.Split(d.screen(), "\n")
		at := func(text string) int {
			return slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, text) })
		}
		order := []int{at("id issued"), at("id left out"), at(" missing"), at("MCP-Protocol-Version"), at("HTTP/1.1 400"), at("the same in")}
		if !slices.IsSorted(order) {
			t.Errorf("not in order of time: %v\n%s", order, d.screen())
		}
		d.press("left", "left", "right", "right", "right", "left")
		d.want("exchange 8 of 9")
		row := d.m.findings.About().Shows[7]
		d.press("enter")
		d.want("workbench ▸ messages", fmt.Sprintf("▌✗ %3d", d.m.list.Rec.Tracker.Row(d.m.list.Rec.RowAt(row)).Request))
	})
}

// TestEveryFailingRowHasItsMark: more than any evidence that is kept.
func TestEveryFailingRowHasItsMark(t *testing.T) {
	const n = 40
	synctest.Test(t, func(t *testing.T) {
		d := prove(t, manyClients(n), 120, 36)
		d.want(fmt.Sprintf("%d×  client", n), fmt.Sprintf("exchange %d of %d", n, n), " more")
		rec := d.m.recs[0]
		for i := range rec.Tracker.Rows() {
			if row := rec.Tracker.Row(i); row.Status == 400 && rec.Findings.ShowsAtRow[int32(i)] == 0 {
				t.Errorf("#%d has no mark", row.Request)
			}
		}
		if md := detail.Markdown(d.m.Scene(), d.m.findings.About()); strings.Count(md, "\n- #") != 40 || !strings.Contains(md, "- and 1 more") {
			t.Error(md)
		}
		for range n {
			d.press("h")
		}
		d.want(fmt.Sprintf("exchange 1 of %d", n))
	})
}

// TestBadgeStandsAtTheProof: the rule makes up its mind in a later session than
// the one where the call failed.
func TestBadgeStandsAtTheProof(t *testing.T) {
	var b strings.Builder
	b.WriteString("tap http\n")
	for i := range 3 {
		id := fmt.Sprintf("aaaa-bbbb-cccc-%d", i)
		response := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}`
		if i == 1 {
			response = `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"read the document first"}]}}`
		}
		fmt.Fprintf(&b, `%[1]d.%[1]d1 > POST /mcp || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"chat-host","version":"1"}}}
%[1]d.%[1]d1 < 200 application/json | Mcp-Session-Id: %[2]s || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"documents","version":"1"}}}
%[1]d.%[1]d2 > POST /mcp | Mcp-Session-Id: %[2]s || {"jsonrpc":"2.0","method":"notifications/initialized"}
%[1]d.%[1]d2 < 202
%[1]d.%[1]d3 > POST /mcp | Mcp-Session-Id: %[2]s || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"edit","arguments":{}}}
%[1]d.%[1]d3 < 200 application/json || %[3]s
`, i+1, id, response)
	}
	synctest.Test(t, func(t *testing.T) {
		d := prove(t, b.String(), 120, 36)
		for _, f := range d.m.recs[0].Findings.All {
			if f.Rule.ID != "session-per-call" {
				continue
			}
			rec := d.m.recs[0]
			if at := int(rec.Tracker.Row(rec.RowAt(f.Frames[0])).Session); f.Session != 1 || at != 1 {
				t.Errorf("session %d, the proof is in %d", f.Session, at)
			}
			d.want("chat-host 2  → documents  The host opens a new session for every call")
			return
		}
		t.Fatalf("nothing was found\n%s", d.screen())
	})
}

// TestProofOfAWrongMember: JSON is folded around what is wrong in it.
func TestProofOfAWrongMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := prove(t, `tap stdio
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"ide","version":"1.4"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"files","version":"3"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"now","description":"The time.","inputSchema":{"type":"string"}},{"name":"c","inputSchema":{"type":"object"}}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"now","description":"The time.","inputSchema":{"type":"string"}}]}}
`, 120, 40)
		d.want("exchange 2 of 2", `▌            "type": "string"`)
		d.press("left")
		d.want("fix the server", "fix the server", "▸ 1 item", `▌            "type": "string"`, `"name": "now"`)
		d.wantNot(`“"`, `"name": "c"`)
		d.press("+")
		d.want(`"name": "c"`)
		d.press("-")
		d.wantNot(`"name": "c"`)
		for y, line := range strings.Split(d.screen(), "\n") {
			if before, _, ok := strings.Cut(line, "▸ 1 item"); ok {
				d.send(tea.MouseClickMsg{X: len([]rune(before)), Y: y, Button: tea.MouseLeft})
				break
			}
		}
		d.want(`"name": "c"`)
	})
}

func TestProofScreens(t *testing.T) {
	screens(t, "proof", func(t *testing.T, w, h int) *driver {
		return prove(t, manyClients(9), w, h)
	})
	screens(t, "proof-paper", func(t *testing.T, w, h int) *driver {
		d := prove(t, manyClients(9), w, h)
		d.press("tab", "tab", "right")
		return d
	})
}

// TestTimesCountUpInPlace: what is new of a finding leaves the row, and the
// exchange that is proved, where they are.
func TestTimesCountUpInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, fs := newFakeSource(), framesOf(t, manyClients(3))
		all := framesOf(t, manyClients(9))
		s.recs["r"] = all
		s.ch <- Batch{Recordings: []Recording{live("r")}, Frames: tagged("r", fs)}
		d := drive(t, s, Options{rules: rules.All()}, 120, 36)
		d.press("!", "j", "k", "h", "h", "h", "l")
		d.want(" 3×  client", "exchange 2 of 3", "✗ #54  tools/list")
		d.news(s, "r", all[len(fs):])
		d.want(" 9×  client", "exchange 2 of 9", "✗ #54  tools/list", "▌ ✗ my-agent")
	})
}

// TestNarrowFindings: enter opens the verdict over the list, tab the proof, and esc
// comes back.
func TestNarrowFindings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := prove(t, manyClients(2), 60, 15)
		d.want("Findings", "my-agent", "2×")
		d.wantNot("Cause")
		d.press("enter")
		d.want("Cause", "fix my-agent")
		d.wantNot("Findings ─")
		d.press("tab")
		d.want("Proof", "exchange 2 of 2")
		d.press("tab", "tab", "esc")
		d.want("Findings ─")
		d.press("esc")
		d.wantNot("Findings ─")
	})
}

// TestTitlesEndAtAPause: a title that is too long ends at a comma or between words.
func TestTitlesEndAtAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, w := range []int{40, 50, 60, 72, 80, 100, 120} {
			d := drive(t, broken(t), Options{}, w, 24)
			d.press("!")
			for line := range strings.SplitSeq(d.screen(), "\n") {
				if before, _, ok := strings.Cut(line, "1× "); ok && strings.Contains(line, "A request") {
					title := strings.TrimSpace(before[strings.Index(before, "A request"):])
					whole := "A request came before notifications/initialized, and was refused"
					if rest, ok := strings.CutPrefix(whole, strings.TrimSuffix(title, "…")); !ok || rest != "" && rest[0] != ' ' && rest[0] != ',' {
						t.Errorf("%d: %q", w, title)
					}
				}
			}
		}
	})
}

// TestFindingsOfAllThatIsLoaded: they are of the session that was selected, and of all
// others with one key.
func TestFindingsOfAllThatIsLoaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := broken(t)
		s.ch <- Batch{Recordings: []Recording{{ID: "old", Label: "yesterday", Tap: "http", Started: started().Add(-20 * time.Hour), Size: 4000}}}
		d := drive(t, s, Options{}, 120, 36)
		d.press("1", "G", "!")
		d.want("yesterday ▸ findings", "6 findings in other recordings")
		d.press("s")
		d.want("all that was read ▸ findings", "2 errors   1 warning   3 notes", "files-server", "two ")
	})
}
