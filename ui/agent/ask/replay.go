package ask

import (
	"context"
	"errors"

	"midwire/replay"
)

// Replay asks what a server answers to a recorded session, or what would be sent.
type Replay struct {
	Session string   `json:"session" word:"arg" jsonschema:"whose client is played"`
	To      string   `json:"to,omitempty" word:"--to" jsonschema:"URL of the server"`
	Send    bool     `json:"send,omitempty" jsonschema:"send it; without it only the plan comes back"`
	Yes     bool     `json:"yes,omitempty" word:"--yes" jsonschema:"call tools that are not marked read-only as well"`
	Limit   int      `json:"limit,omitempty" jsonschema:"how many calls that differ, 20 unless told, at most 50"`
	Command []string `json:"command,omitempty" word:"--" jsonschema:"or the command that starts it, with its arguments"`
}

// Replayer replays the recording in a file, or with Send false makes a plan in
// words.
type Replayer func(ctx context.Context, file string, session int, q Replay) (string, *replay.Report, error)

// Replayed is the plan of a replay, or what came of it.
type Replayed struct {
	Plan   string      `json:"plan,omitempty" least:"1000"`
	Cut    bool        `json:"plan_cut,omitempty"` // the plan is longer: midwire replay --plan prints it
	Result *Comparison `json:"result,omitempty"`
	Other  string      `json:"recording,omitempty"` // of the replay
	Leads

	ask   Replay
	whole int // bytes of the plan
}

// Ask implements Question.
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
	plan = r.mask(plan)
	out := &Replayed{Plan: plan, ask: q, whole: len(plan)}
	if report == nil {
		return out, nil
	}
	if len(report.Other) > 0 {
		out.Other = placeOf(report.Other[0], 0).id
	}
	out.Result, err = Compare{A: at.ref(), B: out.Other, Limit: q.Limit}.report(r, report)
	return out, err
}

func (p *Replayed) lead() {
	p.Cut, p.Next = len(p.Plan) < p.whole, nil
	if p.Result == nil {
		p.add(toolReplay, "sends it", again(p.ask, "send", true))
		return
	}
	p.Result.lead()
	p.Next = p.Result.Next
}
