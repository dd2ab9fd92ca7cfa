package detail

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
)

func sceneOf(rec *library.Recording) *library.Scene {
	th, sg := term.Coloured(true), term.Unicode()
	return &library.Scene{Screen: term.Screen{Theme: &th, Glyphs: &sg}, Rec: rec}
}

func read(frames []wire.Frame) *library.Recording {
	rec := library.New(wire.Recording{ID: "r", Tap: "http"}, nil)
	for i := range frames {
		rec.Apply(&frames[i])
	}
	return rec
}

func ended() []session.LifeStep {
	steps := []session.LifeStep{
		{Name: "connect"},
		{Name: "initialize", Took: 1e6},
		{Name: "id issued"},
		{Name: "initialized"},
		{Name: "id sent back", Note: "34/34"},
		{Name: "operating"},
		{Name: "closed"},
	}
	for i := range steps {
		steps[i].Mark, steps[i].Frame = session.StepDone, uint64(i+1)
	}
	return steps
}

// Nothing of the strip is left out without a sign, and a step is found where it
// stands.
func TestLifecycleAtEveryWidth(t *testing.T) {
	sc := sceneOf(nil)
	for w := 20; w < 150; w++ {
		steps := ended()
		l := term.NewLine(w, sc.Glyphs)
		DrawLifecycle(l, sc, steps)
		text := ansi.Strip(l.Finish())
		if !strings.Contains(text, "✓ closed") && !strings.HasSuffix(strings.TrimRight(text, " "), "…") {
			t.Errorf("%d cells: the end is lost: %q", w, text)
		}
		if !strings.Contains(text, "✓ connect") && !strings.Contains(text, "…") {
			t.Errorf("%d cells: the beginning is lost: %q", w, text)
		}
		for i := range steps {
			if at := strings.Index(text+" ", "✓ "+steps[i].Name+" "); at >= 0 {
				if x := ansi.StringWidth(text[:at]); StepAt(sc, steps, w, x) != i || StepAt(sc, steps, w, x-1) == i {
					t.Errorf("%d cells: %s is not found at %d", w, steps[i].Name, x)
				}
			}
		}
	}
}

// Nothing is operating in a recording that has ended, or where all was refused.
func TestLifecycleStandsStill(t *testing.T) {
	const sid = "Mcp-Session-Id: 9f3c\r\n"
	var tape scenes.Tape
	tape.Post(1, "/mcp", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c"}}}`).
		Answer(3, "200 OK", sid, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s"}}}`)
	tape.Post(1, "/mcp", sid, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Answer(2, "202 Accepted", "", "")
	for range 2 {
		tape.Post(1, "/mcp", sid, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).
			Answer(2, "400 Bad Request", "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`)
	}
	line := func(rec *library.Recording) string {
		steps := Judged(rec, rec.Session(0))
		sc := sceneOf(rec)
		l := term.NewLine(200, sc.Glyphs)
		DrawLifecycle(l, sc, steps)
		return ansi.Strip(l.Finish())
	}
	rec := read(tape.Frames)
	if got := line(rec); !strings.Contains(got, `✗ operating: 2 of 2 tools/list refused: "no"`) {
		t.Errorf("%q", got)
	}
	if got := line(rec); !strings.Contains(got, "2025-11-25 → 2025-06-18") || !strings.Contains(got, "✓ id sent back 3/3") {
		t.Errorf("%q", got)
	}
	tape.Post(1, "/mcp", sid, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`).
		Answer(2, "200 OK", "", `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
	rec = read(tape.Frames)
	if got := line(rec); !strings.Contains(got, "✓ operating") {
		t.Errorf("%q", got)
	}
	if rec.Live = true; !strings.Contains(line(rec), "● operating") {
		t.Errorf("%q", line(rec))
	}
}

// TestFollows: the card of a message tells the cause that the session is judged by, when
// what was found there follows from it.
func TestFollows(t *testing.T) {
	var tape scenes.Tape
	tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	rec, n := read(tape.Frames), []uint64{1}
	cause := &diagnose.Finding{Rule: &diagnose.Rule{ID: "a", Title: "Two replicas"}, Severity: diagnose.Error, Message: "They disagree."}
	effect := &diagnose.Finding{Rule: &diagnose.Rule{ID: "b", Title: "Forgotten"}, Severity: diagnose.Error, Message: "It is gone.", Frames: n, Shows: n}
	rec.Findings.ByRow = map[int32][]*diagnose.Finding{0: {effect}}
	card := func() string {
		d := document.Doc{Width: 100}
		MessageOf(rec, 0, nil).Verdict(&d, sceneOf(rec))
		return ansi.Strip(strings.Join(d.All(&sceneOf(rec).Screen, 100, 1), "\n"))
	}
	if got := card(); !strings.Contains(got, "It is gone.") {
		t.Error(got)
	}
	rec.Findings.Causes = map[*diagnose.Finding]*diagnose.Finding{effect: cause}
	if got := card(); !strings.Contains(got, "They disagree.") || strings.Contains(got, "gone") {
		t.Error(got)
	}
}
