package expect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

const contractKind = "contract"

// Contract is what a run has to do, and must not.
type Contract struct {
	Midwire string              `json:"midwire"`
	Tools   map[string]Promises `json:"tools"`
	// Others says whether tools that are not named may be called.
	Others bool `json:"others"`
	// Order are tools in the order in which each is called for the first time.
	Order []string `json:"order,omitempty"`
	MaxMS int64    `json:"max_ms,omitempty"` // from the first call to the last response
	Calls int      `json:"max_calls,omitempty"`
}

// Promises are about the calls of one tool. Zero stands for no bound, but for Errors.
type Promises struct {
	Never  bool  `json:"never,omitempty"` // it must not be called
	Min    int   `json:"min,omitempty"`
	Max    int   `json:"max,omitempty"`
	Errors int   `json:"max_errors"` // results with isError, errors, and calls without a response
	MaxMS  int64 `json:"max_ms,omitempty"`
	Bytes  int   `json:"max_bytes,omitempty"` // of one result
}

func (k *Contract) named() string { return k.Midwire }

// ReadContract reads what Write wrote, or what a person did.
func ReadContract(text []byte) (*Contract, error) {
	k := &Contract{}
	return k, read(text, contractKind, k)
}

// Write is the text of the file.
func (k *Contract) Write() ([]byte, error) { return write(k) }

// ran is what a run did.
type ran struct {
	tools       map[string]*toolRan
	order       []string
	first, last int64 // of calls, in nanoseconds
	start       uint64
	calls       int
}

type toolRan struct {
	calls, failed int
	call, failure uint64 // frames
	bytes         int
	large         uint64
	slow          time.Duration
	slowest       uint64
}

// take takes what a rule is asked about.
func (r *ran) take(c *diagnose.Case) {
	if c.Call == nil || c.Call.Dir != wire.ToServer {
		return
	}
	if r.start == 0 {
		r.start = c.Call.N
	}
	if c.Call.Method != mcp.ToolsCall {
		return
	}
	if r.tools == nil {
		r.tools = map[string]*toolRan{}
	}
	t := r.tools[c.Call.Target]
	if t == nil {
		if len(r.tools) == mostListed {
			return
		}
		t = &toolRan{call: c.Call.N}
		r.tools[c.Call.Target] = t
		r.order = append(r.order, c.Call.Target)
	}
	r.last = max(r.last, c.T)
	if c.N == c.Call.N {
		if r.calls++; r.calls == 1 {
			r.first = c.T
		}
		t.calls++
		return
	}
	if took := time.Duration(c.T - c.Call.T); took > t.slow {
		t.slow, t.slowest = took, c.Call.N
	}
	if len(c.Message.Result) > t.bytes {
		t.bytes, t.large = len(c.Message.Result), c.N
	}
	if c.Message.Kind != wire.MsgResult || string(wire.Get(c.Message.Result, "isError")) == "true" {
		if t.failed++; t.failed == 1 {
			t.failure = c.Call.N
		}
	}
}

const onCalls = diagnose.Requests | diagnose.Results | diagnose.Errors | diagnose.Settled | diagnose.Overall

// Draft is a contract that a recording keeps, made when the rule has seen all of it: the tools
// that are called, in their order, with some room in time and size.
func Draft() (*Contract, *diagnose.Rule) {
	k := &Contract{Midwire: contractKind, Tools: map[string]Promises{}}
	var r ran
	return k, &diagnose.Rule{ID: "draft", On: onCalls, Check: func(c *diagnose.Case) {
		if r.take(c); c.Call != nil {
			return
		}
		for name, t := range r.tools {
			k.Tools[name] = Promises{
				Min: 1, Max: 2 * t.calls, Errors: t.failed,
				MaxMS: max(1000, 3*t.slow.Milliseconds()), Bytes: max(1024, 2*t.bytes),
			}
		}
		k.Order, k.Calls = r.order, 2*r.calls
		k.MaxMS = max(5000, 3*(r.last-r.first)/1e6)
	}}
}

// rule finds what is not kept, at the end of a recording: a run may have several sessions.
func (k *Contract) rule() *diagnose.Rule {
	return &diagnose.Rule{
		ID: "contract-broken", Title: "The run did not keep the contract", Brief: "contract broken",
		Severity: diagnose.Error, Side: diagnose.Client, On: onCalls,
		Page: page("The recording does not do what the file of --contract says: which tools must or must not be called, "+
			"in which order, how long they may take, how large their results and how many errors there may be.",
			"The model, the prompt or the client decided otherwise; or the server became slower, or fails.",
			"look at the call that the finding names. If the run is right, make the contract again: midwire contract REC -o FILE.",
			diagnose.Unclear),
		Check: func(c *diagnose.Case) {
			r := diagnose.Memory[ran](c)
			if r.take(c); c.Call == nil && c.N == 0 {
				k.judge(c, r)
			}
		},
	}
}

func (k *Contract) judge(c *diagnose.Case, r *ran) {
	broken := func(frame uint64, side diagnose.Side, format string, a ...any) {
		text := fmt.Sprintf(format, a...)
		if frame == 0 {
			frame = r.start
		}
		f := diagnose.Finding{Message: text + ".", Side: side}
		if frame > 0 {
			f.Frames = []uint64{frame}
			f.Message = fmt.Sprintf("%s (#%d).", text, frame)
		}
		c.ReportAs(text, f)
	}
	for _, name := range slices.Sorted(maps.Keys(k.Tools)) {
		p, t := k.Tools[name], r.tools[name]
		if t == nil {
			t = &toolRan{}
		}
		p.judge(quote(words.Clip(name, 80)), t, broken)
	}
	for _, name := range r.order {
		if _, named := k.Tools[name]; !named && !k.Others {
			broken(r.tools[name].call, diagnose.Client, "The tool %s was called, which the contract does not name", quote(words.Clip(name, 80)))
		}
	}
	k.judgeOrder(r, broken)
	if took := (r.last - r.first) / 1e6; k.MaxMS > 0 && took > k.MaxMS {
		broken(0, diagnose.Unclear, "The calls took %d ms, and may take %d", took, k.MaxMS)
	}
	if k.Calls > 0 && r.calls > k.Calls {
		broken(0, diagnose.Client, "%s were made, and at most %d may be", words.Count(r.calls, "call"), k.Calls)
	}
}

type breach func(frame uint64, side diagnose.Side, format string, a ...any)

func (p *Promises) judge(name string, t *toolRan, broken breach) {
	switch {
	case p.Never && t.calls > 0:
		broken(t.call, diagnose.Client, "The tool %s was called, and must not be", name)
	case p.Never:
	case t.calls < p.Min && t.calls == 0:
		broken(0, diagnose.Client, "The tool %s was not called", name)
	case t.calls < p.Min:
		broken(t.call, diagnose.Client, "The tool %s was called %d times, and should be at least %d times", name, t.calls, p.Min)
	case p.Max > 0 && t.calls > p.Max:
		broken(t.call, diagnose.Client, "The tool %s was called %d times, and should be at most %d times", name, t.calls, p.Max)
	}
	if t.failed > p.Errors && !p.Never {
		broken(t.failure, diagnose.Server, "The tool %s failed %d times, and may fail %d times", name, t.failed, p.Errors)
	}
	if ms := t.slow.Milliseconds(); p.MaxMS > 0 && ms > p.MaxMS {
		broken(t.slowest, diagnose.Server, "The tool %s took %d ms, and may take %d", name, ms, p.MaxMS)
	}
	if p.Bytes > 0 && t.bytes > p.Bytes {
		broken(t.large, diagnose.Server, "A result of the tool %s has %d bytes, and may have %d", name, t.bytes, p.Bytes)
	}
}

// judgeOrder looks at the first calls of the tools that the order names.
func (k *Contract) judgeOrder(r *ran, broken breach) {
	var came, want []string
	for _, name := range r.order {
		if slices.Contains(k.Order, name) {
			came = append(came, name)
		}
	}
	for _, name := range k.Order {
		if slices.Contains(came, name) && !slices.Contains(want, name) {
			want = append(want, name)
		}
	}
	if !slices.Equal(came, want) {
		broken(r.tools[came[0]].call, diagnose.Client, "The tools were called in the order %s, and should be in the order %s",
			clip(strings.Join(came, ", ")), clip(strings.Join(want, ", ")))
	}
}
