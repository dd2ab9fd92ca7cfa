package detail

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
)

// TestPageReadsInSteps: however long a recording is, one step looks at no more than
// so many rows of it, and what is nearest to the message is kept.
func TestPageReadsInSteps(t *testing.T) {
	var tape scenes.Tape
	for i := range 3 * pageStep {
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t%d"}}`, i, i%2)
	}
	rec := read(tape.Frames)
	m := MessageOf(rec, 20_000, nil)
	p := PageOf(m, nil)
	steps := 0
	for at := p.next; !p.Done(); at = p.next {
		if steps++; !p.Step() || p.next-at > pageStep {
			t.Fatalf("step %d read from row %d to %d", steps, at, p.next)
		}
	}
	if p.Step() || steps != 3 {
		t.Errorf("%d steps, and more", steps)
	}
	title, rows := p.around()
	if p.same != 3*pageStep/2 || len(rows) != maxAround || !slices.Contains(rows, 20_000) || rows[0] < 19_990 {
		t.Errorf("%d like it; %s: %v", p.same, title, rows)
	}
	if PageOf(m, p) != p || PageOf(MessageOf(rec, 7, nil), p) == p {
		t.Error("what was read is not kept for the message, or for another one")
	}
	sum := 0
	for _, s := range p.past.Until(rec.Frames[len(rec.Frames)-1].T) {
		sum += s.N
	}
	if sum != 3*pageStep {
		t.Errorf("%d rows in the time line", sum)
	}
}

// TestPageShowsNeighbours: where the cause of a finding lies in other sessions of the
// client, a call of each of them stands around the message.
func TestPageShowsNeighbours(t *testing.T) {
	var tape scenes.Tape
	for i, client := range []string{"host", "other", "host", "host"} {
		sid := fmt.Sprintf("Mcp-Session-Id: 9f3c%d\r\n", i)
		conn := uint32(i + 1)
		tape.Post(conn, "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"`+client+`"}}}`).
			Answer(3, "200 OK", sid, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s"}}}`)
		tape.Post(conn, "/mcp", sid, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}`).
			Answer(2, "200 OK", "", `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	}
	rec := read(tape.Frames)
	var calls []int
	for i := range rec.Tracker.Rows() {
		if rec.Tracker.Name(rec.Tracker.Row(i).Name) == "tools/call" {
			calls = append(calls, i)
		}
	}
	frame := func(i int) uint64 { return uint64(rec.Tracker.Row(calls[i]).Request) }
	f := &diagnose.Finding{Rule: &diagnose.Rule{ID: "r"}, Severity: diagnose.Error, Frames: []uint64{frame(2), frame(0)}}
	rec.Findings.ByRow = map[int32][]*diagnose.Finding{int32(calls[2]): {f}}
	p := PageOf(MessageOf(rec, calls[2], nil), nil)
	for p.Step() {
	}
	title, rows := p.around()
	if want := []int{calls[0], calls[2], calls[3]}; title != "Around it: 3 sessions of host" || !slices.Equal(rows, want) {
		t.Errorf("%s: %v, not %v", title, rows, want)
	}
}

// TestOneSided: a row that no response belongs to has no heading of one.
func TestOneSided(t *testing.T) {
	var tape scenes.Tape
	tape.Fact(wire.KindStart, wire.NoDir, 0, 0, wire.Start{Command: []string{"node", "server.js"}})
	tape.Line(wire.ToServer, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	tape.Line(wire.ToClient, `listening on 3000`)
	rec := read(tape.Frames)
	sc := sceneOf(rec)
	got := Frames{}
	for _, f := range tape.Frames {
		got[f.N] = f
	}
	for i, want := range []string{"The server process was started.", "A notification of the client", "listening on 3000"} {
		m := MessageOf(rec, i, got)
		text := ansi.Strip(strings.Join(m.Card(sc, 120, 12), "\n"))
		d, parts := m.Summary(sc, 120)
		d.Append(sc.Theme, parts, 120)
		text += ansi.Strip(strings.Join(d.All(&sc.Screen, 120, 0), "\n"))
		if !strings.Contains(text, want) || strings.Contains(text, "equest  ") {
			t.Errorf("row %d:\n%s", i, text)
		}
		request, response := m.Sides(sc, TabSummary, 100)
		if len(request.Parts) == 0 || len(response.Parts)+len(response.Doc.Lines) > 0 {
			t.Errorf("row %d has %d parts, and %d of a response", i, len(request.Parts), len(response.Parts))
		}
	}
}
