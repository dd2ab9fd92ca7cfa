package export

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/wire"
)

// poison is everything a peer could try on a terminal.
const poison = "İẞȺ\u212aA\x1b[2J\x1b]52;c;ZXZpbA==\x07\x1b]0;t\x1b\\\u009b31m\u009d52;c;eA==\u009c\u202eB\u2066\U000e0041\U000e0101\r\n\x00\x08\t\u200b\ufeff\u2028C\u0301\u0301\u0301\u0301\u0301\u0301D\x7f\xff\x9b"

// poisoned is the inside of a JSON string that holds the poison twice: as far
// as JSON allows it raw, and in escapes.
func poisoned() string {
	escaped, _ := json.Marshal(strings.ToValidUTF8(poison, "?"))
	raw := strings.Map(func(r rune) rune {
		if r < 0x20 {
			return -1
		}
		return r
	}, poison)
	return string(escaped[1:len(escaped)-1]) + raw + "\x9b31m\xff"
}

// fill puts the poison into every place of a JSON text that says POISON.
func fill(text string) string { return strings.ReplaceAll(text, "POISON", poisoned()) }

func hostileStdio() *tape {
	var t tape
	t.fact(wire.Frame{Kind: wire.KindStart, X: 1}, wire.Start{Command: []string{poison}, Error: poison})
	t.stderr(poison)
	for _, line := range []string{
		`>{"jsonrpc":"2.0","id":"POISON","method":"initialize","params":{"protocolVersion":"POISON","clientInfo":{"name":"POISON","title":"POISON","version":"POISON"}}}`,
		`<{"jsonrpc":"2.0","id":"POISON","result":{"protocolVersion":"POISON","serverInfo":{"name":"POISON","version":"POISON"}}}`,
		`>{"jsonrpc":"2.0","id":1,"method":"POISON","params":{"POISON":"POISON"}}`,
		`<{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"POISON","data":"POISON"}}`,
		`>{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"POISON","arguments":{"POISON":"POISON"}}}`,
		`<{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"POISON"}],"isError":true}}`,
		`>{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"POISON"}}`,
		`<{"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"POISON","text":"POISON"}]}}`,
		`<{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"POISON","logger":"POISON","data":"POISON"}}`,
		`<{"jsonrpc":"2.0","method":"POISON"}`,
		`<{"jsonrpc":"2.0","id":"POISON","method":"elicitation/create","params":{"message":"POISON"}}`,
		`<{"jsonrpc":"2.0","id":"not POISON","result":{}}`,
		`<{"jsonrpc":"POISON`,
	} {
		t.line(wire.Dir(line[0]), fill(line[1:]))
	}
	t.line(wire.ToClient, poison)
	t.fact(wire.Frame{Kind: wire.KindNote}, wire.Note{Text: poison})
	t.fact(wire.Frame{Kind: wire.KindGap}, wire.Gap{Why: poison})
	t.add(wire.Frame{Kind: wire.KindGate}, fill(`{"what":"POISON"}`))
	t.fact(wire.Frame{Kind: wire.KindExit, X: 1}, wire.Exit{Signal: poison})
	return &t
}

func hostileHTTP() *tape {
	value := strings.NewReplacer("\r", "", "\n", "").Replace(poison)
	field := value + ": " + value + "\r\n"
	with := "Mcp-Session-Id: " + value + "\r\nMcp-Protocol-Version: " + value + "\r\n"
	var t tape
	t.fact(wire.Frame{Kind: wire.KindOpen, Conn: 1}, wire.Open{Client: poison, Upstream: poison, Error: poison})
	t.post(1, "/"+value, field, fill(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"POISON","clientInfo":{"name":"POISON","version":"POISON"}}}`),
		"200 "+value, field+with, fill(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"POISON","serverInfo":{"name":"POISON","version":"POISON"}}}`))
	t.post(1, "/mcp?"+value, field+with, fill(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"POISON"}}`), "500 "+value, field, poison)
	t.post(1, "/mcp", with, fill(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`), "200 OK", field, "data: "+value+"\nevent: "+value+"\n\n")
	t.post(1, "/token?"+value, field, poison, "302 "+value, "Location: "+value+"\r\n", poison)
	t.post(1, value, "", "", value, value, "")
	t.fact(wire.Frame{Kind: wire.KindEdit, Conn: 1, X: 1, Dir: wire.ToServer}, wire.Edit{What: poison, Was: poison, Now: poison})
	t.add(wire.Frame{Kind: wire.KindRaw, Conn: 1, Dir: wire.ToServer}, poison)
	t.fact(wire.Frame{Kind: wire.KindClose, Conn: 1}, wire.Close{By: poison, Error: poison})
	return &t
}

// harmless fails when a text holds anything a terminal would act upon, or that
// nobody can see, besides line ends.
func harmless(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: not UTF-8: %q", what, text)
	}
	for i, r := range text {
		if r != '\n' && r != ' ' && unicode.In(r, unicode.C, unicode.Z) {
			t.Fatalf("%s: %U at %d in %.300q", what, r, i, text)
		}
	}
}

func TestHostilePeer(t *testing.T) {
	for name, tape := range map[string]*tape{"stdio": hostileStdio(), "http": hostileHTTP()} {
		for _, line := range tape.printed() {
			harmless(t, name+" line", line)
			if strings.Contains(line, "\n") {
				t.Errorf("%s: a line of several: %q", name, line)
			}
		}
		tr := tape.tracker()
		rows := len(tr.Sessions()) + tr.Rows() // blank lines follow the titles
		if len(tr.Loose()) > 0 {
			rows++
		}
		shown := tape.shown()
		harmless(t, name+" show", shown)
		if got := strings.Count(shown, "\n") - len(tr.Sessions()); got != rows {
			t.Errorf("%s: %d lines for %d rows and titles:\n%s", name, got, rows, shown)
		}
		harmless(t, name+" raw", tape.raw())

		trouble := fmt.Sprintf("%s: broken", poison)
		all := List(Recording{ID: poison, Label: poison, Tap: poison, Started: begun(), Live: true, Trouble: trouble}, tr.Sessions())
		all = append(all, List(Recording{ID: poison, Label: poison, Tap: poison, Trouble: trouble, Unreadable: true}, nil)...)
		table := Table(all, time.UTC)
		harmless(t, name+" table", table)
		if got := strings.Count(table, "\n"); got != len(all)+1 {
			t.Errorf("%s: %d lines for %d entries:\n%s", name, got, len(all), table)
		}
		text, err := JSON(all)
		if err != nil {
			t.Fatal(err)
		}
		harmless(t, name+" JSON", text)
		var back []Listed
		if err := json.Unmarshal([]byte(text), &back); err != nil || len(back) != len(all) {
			t.Errorf("%s: JSON of %d entries has %d, %v", name, len(all), len(back), err)
		}
	}
}

// Columns begin at the same place of the screen in every line.
func TestTableOfWideText(t *testing.T) {
	id := "識別子識別子識別子"
	table := Table([]Listed{
		{Recording: "a", Transport: "stdio", ProtocolVersion: "2025-06-18", Client: "デスク 1.0", Server: "e\u0301te\u0301 😀", State: "operating", Messages: 77},
		{Recording: "録画", Transport: "http", Client: strings.Repeat("長", 40), Server: "plain", State: "closed", Messages: 77, ID: &id, IDSource: "server"},
		{Recording: poison, Client: poison, Server: poison, State: poison, Messages: 77},
	}, time.UTC)
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	column := func(line, word string) int {
		before, _, ok := strings.Cut(line, word)
		if !ok {
			t.Fatalf("no %q in %q", word, line)
		}
		return ansi.StringWidth(before)
	}
	want := column(lines[0], "MSG")
	for _, line := range lines[1:] {
		if got := column(line, " 77 ") + 1; got != want {
			t.Errorf("column %d, want %d:\n%s", got, want, table)
		}
	}
	if !strings.Contains(table, "識別子識別… (server)") {
		t.Errorf("the id is not cut by its width:\n%s", table)
	}
}
