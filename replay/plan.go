package replay

import (
	"fmt"
	"slices"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/wire"
	"midwire/session/words"
)

// PlanOptions say what of a script to send and what to substitute.
type PlanOptions struct {
	// Sessions are indexes of sessions; none means all but a client's probes.
	Sessions []int
	// Set are substitutions by the user.
	Set []Setting
}

// Setting is a value given by the user: for a place in requests, or for a value
// that was recorded.
type Setting struct {
	Path  jsonpath.Path // of a message, as params.arguments.pin; nil when Was is set
	Was   string        // a recorded handle
	Value string
	raw   []byte // Value as JSON
}

// ParseSetting reads PATH=VALUE or HANDLE=VALUE. A path starts with params.
// The value is taken as JSON when it is, else as a string.
func ParseSetting(text string) (Setting, error) {
	left, value, ok := strings.Cut(text, "=")
	if !ok || left == "" {
		return Setting{}, fmt.Errorf("--set takes PATH=VALUE or HANDLE=VALUE, not %q", text)
	}
	s := Setting{Value: value, raw: []byte(value)}
	if !wire.Valid(s.raw) {
		s.raw = jsonpath.Quote(nil, value)
	}
	if left != "params" && !strings.HasPrefix(left, "params.") {
		s.Was = left
		return s, nil
	}
	var err error
	s.Path, err = jsonpath.Parse(left)
	return s, err
}

// Plan is what will be sent of a script, and what will be put instead of
// values that mean nothing to another run of the server.
type Plan struct {
	Script  *Script
	Options PlanOptions
	Events  []Event // those of the chosen sessions
	Sources []Source
	Subs    []Sub // in the order of steps, also of those that are left out
	// Masked are by step the places of its request whose values are not in the
	// recording.
	Masked map[int32][]MaskedValue

	chosen []bool             // by session
	from   map[int32][]int32  // sources by call
	first  map[int32]int      // first of Subs by step
	tools  map[string]Tool    // what the recorded server said of its tools
	guards map[int32][]string // by step: what of it needs leave; nil before it was worked out
	only   []bool             // by step: those that are sent; nil for all of the chosen sessions
	edits  map[int32][]byte   // by step: what is sent instead of the recorded payload
	uses   map[uint64]span    // values in requests, by hash
	// Of the last step that an outcome was of, what it sends.
	sent     map[string][]string
	sentStep int32
	alike    map[uint64][]int32 // calls by their request; nil before it was worked out
	names    map[string]bool    // members that hold handles though their names do not say so
	// By step: the tool that is called instead of what was recorded.
	instead map[int32]string
}

// Source is where the server issues a value that the client uses later.
type Source struct {
	Call   int32
	Path   jsonpath.Path // in the response
	Header string        // or a header of the response
	Was    string        // the recorded value: text, or raw JSON of a number
	cut    *cut          // it is a part of the text at Path
	named  bool          // recognised by a name, not by its look
	plain  bool          // recognised by neither, only by its later use
	label  string        // of that, the name before it in a text
}

// Sub is a recorded value in a request that is replaced by what the new server
// issued.
type Sub struct {
	Step   int32
	Source int32
	Path   jsonpath.Path // in the payload
	// From and To are where in the decoded text at Path the value stands; both
	// are 0 when it is all of it.
	From, To int
	Why      string // "cursor", "task id", "handle", …
}

// Plan works out what to send. It reads the script's payloads twice and keeps
// none of them.
func (s *Script) Plan(opt PlanOptions) (*Plan, error) {
	p := &Plan{
		Script: s, Options: opt, chosen: make([]bool, len(s.Sessions)),
		from: map[int32][]int32{}, first: map[int32]int{}, Masked: map[int32][]MaskedValue{},
	}
	some, err := s.Choose(opt.Sessions)
	if err != nil {
		return nil, err
	}
	for _, i := range some {
		p.chosen[i] = true
	}
	for _, e := range s.Events {
		if p.chosen[p.sessionOf(e)] {
			p.Events = append(p.Events, e)
		}
	}
	if !slices.ContainsFunc(p.Events, func(e Event) bool { return e.Kind == EventStep }) {
		return nil, fmt.Errorf("%s: there is nothing in it that a client sent", s.Path)
	}
	p.uses, p.names = map[uint64]span{}, map[string]bool{}
	c := correlator{Plan: p, sources: map[uint64]int32{}, plain: map[uint64][]Source{}}
	if err := c.collect(); err != nil {
		return nil, err
	}
	return p, c.match()
}

func (p *Plan) sessionOf(e Event) int32 {
	s := p.Script
	switch e.Kind {
	case EventResponse:
		return s.SessionOf(e.Index)
	case EventNotification:
		return s.Notifications[e.Index].Session
	}
	return s.Steps[e.Index].Session
}

// Preview summarises a plan for the user who must confirm it.
type Preview struct {
	Target   string   // what it is sent to, as text; "" when the user has to say
	Dir      string   // where a command runs; "" for here
	Calls    int      // sent in all
	Others   int      // notifications, streams and the like
	Subs     []string // what is put instead of recorded values: "3 cursors"
	Unmarked []string // tools that are not marked read-only
	Left     int      // calls that are left out with read-only tools alone
	Remarks  []string // what is wrong with the recording
	Missing  string   // why it cannot be sent; "" when it can
	Params   []byte   // of the one request
}

// Preview sums the plan up. Target, Dir, Missing and Params are the caller's to
// fill in.
func (p *Plan) Preview() Preview {
	v := Preview{Unmarked: p.Unmarked(), Remarks: p.Script.Remarks}
	v.Calls, v.Others = p.Sent(false)
	marked, _ := p.Sent(true)
	v.Left = v.Calls - marked
	count := map[string]int{}
	seen := make([]bool, len(p.Sources))
	for _, e := range p.Events {
		if e.Kind != EventStep {
			continue
		}
		for _, s := range p.SubsOf(e.Index) {
			if seen[s.Source] {
				continue
			}
			seen[s.Source] = true
			if count[s.Why]++; count[s.Why] == 1 {
				v.Subs = append(v.Subs, s.Why)
			}
		}
	}
	for i, why := range v.Subs {
		v.Subs[i] = words.Count(count[why], why)
	}
	return v
}

// Sent counts what the plan sends: calls, and all else; onlyRead leaves out what
// needs the user's consent.
func (p *Plan) Sent(onlyRead bool) (calls, others int) {
	var skip map[int32][]string
	if onlyRead {
		skip = p.Guarded()
	}
	for _, e := range p.Events {
		switch {
		case e.Kind != EventStep || skip[e.Index] != nil:
		case p.Script.Steps[e.Index].Count > 0:
			calls += int(p.Script.Steps[e.Index].Count)
		default:
			others++
		}
	}
	return calls, others
}
