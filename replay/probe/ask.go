package probe

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// conforming names the try without any deviation.
const conforming = "conforming client"

// more is what is sent besides what a conforming client sends, or left out of it.
type more int

const (
	asIs   more = iota
	filled      // all arguments that the schema of the tool has
	bare        // nothing that may be left out
)

var moreNames = map[more]string{filled: "with all arguments of the tool", bare: "with nothing but what is required"}

// ask asks as a conforming client, then with the deviations put back.
func (p *prober) ask(ctx context.Context) error {
	base, all := p.find()
	p.base = base
	first, err := p.attempt(ctx, conforming, nil)
	switch {
	case err != nil:
		return err
	case first.Served > 0:
		return p.putBack(ctx, first, all)
	}
	for first.Times < times && err == nil {
		err = p.repeat(ctx, first, nil)
	}
	if err == nil && first.Same == first.Times {
		era, otherwise := p.otherEra(ctx)
		if err = otherwise; era {
			return err
		}
		for _, how := range [...]more{bare, filled} {
			if served, err := p.vary(ctx, how, len(all)); served || err != nil {
				return err
			}
		}
	}
	p.refused(first, len(all) > 0)
	return err
}

// vary asks with less, or with more, than the recorded client sent, and puts back what
// that changes. It says whether the request is served so.
func (p *prober) vary(ctx context.Context, how more, before int) (bool, error) {
	was := p.base
	p.more = how
	base, all := p.find()
	if len(all) == before {
		return false, nil
	}
	p.base = base
	t, err := p.attempt(ctx, moreNames[how], nil)
	if err != nil || t.Served == 0 {
		p.base = was
		return false, err
	}
	return true, p.putBack(ctx, t, all)
}

// otherEra asks as a client does that is of the other kind of versions: with a handshake
// instead of without, or the reverse. It says whether that is what the server wants.
func (p *prober) otherEra(ctx context.Context) (wanted bool, err error) {
	q := *p
	q.modern, q.version, q.tool = !p.modern, mcp.FirstModern, nil
	name, cause := "as 2026-07-28", "that the client begins with a handshake: the server speaks only 2026-07-28, which has none"
	if p.modern {
		q.version = mcp.LastHandshake
		name, cause = "with a handshake", "that the client speaks 2026-07-28, and the server only versions with a handshake"
	}
	message := replay.Object(replay.Encode(p.base.message))
	if p.method == mcp.Initialize || p.method == mcp.Discover || message == nil {
		q.method = mcp.ToolsList
		message = map[string]any{"jsonrpc": "2.0", "id": "midwire-probe", "method": q.method, "params": map[string]any{}}
	}
	params, ok := message["params"].(map[string]any)
	if !ok {
		params = map[string]any{}
		message["params"] = params
	}
	if p.modern {
		delete(params, "_meta")
	} else {
		unnoted().envelope(params, string(q.version))
	}
	q.base = attempt{handshake: !q.modern, initialized: true, message: message, fields: map[string]string{}}
	t := &Try{Name: name}
	for t.Served == t.Times && t.Times < times && err == nil {
		err = q.repeat(ctx, t, nil)
		// Each result of 2026-07-28 says of what type it is; a lenient server's does not.
		if q.modern && wire.Get(t.answer.result, "resultType") == nil {
			break
		}
	}
	p.left = q.left
	if err != nil || t.Served < times {
		return false, err
	}
	r := p.result
	r.Outcome, r.Known = Decided, true
	r.Says = "The cause is " + cause + " (" + t.share(t.Served) + ")."
	return true, nil
}

// refused is the outcome when a conforming client is not served.
func (p *prober) refused(t *Try, deviates bool) {
	r := p.result
	switch count := t.share(t.Same); {
	case t.Served > 0:
		r.Outcome = Flaky
		r.Says = "The same request of a conforming client is served " + t.share(t.Served) +
			": the server gives different answers, as several instances do that share no state."
	case t.Same < t.Times:
		r.Outcome = Other
		r.Says = "A conforming client is refused in another way: " + t.Answer + ". " + p.hint(t)
	default:
		r.Outcome = Refused
		r.Says = "A conforming client is refused in the same way (" + count + ") when it sends " + p.result.What + ": " +
			p.given.Text(t.answer.words(300)) + ". It is not how the recorded client asks."
		if !deviates {
			r.Says += " It asked as it should."
		}
		if t.answer.exited {
			r.Says += " Who is at fault that the server ends is not shown by that."
		} else if hint := p.hint(t); hint != nothing {
			r.Says += " " + hint
		}
	}
}

// nothing is what follows from a refusal that is another one.
const nothing = "Nothing follows for the recording."

func (p *prober) hint(t *Try) string {
	switch t.answer.status {
	case 301, 302, 307, 308:
		return "The server redirects; give the URL it names with --to."
	case 401, 403:
		return "Give the credential with --header 'Authorization: Bearer …'."
	case 502, 503, 504:
		return "The server cannot be reached now."
	}
	if t.answer.none {
		return "The server did not respond now."
	}
	return nothing
}

// putBack puts the deviations back, one at a time, then all of them.
func (p *prober) putBack(ctx context.Context, first *Try, all []deviation) error {
	for i := range all {
		d := &all[i]
		t, err := p.attempt(ctx, d.name, all[i:i+1])
		if err != nil {
			return err
		}
		if t.Same > 0 {
			return p.confirmed(ctx, first, t, all[i:i+1])
		}
	}
	if len(all) > 1 {
		t, err := p.attempt(ctx, "all of it", all)
		if err != nil {
			return err
		}
		if t.Same > 0 {
			some, err := p.fewer(ctx, all)
			if err != nil {
				return err
			}
			return p.confirmed(ctx, first, t, some)
		}
	}
	if p.was.denied() && p.opt.Header.Get("Authorization") != "" {
		return p.letIn(ctx, first)
	}
	if before := p.comesBefore(); len(before) > 0 {
		d := deviation{
			name:   "after the " + words.Count(len(before), "call") + " before it",
			cause:  "what the server keeps of the " + words.Count(len(before), "call") + " before it in the session (midwire minimize says which)",
			before: true, put: func(a *attempt) { a.before = true },
		}
		t, err := p.attempt(ctx, d.name, []deviation{d})
		if err != nil || t.Same > 0 {
			return cmp.Or(err, p.confirmed(ctx, first, t, []deviation{d}))
		}
	}
	r := p.result
	r.Outcome, r.Says = Served, "The request is served now"
	if len(all) > 0 {
		r.Says += ", also as it was recorded"
	}
	r.Says += ": it depended on the time, or on what the server held then, as a session that ended or a restart."
	return nil
}

// letIn is the outcome where nothing differs but the credential that the user gave.
func (p *prober) letIn(ctx context.Context, first *Try) (err error) {
	for first.Times < times && err == nil {
		err = p.repeat(ctx, first, nil)
	}
	r := p.result
	if first.Served < first.Times {
		r.Outcome, r.Says = Flaky, "The server lets the same credential in "+first.share(first.Served)+"."
		return err
	}
	r.Outcome, r.Side, r.Known = Decided, "client", first.Times == times
	r.Says = "The cause is the credential: the request is served with the one that was given (" + first.share(first.Served) +
		"), and was refused with the recorded one: " + p.result.Was + "."
	return err
}

// fewer leaves out what makes no difference.
func (p *prober) fewer(ctx context.Context, all []deviation) ([]deviation, error) {
	some := all
	for i := 0; i < len(some) && len(some) > 2; {
		less := slices.Delete(slices.Clone(some), i, i+1)
		t, err := p.attempt(ctx, "all but "+some[i].name, less)
		if err != nil {
			return nil, err
		}
		if t.Same > 0 {
			some = less
		} else {
			i++
		}
	}
	return some, nil
}

// confirmed sees what decides as often as it takes, and the conforming client beside it.
func (p *prober) confirmed(ctx context.Context, first, t *Try, some []deviation) error {
	var err error
	for t.Times < times && err == nil {
		if err = p.repeat(ctx, t, some); err == nil {
			err = p.repeat(ctx, first, nil)
		}
	}
	r := p.result
	if t.Same < t.Times || first.Served < first.Times {
		r.Outcome = Flaky
		r.Says = "The server gives different answers to the same request: " + first.Name + " is served " +
			first.share(first.Served) + ", " + t.Name + " is refused " + t.share(t.Same) + "."
		return err
	}
	var causes []string
	legal, stale, before := true, false, false
	for _, d := range some {
		causes = append(causes, d.cause)
		legal, stale, before = legal && d.legal, stale || d.stale, before || d.before
	}
	r.Outcome = Decided
	if t.answer.none { // the same request was not answered both ways
		r.Says = "What makes the difference is " + strings.Join(causes, ", and ") + " (" + t.share(t.Same) +
			"); otherwise the request is served. Who is at fault is not shown by that: " + t.answer.words(0) + "."
		return err
	}
	r.Side, r.Known = "client", t.Times == times
	r.Says = "The cause is " + strings.Join(causes, ", and ") + " (" + t.share(t.Same) + "); otherwise the request is served."
	switch {
	case before:
		r.Side = ""
	case stale:
		r.Side = ""
		r.Says += " The server does not know that session: it ended, the server was started again, or the client has the id from elsewhere."
	case legal:
		r.Side = "server"
		r.Says += " A client may do so: the server should not refuse it."
	}
	return err
}

// attempt makes a try, with some deviations put back.
func (p *prober) attempt(ctx context.Context, name string, some []deviation) (*Try, error) {
	t := &Try{Name: name}
	err := p.repeat(ctx, t, some)
	return t, err
}

// repeat makes a try once more. The result has it when it was made once.
func (p *prober) repeat(ctx context.Context, t *Try, some []deviation) error {
	a := p.base
	a.message, a.fields = replay.Object(replay.Encode(p.base.message)), maps.Clone(p.base.fields)
	for _, d := range some {
		d.put(&a)
	}
	got, err := p.try(ctx, &a)
	if err != nil {
		return err
	}
	got.text = p.given.Text(got.text) // as a recording has it
	if err := ctx.Err(); err != nil {
		return err
	}
	t.Times++
	t.answer, t.Answer = got, p.given.Text(got.words(120))
	switch {
	case got.served:
		t.Served++
	case got.equals(p.was), got.status == p.was.status && got.denied() &&
		slices.ContainsFunc(some, func(d deviation) bool { return d.credential }):
		t.Same++
	}
	if t.Times == 1 {
		p.result.Tries = append(p.result.Tries, t)
	}
	if p.opt.Seen != nil {
		p.opt.Seen(t)
	}
	return nil
}

// share says how many of its times a try was something.
func (t *Try) share(n int) string { return fmt.Sprintf("%d of %d times", n, t.Times) }
