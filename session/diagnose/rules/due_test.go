package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

// ownFixtures are those of the rows that no rule reports, and of those whose rules have
// other reasons too: one in which what is due never comes, and one in which it does.
var ownFixtures = map[ledger.Kind][2]string{
	ledger.Resume: {dueStream + "wait 4000\n" + dueOther, dueStream + dueBack + "wait 4000\n" + dueOther},
	ledger.Token:  {dueCode, dueCode + `1.2 > POST /token | Host: auth.example.com | Content-Type: application/x-www-form-urlencoded || grant_type=authorization_code&code=redacted:11111111` + "\n"},
}

const (
	dueStream = `tap http
1.1 > POST /mcp | Accept: application/json, text/event-stream || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-Id: abc || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
1.2 > POST /mcp | Mcp-Session-Id: abc || {"jsonrpc":"2.0","method":"notifications/initialized"}
1.2 < 202 ||
1.3 > POST /mcp | Accept: application/json, text/event-stream | Mcp-Session-Id: abc || {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}}
1.3 < 200 text/event-stream
1.3 event id: e1 | data:
1.3 close server
`
	dueBack  = "1.4 > GET /mcp | Accept: text/event-stream | Mcp-Session-Id: abc | Last-Event-ID: e1\n"
	dueOther = `1.5 > POST /mcp | Accept: application/json, text/event-stream | Mcp-Session-Id: abc || {"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n"
	dueCode  = "tap http\n1.1 > GET /callback?code=redacted:11111111&state=s1 | Host: 127.0.0.1:4000\n1.1 < 200 text/html || ok\n"
)

const duePage = `Many failures are something that never came. This table lists what one side must do after something
else. midwire's ledger applies it to every session, and rules report what is missed. A missed habit is a note or a
warning, never an error. This page is generated from session/ledger/table.go.
`

// TestDue goes over the table of what is due: each row has a fixture in which it is
// missed and one in which it is not, and what is only a habit is no error.
func TestDue(t *testing.T) {
	for i := range ledger.Table {
		due := &ledger.Table[i]
		if due.After == "" || due.What == "" || i > 0 && due.Kind != ledger.Table[i-1].Kind && due.Kind != ledger.Table[i-1].Kind+1 {
			t.Errorf("row %d lacks words, or is out of order: %+v", i, due)
		}
		var fires, near []string
		for _, id := range due.Rules {
			r := Find(id)
			if r == nil {
				t.Errorf("%s: there is no rule %s", due.What, id)
				continue
			}
			if due.Force == ledger.Habit && r.Severity == diagnose.Error {
				t.Errorf("%s: %s makes an error of a habit", due.What, id)
			}
			fires, near = append(fires, texts(t, id, "fires")...), append(near, texts(t, id, "near")...)
		}
		if own, ok := ownFixtures[due.Kind]; ok {
			fires, near = append(fires, own[0]), append(near, own[1])
		}
		missed, kept := 0, 0
		for _, text := range fires {
			if _, missing := owed(t, due, text); missing > 0 {
				missed++
			}
		}
		for _, text := range near {
			if all, missing := owed(t, due, text); all > 0 && missing == 0 {
				kept++
			}
		}
		if missed == 0 || kept == 0 {
			t.Errorf("%s, after %s: missed in %d fixtures, paid in %d", due.What, due.After, missed, kept)
		}
	}
}

func texts(t *testing.T, rule, kind string) (all []string) {
	files, _ := filepath.Glob(filepath.Join("testdata", rule, kind+"*.txt"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// owed counts the debts of a row in a transcript, and those of them that were not paid,
// or before which the debtor went on.
func owed(t *testing.T, due *ledger.Due, text string) (all, missing int) {
	t.Helper()
	s, err := transcript.Parse(text)
	if err != nil {
		return 0, 0 // of two sides of a gateway
	}
	tr, c := diagnose.New(session.Options{Tap: s.Tap}, nil)
	l := c.Ledger()
	seen := map[int32]bool{}
	for _, f := range s.Frames {
		tr.Apply(f)
		for i := ledger.Whole; i < len(tr.Sessions()); i++ {
			for _, d := range l.Open(i) {
				seen[d.Row] = seen[d.Row] || d.Kind == due.Kind && d.Owes == due.Owes
			}
		}
	}
	for row, is := range seen {
		if !is {
			continue
		}
		all++
		d, ok := l.Other(due.Kind, int(row))
		late := due.Kind == ledger.Exit && d.EndT-d.T >= due.Within
		if ok && (d.Missing() || d.Times > 0 || late || d.End.Lost() || d.End.GaveUp() && due.Kind == ledger.Response) {
			missing++
		}
	}
	return all, missing
}

// TestDuePage holds docs/due.md to the table. UPDATE=1 writes it again.
func TestDuePage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What is due\n\n" + duePage + "\n| after | is due | from | when missed at the earliest | excused when | | rules |\n|---|---|---|---|---|---|---|\n")
	for i := range ledger.Table {
		due := &ledger.Table[i]
		from, after := "client", "when the client continues without it"
		if due.Owes == wire.ToClient {
			from = "server"
		}
		if due.Within > 0 {
			after = time.Duration(due.Within).String()
		}
		rules := "`" + strings.Join(due.Rules, "`, `") + "`"
		force := [...]string{"MUST", "SHOULD", "habit"}[due.Force]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", due.After, due.What, from, after, due.Excuse, force, strings.TrimPrefix(rules, "``"))
	}
	const page = "../../../docs/due.md"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("docs/due.md is not what the table says: UPDATE=1 go test ./session/diagnose/rules writes it (%v)", err)
	}
}
