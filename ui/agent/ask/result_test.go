package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"midwire/session/export"
)

// fixed is a question with a result that is at hand.
type fixed[R Result] struct{ out R }

func (q fixed[R]) Ask(context.Context, *Recordings) (R, error) { return q.out, nil }

// answered is a result as it is given away. It fails when that is too long.
func answered[R Result](t *testing.T, out R) R {
	t.Helper()
	out, err := Answer(t.Context(), in(t, "a"), fixed[R]{out})
	if err != nil || size(out) > Limit {
		t.Fatalf("%d bytes, %v", size(out), err)
	}
	return out
}

// TestLongResultsAreCut: what is left out is counted, and the first call gets it.
func TestLongResultsAreCut(t *testing.T) {
	sessions := &SessionPage{Total: 300}
	messages := &MessagePage{Session: "a", Total: 300, ask: Messages{Session: "a", Around: 280}}
	for i := range 300 {
		sessions.Sessions = append(sessions.Sessions, Session{Ref: fmt.Sprint("a.", i), Listed: export.Listed{Why: strings.Repeat("x ", 100)}})
		messages.Lines = append(messages.Lines, Line{Frame: uint64(i), Target: strings.Repeat("y ", 100)})
	}
	answered(t, sessions)
	n := len(sessions.Sessions)
	if next := sessions.Next; n < 20 || len(next) != 2 || next[0].Arguments["cursor"] != fmt.Sprint(n) || next[0].Why != fmt.Sprint(300-n, " more") {
		t.Errorf("%d sessions, then %+v", n, next)
	}
	answered(t, messages)
	if last := messages.From + len(messages.Lines); messages.From == 0 || last <= 280 || messages.Lines[0].Frame != uint64(messages.From) {
		t.Errorf("messages %d to %d: without the one that was asked for", messages.From, last)
	}

	whole := &Replayed{Plan: strings.Repeat("one step\n", 10_000), whole: 90_000}
	if answered(t, whole); !whole.Cut || len(whole.Plan) < 1000 {
		t.Errorf("%d bytes of a plan", len(whole.Plan))
	}
	diagnosis := &Diagnosis{all: 200, Cause: &Finding{Message: strings.Repeat("long ", 2000), Cause: strings.Repeat("long ", 2000)}}
	for range 200 {
		diagnosis.Others = append(diagnosis.Others, Brief{Rule: "r", Message: strings.Repeat("z ", 80)})
	}
	if answered(t, diagnosis); diagnosis.More != 200-len(diagnosis.Others) || len(diagnosis.Others) != 5 || len(diagnosis.Cause.Message) < 700 {
		t.Errorf("%d others, %d more", len(diagnosis.Others), diagnosis.More)
	}
}

// TestTextsAreClean: in all of a result nothing is left that a terminal acts upon.
func TestTextsAreClean(t *testing.T) {
	const evil = "a\x1b[31m\u202eb\nc"
	out := answered(t, &Comparison{
		Calls: []Difference{{Label: evil, Changes: []string{evil}}}, Remarks: []string{evil}, remarks: 1, ask: Compare{A: evil},
	})
	raw, _ := json.Marshal(out)
	for _, text := range []string{string(raw), Markdown(out, false), Markdown(out, true)} {
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, `\u001b`) || !strings.Contains(text, "b") {
			t.Errorf("%q", text)
		}
	}
}

// results are one of each kind, with nothing in it.
func results() []Result {
	return []Result{
		&SessionPage{}, &Diagnosis{}, &Diagnosis{Cause: &Finding{}}, &Explanation{}, &MessagePage{}, &MessageText{}, &Hits{}, &Waited{},
		&Waited{Match: &Line{}}, &Waited{Finding: &Brief{}}, &Comparison{}, &ToolPage{}, &Replayed{}, &Replayed{Result: &Comparison{}},
		&SessionPage{Sessions: []Session{{}}}, &MessagePage{Lines: []Line{{}}}, &Hits{Hits: []Hit{{}}}, &ToolPage{Tools: []Tool{{}}},
		&Comparison{Calls: []Difference{{}}, Findings: []Brief{{}}},
	}
}

// TestEveryResultIsWritten: there is a template for each, which nothing that is left out
// stops.
func TestEveryResultIsWritten(t *testing.T) {
	for _, r := range results() {
		if text := Markdown(r, false); text == "" || strings.Contains(text, unwritten) || strings.Contains(text, "null") {
			t.Errorf("%T: %q", r, text)
		}
	}
}

// TestOrderOfEvidence: the rules that a frame proves stand in their order, the cause first.
func TestOrderOfEvidence(t *testing.T) {
	text := Markdown(&MessageText{Findings: []string{"z-cause", "a-other", "a-other"}}, false)
	if !strings.Contains(text, "Evidence of: z-cause, a-other.") {
		t.Error(text)
	}
}
