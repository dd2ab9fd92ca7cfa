package resilience

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Verdict is what a peer made of a fault. Later ones are worse, but for
// NotApplicable.
type Verdict uint8

// The verdicts.
const (
	NotApplicable Verdict = iota // the fault found nothing to act on
	Recovered                    // all was served that is served without the fault
	RecoveredLate                // the same, and it took long
	Told                         // something was not served, and the user was told
	Hung                         // it did not come to an end
	Wrong                        // it broke the protocol, or took what failed for good
)

var verdicts = [...]string{"not applicable", "recovered", "recovered late", "told its user", "hung", "wrong"}

// String returns the verdict in words.
func (v Verdict) String() string { return verdicts[v] }

// MarshalText returns the verdict in words.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the verdict in words.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdicts {
		if string(text) == name {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("no verdict: %q", text)
}

// ParseVerdict reads the beginning of a verdict: told, late, hung, wrong.
func ParseVerdict(word string) (Verdict, bool) {
	for i, name := range verdicts {
		if word == name || word != "" && strings.HasPrefix(name, word) || word == "late" && Verdict(i) == RecoveredLate {
			return Verdict(i), true
		}
	}
	return 0, false
}

// Fault is what is broken in a trial.
type Fault struct {
	Name  string   `json:"name"`
	Rules []string `json:"rules,omitempty"` // lines of the gate
	Help  string   `json:"help,omitempty"`  // what happens
	Spec  string   `json:"specification,omitempty"`
	// Resumes says that the fault is for streams that can be resumed: it strikes when
	// the client has got the id by which it can.
	Resumes bool `json:"-"`
}

// Evidence is a frame that shows something.
type Evidence struct {
	Recording string `json:"recording"`
	Frame     uint64 `json:"frame"`
	Shows     string `json:"shows"`
}

// Result is what came of a fault.
type Result struct {
	Fault
	Verdict    Verdict       `json:"verdict"`
	Why        string        `json:"why"`             // one sentence
	After      time.Duration `json:"after_ns"`        // from the fault to what decided
	Said       string        `json:"said,omitempty"`  // what the user was told
	Rule       string        `json:"rule,omitempty"`  // the rule of midwire check that decided
	Notes      []string      `json:"notes,omitempty"` // what was seen besides
	Evidence   []Evidence    `json:"evidence,omitempty"`
	Recordings []string      `json:"recordings,omitempty"`
}

// Report is what came of all faults.
type Report struct {
	Peer      string   `json:"peer"`     // who was tried, with its version
	Role      string   `json:"role"`     // client or server
	Opposite  string   `json:"opposite"` // the other side
	Transport string   `json:"transport"`
	Calls     int      `json:"calls"` // served without a fault
	Remarks   []string `json:"remarks,omitempty"`
	Results   []Result `json:"results"`
	Width     int      `json:"-"` // of lines of text, 0 for no terminal
}

// Count counts results with a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Verdict == v {
			n++
		}
	}
	return n
}

// Fails says whether a verdict is at least as bad as another.
func (r *Report) Fails(from Verdict) bool {
	return slices.ContainsFunc(r.Results, func(o Result) bool { return o.Verdict >= from })
}
