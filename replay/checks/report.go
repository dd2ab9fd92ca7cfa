// Package checks is the report of midwire test: what was tried, and with which result. It is pure.
//
// Begin with Report. print.go writes it for people, and for CI systems.
package checks

import (
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
	Stage    string     `json:"stage"`
	Name     string     `json:"name"`
	Verdict  Verdict    `json:"verdict"`
	Text     string     `json:"text,omitempty"` // what happened, one sentence
	Help     string     `json:"help,omitempty"` // what was done to the peer
	Spec     string     `json:"spec,omitempty"` // where it is written
	Rule     string     `json:"rule,omitempty"` // the rule of midwire check that decided
	Evidence []Evidence `json:"evidence,omitempty"`
}

// Evidence is a frame that shows something.
type Evidence struct {
	Recording string `json:"recording"`
	Frame     uint64 `json:"frame"`
	Shows     string `json:"shows"`
}

// Report is what a test came to.
type Report struct {
	Target     string        `json:"target"`         // a URL or a command
	Name       string        `json:"name,omitempty"` // as the peer calls itself, with its version
	Transport  string        `json:"transport"`
	Version    string        `json:"protocol_version,omitempty"`
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
