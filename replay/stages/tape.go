package stages

import (
	"context"
	"errors"
	"io"
	"strings"

	"midwire/replay/checks"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/wire"
)

// tape is what one recording of a test shows.
type tape struct {
	id           string // of the recording
	acknowledged bool   // the server acknowledged a subscription

	tracker *session.Tracker
	checker *diagnose.Checker
}

// read reads a recording and runs the rules on it.
func read(ctx context.Context, file string, rules []*diagnose.Rule) (*tape, error) {
	r, err := record.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h := r.Header()
	t := &tape{id: h.ID}
	t.tracker, t.checker = diagnose.New(session.Options{Tap: h.Tap}, rules)
	var f wire.Frame
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return nil, errors.New("the recording was not judged in time")
		}
		switch err := r.Next(&f); {
		case errors.Is(err, io.EOF):
			t.checker.Finish()
			return t, nil
		case err != nil:
			return nil, err
		}
		t.tracker.Apply(&f)
		if f.Dir == wire.ToClient && f.HoldsMessages() {
			wire.ScanMessages(f.Payload(), func(_ int, m wire.Message) bool {
				t.acknowledged = t.acknowledged || string(m.Method) == mcp.NotifyAcknowledged
				return true
			})
		}
	}
}

// framesOf lists the frames of the request with an id, raw JSON, and of its response.
func (t *tape) framesOf(id string) (all []checks.Evidence) {
	for i := range t.tracker.Rows() {
		r := t.tracker.Row(i)
		if r.Kind != session.RowCall || t.tracker.Name(r.ID) != id {
			continue
		}
		all = append(all, checks.Evidence{Recording: t.id, Frame: uint64(r.Request), Shows: t.tracker.Name(r.Name)})
		if r.Response != 0 {
			all = append(all, checks.Evidence{Recording: t.id, Frame: uint64(r.Response), Shows: "the response"})
		}
	}
	return all
}

// responded reports whether the request with an id got a result or an error of JSON-RPC, at whatever
// time; what else comes in its place is no response.
func (t *tape) responded(id string) bool {
	for i := range t.tracker.Rows() {
		r := t.tracker.Row(i)
		came := r.Ending.Result() || r.Ending == session.Late || r.Code != 0
		if came && r.Kind == session.RowCall && t.tracker.Name(r.ID) == id {
			return true
		}
	}
	return false
}

// formal returns the certain findings about the server as checks, each rule once.
func (t *tape) formal() (all []*checks.Check) {
	known := map[string]bool{}
	for _, f := range t.checker.Findings() {
		// Why a request was refused, the test knows: it sent what had to be.
		definition := strings.HasPrefix(f.Rule.ID, "tool-")
		certain := f.Side == diagnose.Server && f.Known() && f.Rule.Fallback == 0
		if !certain || f.Severity == diagnose.Note && !definition || known[f.Rule.ID] {
			continue
		}
		known[f.Rule.ID] = true
		c := &checks.Check{
			Stage: "rules", Name: f.Rule.ID, Rule: f.Rule.ID, Verdict: checks.Noted, Text: f.Message, Spec: f.Rule.Help().Spec,
		}
		if f.Severity == diagnose.Error {
			c.Verdict = checks.Failed
		}
		if definition {
			c.Stage = "definitions"
		}
		for _, frame := range f.Frames[:min(len(f.Frames), 3)] {
			c.Evidence = append(c.Evidence, checks.Evidence{Recording: t.id, Frame: frame, Shows: f.Rule.ID})
		}
		all = append(all, c)
	}
	return all
}
