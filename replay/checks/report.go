// Package checks is the report of midwire test, of a server and of a client: what was
// tried, and what came of it. It is pure.
//
// Begin with Report. print.go writes it for people, and for CI systems.
package checks

import (
	"fmt"
	"strings"
	"time"
)

// Verdict is what a check came to.
type Verdict string

// The verdicts. Only what breaks a MUST of the specification, or leaves a request
// without a response, is failed.
const (
	Passed  Verdict = "passed"
	Failed  Verdict = "failed"
	Noted   Verdict = "noted" // legal, or against a SHOULD, and worth knowing
	Skipped Verdict = "skipped"
)

// Check is one thing that was tried. Its texts may hold what the peer said.
type Check struct {
	Stage    string        `json:"stage"`
	Name     string        `json:"name"`
	Verdict  Verdict       `json:"verdict"`
	Outcome  Outcome       `json:"outcome,omitzero"` // what a client made of a fault
	Text     string        `json:"text,omitempty"`   // what happened, one sentence
	Help     string        `json:"help,omitempty"`   // what was done to the peer
	Spec     string        `json:"spec,omitempty"`   // where it is written
	After    time.Duration `json:"after_ns,omitempty"`
	Said     string        `json:"said,omitempty"` // what the user was told
	Rule     string        `json:"rule,omitempty"` // the rule of midwire check that decided
	Notes    []string      `json:"notes,omitempty"`
	Evidence []Evidence    `json:"evidence,omitempty"`
}

// Evidence is a frame that shows something.
type Evidence struct {
	Recording string `json:"recording"`
	Frame     uint64 `json:"frame"`
	Shows     string `json:"shows"`
}

// Report is what a test came to.
type Report struct {
	Role       string        `json:"role"`              // of who was tested: server or client
	Target     string        `json:"target"`            // a URL or a command
	Name       string        `json:"name,omitempty"`    // as the peer calls itself, with its version
	Opposite   string        `json:"opposite,omitzero"` // the other side, where it is not midwire
	Transport  string        `json:"transport"`
	Version    string        `json:"protocol_version,omitempty"`
	Calls      int           `json:"calls,omitempty"` // that a client was served without a fault
	Remarks    []string      `json:"remarks,omitempty"`
	Checks     []*Check      `json:"checks"`
	Recordings []string      `json:"recordings"`
	Took       time.Duration `json:"took_ns"`
	Width      int           `json:"-"` // of lines of text, 0 for no terminal
}

// Count is how many checks came to a verdict.
func (r *Report) Count(v Verdict) (n int) {
	for _, c := range r.Checks {
		if c.Verdict == v {
			n++
		}
	}
	return n
}

// Outcome is what a peer made of a fault, or of what is unusual. Later ones are worse.
type Outcome uint8

// The outcomes. The zero Outcome is that of a check that has none.
const (
	NotApplicable Outcome = iota + 1 // there was nothing to act on
	Recovered                        // all was served that is served without it
	RecoveredLate                    // the same, and it took long
	Told                             // something was not served, and the user was told
	Hung                             // the peer did not come to an end
	Wrong                            // it broke the protocol, or took what failed for good
)

var outcomes = [...]string{"", "not applicable", "recovered", "recovered late", "told its user", "hung", "wrong"}

// String returns the outcome in words.
func (o Outcome) String() string { return outcomes[o] }

// MarshalText returns the outcome in words.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the outcome in words.
func (o *Outcome) UnmarshalText(text []byte) error {
	for i, name := range outcomes {
		if string(text) == name {
			*o = Outcome(i)
			return nil
		}
	}
	return fmt.Errorf("no outcome: %q", text)
}

// ParseOutcome reads the beginning of an outcome: told, late, hung, wrong.
func ParseOutcome(word string) (Outcome, bool) {
	for i, name := range outcomes[1:] {
		o := Outcome(i + 1)
		if word == name || word != "" && strings.HasPrefix(name, word) || word == "late" && o == RecoveredLate {
			return o, true
		}
	}
	return 0, false
}
