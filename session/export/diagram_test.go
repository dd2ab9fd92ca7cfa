package export

import (
	"strings"
	"testing"

	"midwire/session"
	"midwire/session/wire"
)

// TestDiagram draws a part of a recording, says what is left out, and lets no
// text of the wire be read as Mermaid.
func TestDiagram(t *testing.T) {
	tr := session.New(session.Options{Tap: "stdio"})
	var rows []int
	for i := range 2 * (DiagramRows + 5) {
		f := wire.Frame{N: uint64(i + 1), T: int64(i), Kind: wire.KindLine, Dir: wire.ToServer, X: 1, Data: []byte(`{"jsonrpc":"2.0","id":` + string(rune('0'+i/2%10)) + `,"method":"tools/list"}`)}
		if i%2 == 1 {
			f.Dir, f.Data = wire.ToClient, []byte(`{"jsonrpc":"2.0","id":`+string(rune('0'+i/2%10))+`,"result":{}}`)
		}
		tr.Apply(&f)
	}
	for i := range tr.Rows() {
		rows = append(rows, i)
	}
	d := Diagram{Recording: Recording{ID: "a", Label: "l"}, Tracker: tr, Rows: rows, Before: 3, After: 2, Words: func(row int) (string, string) {
		if row == 0 {
			return "a;\nend %%{init}%%", "<b>\x1b[2J"
		}
		return "", "12 tools"
	}}
	got := d.Mermaid()
	for _, want := range []string{"sequenceDiagram\n", "Note over S: … 3 earlier rows left out", "Note over S: … 7 later rows left out", "C1->>S: tools/list a#59;", "S-->>C1: 12 tools"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%.600s", want, got)
		}
	}
	if n := strings.Count(got, "C1->>S"); n != DiagramRows {
		t.Errorf("%d requests are drawn, want %d", n, DiagramRows)
	}
	if strings.Contains(got, "\nend") || strings.Contains(got, "%%{") || strings.Contains(got, "<b>") || strings.Contains(got, "\x1b") || strings.Contains(got, "no session") {
		t.Errorf("it holds what Mermaid would read:\n%.600s", got)
	}
	if len(got) > 50_000 {
		t.Errorf("%d bytes", len(got))
	}
}
