package replay

import (
	"fmt"
	"time"

	"midwire/session/wire"
)

// Report is what comparing two sessions came to.
type Report struct {
	Recording   string    `json:"recording"`
	Other       []string  `json:"other,omitempty"` // recordings of the other side
	Outcomes    []Outcome `json:"calls"`
	Problems    []Problem `json:"problems,omitempty"`
	Remarks     []string  `json:"remarks,omitempty"`      // about the recording
	New         []string  `json:"new_findings,omitempty"` // findings of the other side alone
	Gone        []string  `json:"gone_findings,omitempty"`
	Substituted int       `json:"substitutions,omitempty"`
	// Handles are recorded values and what stood for them on the other side.
	Handles map[string]string `json:"-"`
}

// Outcome is what came of one call.
type Outcome struct {
	Frame   uint32        `json:"frame,omitempty"` // of the request, in the first recording
	Other   uint32        `json:"other_frame,omitempty"`
	Session int           `json:"session"`
	Label   string        `json:"label"`
	Method  string        `json:"method"`
	Target  string        `json:"target,omitempty"`
	Verdict Verdict       `json:"verdict"`
	Changes []Change      `json:"changes,omitempty"`
	Slower  bool          `json:"slower,omitempty"`
	Was     time.Duration `json:"was_ns"`
	Now     time.Duration `json:"now_ns"`
	Note    string        `json:"note,omitempty"`
	Schema  []string      `json:"schema,omitempty"` // how the result breaks the tool's outputSchema

	call int32
}

// Problem is something that went otherwise than recorded and is no call.
type Problem struct {
	Session int    `json:"session"` // from 1; 0 for none
	Text    string `json:"text"`
}

// Differs says whether the other side behaved otherwise.
func (r *Report) Differs() bool {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Verdict.Differs() || o.Slower || len(o.Schema) > 0 {
			return true
		}
	}
	return len(r.Problems) > 0 || len(r.New) > 0
}

// Count is how many calls had a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for i := range r.Outcomes {
		if r.Outcomes[i].Verdict == v {
			n++
		}
	}
	return n
}

func (r *Report) add(o Outcome) { r.Outcomes = append(r.Outcomes, o) }

// schemaFaults checks a tool's result against the schema it has in the
// recording.
func (r *run) schemaFaults(tool string, now *Answer) []string {
	schema := r.tools()[tool].schema
	result := wire.Get(now.Message.Result, "structuredContent")
	if schema == nil || result == nil || len(result) > maxDecoded || string(wire.Get(now.Message.Result, "isError")) == "true" {
		return nil
	}
	return r.opt.Schema(schema, result)
}

// findings compares what is wrong with the two recordings. On another
// transport other things can be wrong: then that says nothing of the server.
func (r *run) findings() error {
	if r.opt.Findings == nil || (r.Script.Header.Tap == "http") != (r.opt.URL != nil) {
		return nil
	}
	before, err := r.opt.Findings(r.Recording)
	if err != nil {
		return fmt.Errorf("findings of %s: %w", r.Recording, err)
	}
	var after []string
	for _, path := range r.Other {
		some, err := r.opt.Findings(path)
		if err != nil {
			return fmt.Errorf("findings of %s: %w", path, err)
		}
		after = append(after, some...)
	}
	r.New, r.Gone = without(after, before), without(before, after)
	return nil
}

// without returns what of a is not in b.
func without(a, b []string) []string {
	has := map[string]bool{}
	for _, s := range b {
		has[s] = true
	}
	var rest []string
	for _, s := range a {
		if !has[s] {
			has[s] = true
			rest = append(rest, s)
		}
	}
	return rest
}
