package checks

import (
	"fmt"
	"strings"
)

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
