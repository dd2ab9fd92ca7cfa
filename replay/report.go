package replay

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
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

	room int // for bodies, in bytes
}

// NewReport begins the report on a script. It keeps the bodies of responses, so
// that they can be looked at, up to so many bytes in all.
func NewReport(s *Script, keep int) *Report {
	return &Report{
		Recording: s.Path, Remarks: slices.Clip(s.Remarks), Handles: map[string]string{},
		Outcomes: make([]Outcome, 0, len(s.Calls)), room: keep,
	}
}

// Outcome is what came of one call.
type Outcome struct {
	Call    int32  // in the first script; of an extra one in the second
	Frame   uint32 // of the request, in the first recording; 0 when it is not there
	Other   uint32 // the same in the second; 0 also when it is not known
	Session int    // from 1
	Method  string
	Target  string
	Verdict Verdict
	Slower  bool
	Note    string
	Was     Response // a side that has none is zero
	Now     Response
	Changes []Change
	Schema  []string // how the result breaks the tool's output schema

	firm firm
}

// Outcome begins the outcome of a call.
func (s *Script) Outcome(call int32) Outcome {
	row := s.CallRow(call)
	return Outcome{
		Call: call, Frame: row.Request, Session: int(row.Session) + 1,
		Method: s.Method(call), Target: s.Target(call),
	}
}

// Label names the call. It holds text from the wire.
func (o *Outcome) Label() string { return Label(o.Method, o.Target) }

// Differs reports whether the other side behaved otherwise.
func (o *Outcome) Differs() bool {
	return o.Verdict.Differs() || o.Slower || len(o.Schema) > 0
}

// Number is that of the request in the first recording, else in the second, as
// "#12"; "" when neither is known.
func (o *Outcome) Number() string {
	n := cmp.Or(o.Frame, o.Other)
	if n == 0 {
		return ""
	}
	return "#" + strconv.FormatUint(uint64(n), 10)
}

// Summary says in a few words what is different. It holds text from the wire.
func (o *Outcome) Summary() string {
	switch {
	case o.Note != "" && o.Verdict == Fixed:
		return "was " + o.Note
	case o.Note != "":
		return o.Note
	case len(o.Schema) > 0:
		return "breaks its output schema: " + o.Schema[0]
	case len(o.Changes) == 1:
		return o.Changes[0].String()
	case len(o.Changes) > 1:
		return fmt.Sprintf("%s and %d more", o.Changes[0].Path, len(o.Changes)-1)
	}
	return ""
}

// Problem is something that went otherwise than recorded and is no call.
type Problem struct {
	Session int    `json:"session"` // from 1; 0 for none
	Text    string `json:"text"`
}

// Differs reports whether the other side behaved otherwise.
func (r *Report) Differs() bool {
	return len(r.Problems)+len(r.New) > 0 ||
		slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return o.Differs() })
}

// Count is how many calls had a verdict.
func (r *Report) Count(v Verdict) int { return counts(r.Outcomes)[v] }

func counts(outcomes []Outcome) (n [Verdicts]int) {
	for i := range outcomes {
		n[outcomes[i].Verdict]++
	}
	return n
}

// maxKept is how long a body may be, in bytes, to be kept.
const maxKept = 1 << 20

// Add adds an outcome. Of its bodies it keeps copies, where there is room.
func (r *Report) Add(o *Outcome) {
	for _, side := range [...]*Response{&o.Was, &o.Now} {
		if side.There {
			_, side.Failed = side.Failure(o.Method)
			r.keep(side)
		}
	}
	r.Outcomes = append(r.Outcomes, *o)
}

func (r *Report) keep(side *Response) {
	body := side.Body
	if body == nil {
		return
	}
	if side.Cut = len(body) > min(maxKept, r.room); side.Cut {
		side.Body = nil
		return
	}
	side.Body = bytes.Clone(body)
	r.room -= len(body)
}

const maxProblems = 100

// AddProblem adds something that a user should know. session is an index.
func (r *Report) AddProblem(session int32, text string) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{Session: int(session) + 1, Text: text})
	}
}

// AddFindings says which findings only one of the two sides has.
func (r *Report) AddFindings(before, after []string) {
	r.New, r.Gone = subtract(after, before), subtract(before, after)
}

// subtract returns what of a is not in b, each once.
func subtract(a, b []string) (rest []string) {
	has := map[string]bool{}
	for _, s := range b {
		has[s] = true
	}
	for _, s := range a {
		if !has[s] {
			has[s] = true
			rest = append(rest, s)
		}
	}
	return rest
}
