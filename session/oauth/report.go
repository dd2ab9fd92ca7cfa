package oauth

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session/words"
)

// judge asks the checks about a flow.
type judge struct {
	*flow
	book    *Book
	started int64
	until   int64 // when the latest event was
	heard   int64 // when the latest message of the session was
	out     *Flow
	step    *Step // in hand
}

// report is what is to be said of a flow.
func (f *flow) report(b *Book, number int) Flow {
	out := Flow{
		Number: number, Try: f.try, Session: f.session + 1, Client: f.client, URL: f.url, Version: f.version,
		AuthServer: f.authServer(), Steps: make([]Step, Kinds), Checks: []Check{}, Credentials: f.credentials(),
	}
	heard := int64(0)
	if s := b.t.Session(f.session); f.session >= 0 && s != nil {
		out.Client = cmp.Or(strings.TrimSpace(b.text(s.Client.Name)+" "+b.text(s.Client.Version)), out.Client)
		out.Version = cmp.Or(string(s.ProtocolVersion), out.Version)
		heard = s.Last
	}
	j := judge{flow: f, book: b, started: b.opt.Started, until: b.until, heard: heard, out: &out}
	for k, check := range [Kinds]func(){ // in the order of Kind
		j.ask, j.resource, j.server, j.registration, j.authorize, j.redirect, j.tokens, j.use, j.refreshed, j.stepUp,
	} {
		j.step = &out.Steps[k]
		*j.step = Step{Number: k + 1, Kind: Kind(k), From: Client, To: MCPServer, Links: []Link{}}
		j.frames()
		check()
	}
	out.Outcome = f.outcome(&out)
	return out
}

func (f *flow) outcome(out *Flow) Outcome {
	switch in := f.accepted > 0 && !f.lastRefused(); {
	case in && f.asked.n == 0 && len(f.refusals) == 0 && len(f.requests) == 0:
		return NoLogin
	case in:
		return Authorized
	case out.FailedSteps() > 0:
		return Broken
	}
	return Open
}

// lastRefused reports whether the latest request with a token was refused.
func (f *flow) lastRefused() bool {
	n := len(f.refusals)
	return n > 0 && f.lastUse == f.refusals[n-1]
}

// frames are those of the step in hand.
func (j *judge) frames() {
	k := j.step.Kind
	j.step.Frames, j.step.More, j.step.Exchanges = []uint64{}, 2*j.attempts[k].more, []Exchange{}
	for _, one := range j.attempts[k].list {
		if !isLogin(k) || !j.isAfterStepUp(one.n) {
			j.exchange(k, one)
		}
	}
	for again := Authorize; k == StepUp && again <= Token; again++ {
		for _, one := range j.attempts[again].list {
			if j.isAfterStepUp(one.n) {
				j.exchange(again, one)
			}
		}
	}
	slices.SortStableFunc(j.step.Exchanges, func(a, b Exchange) int { return cmp.Compare(a.Request, b.Request) })
	slices.Sort(j.step.Frames)
	j.step.Frames = slices.Compact(j.step.Frames)
}

// isLogin reports whether a step is one that a client goes through again for more
// scopes.
func isLogin(k Kind) bool { return k >= Authorize && k <= Token }

// exchange adds one, of a kind, to the step in hand.
func (j *judge) exchange(k Kind, a *exchange) {
	j.step.Frames = append(j.step.Frames, a.n)
	x := Exchange{Request: a.n, From: Client, To: MCPServer, What: a.what, Status: a.status}
	if a.respN != 0 && a.respN != a.n {
		x.Response = a.respN
		j.step.Frames = append(j.step.Frames, a.respN)
	}
	switch own := a.host == "" || a.host == j.host; k {
	case Redirect:
		x.From, x.To = Browser, Client
	case Ask, Resource, Use, StepUp:
	case Authorize:
		if a.agent != j.agent {
			x.From = Browser
		}
		fallthrough
	default:
		as := hostOf(j.authServer())
		if !own || as == "" && k != Server || as == hostOf(a.url) {
			x.To = AuthServer
		}
	}
	j.step.Exchanges = append(j.step.Exchanges, x)
}

func (j *judge) say(s State, text string) { j.step.State, j.step.Text = s, text }

// link adds a value for the next step, unless it is none.
func (j *judge) link(name, value string) {
	if value != "" {
		j.step.Links = append(j.step.Links, Link{name, value})
	}
}

// fail adds a check that failed to the step in hand.
func (j *judge) fail(c Check, frames ...uint64) {
	c.Frames = append(c.Frames, frames...)
	c.Step, j.step.State = j.step.Kind, Failed
	j.out.Checks = append(j.out.Checks, c)
}

// authServer is the authorization server as far as it is known.
func (f *flow) authServer() string {
	if f.asm.issuer == "" && len(f.prm.servers) > 0 {
		return f.prm.servers[0]
	}
	return f.asm.issuer
}

func (f *flow) credentials() []Credential {
	all := []Credential{}
	for _, g := range f.grants {
		for _, c := range []Credential{
			{Kind: "access", Mask: g.access, N: g.n, Claims: g.claims, Opaque: g.opaque},
			{Kind: "refresh", Mask: g.refresh, N: g.n},
			{Kind: "id", Mask: g.id, N: g.n},
		} {
			if c.Mask != "" {
				all = append(all, c)
			}
		}
	}
	return all
}

// last is the latest attempt of a step.
func (f *flow) last(k Kind) *exchange { return latest(f.attempts[k].list) }

// latest is the last of a list, or an empty one.
func latest[T any](list []*T) *T {
	if len(list) == 0 {
		return new(T)
	}
	return list[len(list)-1]
}

func frame(n uint64) string { return "#" + number(n) }

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func status(n int) string {
	if n == 0 {
		return "no response"
	}
	return "HTTP " + strconv.Itoa(n)
}

// refusalText is a status with what the server says to it.
func refusalText(code int, err, described string) string {
	text := status(code)
	if code == 0 && err != "" {
		text = ""
	}
	if err != "" {
		text = words.Join(text, err)
	}
	if described != "" {
		text += ": " + described
	}
	return text
}

func quoted(s string) string { return "“" + s + "”" }
