package cli

import (
	"errors"
	"testing"
)

// TestHeld: what goes wrong while a client has the terminal is printed afterwards, in its order and once.
func TestHeld(t *testing.T) {
	var got []string
	h := &held{print: func(err error) { got = append(got, err.Error()) }}
	h.keep(errors.New("one"))
	h.keep(errors.New("two"))
	if len(got) > 0 {
		t.Error("it is printed while the client runs")
	}
	h.say()
	if h.say(); len(got) != 2 || got[0] != "one" || got[1] != "two" {
		t.Errorf("%q", got)
	}
}
