package ask

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/words"
)

// Replay asks what a server answers to a recorded session, or what would be sent.
type Replay struct {
	Session string   `json:"session" jsonschema:"whose client is played"`
	To      string   `json:"to,omitempty" jsonschema:"URL of the server"`
	Command []string `json:"command,omitempty" jsonschema:"or the command that starts it, with its arguments"`
	Send    bool     `json:"send,omitempty" jsonschema:"send it; without it only the plan comes back"`
	Yes     bool     `json:"yes,omitempty" jsonschema:"call tools that are not marked read-only as well"`
	Limit   int      `json:"limit,omitempty" jsonschema:"how many calls that differ, 20 unless told, at most 50"`
}

// Replayer replays the recording in a file, or with Send false makes a plan in
// words.
type Replayer func(ctx context.Context, file string, session int, q Replay) (string, *replay.Report, error)

// Replayed is the plan of a replay, or what came of it.
type Replayed struct {
	Plan   string      `json:"plan,omitempty"`
	Cut    bool        `json:"plan_cut,omitempty"` // the plan is longer: midwire replay --plan prints it
	Result *Comparison `json:"result,omitempty"`
	Other  string      `json:"recording,omitempty"` // of the replay
	Next   []Call      `json:"next,omitempty"`
}

// Ask implements the question.
func (q Replay) Ask(ctx context.Context, r *Recordings) (*Replayed, error) {
	if r.Replay == nil {
		return nil, errors.New("nothing may be sent or started here: midwire mcp --allow-replay allows it")
	}
	at, err := r.find(q.Session)
	if err != nil {
		return nil, err
	}
	if q.Send && q.To == "" && len(q.Command) == 0 {
		return nil, errors.New("send it where? Give to, a URL, or command")
	}
	plan, report, err := r.Replay(ctx, at.path, at.session, q)
	if err != nil {
		return nil, err
	}
	out := &Replayed{Plan: plan}
	if report == nil {
		args := arguments(q)
		args["send"] = true
		out.Next = []Call{{Tool: toolReplay, Arguments: args, Why: "sends it"}}
		return out, nil
	}
	c := newComparison(Compare{A: at.ref(), Limit: q.Limit})
	if len(report.Other) > 0 {
		out.Other = placeOf(report.Other[0], 0).id
		c.ask.B = out.Other
	}
	c.report(report, min(max(q.Limit, 20), 50))
	c.lead()
	out.Result, out.Next = c, c.Next
	return out, nil
}

// Shrink implements Result.
func (p *Replayed) Shrink() bool {
	if p.Result != nil {
		ok := p.Result.Shrink()
		p.Next = p.Result.Next
		return ok
	}
	if len(p.Plan) < 1000 {
		return false
	}
	p.Plan, p.Cut = words.Clip(p.Plan, len(p.Plan)-len(p.Plan)/6), true
	return true
}

// Markdown implements Result.
func (p *Replayed) Markdown(shell bool) string {
	if p.Result != nil {
		return "Replayed. " + p.Result.Markdown(shell)
	}
	b := page{shell: shell}
	b.line("Nothing was sent. This would be. ", data)
	b.fence(strings.TrimSpace(p.Plan))
	if p.Cut {
		b.line("The plan is longer: midwire replay --plan prints it.")
	}
	b.calls(p.Next)
	return b.String()
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
