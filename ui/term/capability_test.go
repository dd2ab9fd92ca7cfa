package term

import "testing"

func TestProbe(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want Capabilities
	}{
		{nil, Capabilities{}},
		{map[string]string{"WT_SESSION": "x"}, Capabilities{"Windows Terminal", "", CopyTaken, true}},
		{map[string]string{"TERM": "xterm-kitty"}, Capabilities{"kitty", "", CopyTaken, false}},
		{map[string]string{"TERM": "foot-extra"}, Capabilities{"foot", "", CopyTaken, false}},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.14"}, Capabilities{"iTerm.app", "", CopyAllowed, false}},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"}, Capabilities{"iTerm.app", "", CopyAllowed, true}},
		{map[string]string{"VTE_VERSION": "7600"}, Capabilities{"VTE", "", CopyRefused, false}},
		{map[string]string{"VTE_VERSION": "8002"}, Capabilities{"VTE", "", CopyRefused, true}},
		{map[string]string{"TERM_PROGRAM": "ghostty", "TMUX": "x"}, Capabilities{"ghostty", "tmux", CopyAllowed, false}},
		{map[string]string{"STY": "x"}, Capabilities{"", "screen", CopyRefused, false}},
		{map[string]string{"TERM_PROGRAM": "Apple_Terminal"}, Capabilities{"Apple_Terminal", "", CopyRefused, false}},
	} {
		if got := Probe(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.env, got, c.want)
		}
	}
}
