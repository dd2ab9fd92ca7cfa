package beside

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"midwire/intercept"
)

// TestHeld: what goes wrong beside the screen is printed afterwards, in its order and once.
func TestHeld(t *testing.T) {
	var got []string
	h := Hold(func(err error) { got = append(got, err.Error()) })
	h.Keep(errors.New("one"))
	h.Keep(errors.New("two"))
	if len(got) > 0 {
		t.Error("it is printed into the screen")
	}
	h.Say()
	if h.Say(); len(got) != 2 || got[0] != "one" || got[1] != "two" {
		t.Errorf("%q", got)
	}
}

func TestHow(t *testing.T) {
	for want, got := range map[string]string{
		"ended, status 3":                      how(intercept.Exit{Code: 3}, nil),
		"ended by " + syscall.SIGTERM.String(): how(intercept.Exit{Signal: syscall.SIGTERM}, nil),
		"not started: file does not exist":     how(intercept.Exit{}, os.ErrNotExist),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
