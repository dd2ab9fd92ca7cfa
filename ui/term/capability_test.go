package term

import "testing"

func TestHasBar(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, false},
		{map[string]string{"WT_SESSION": "x"}, true},
		{map[string]string{"TERM": "xterm-kitty"}, false},
		{map[string]string{"TERM": "xterm-ghostty"}, true},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5.14"}, false},
		{map[string]string{"TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"}, true},
		{map[string]string{"VTE_VERSION": "7600"}, false},
		{map[string]string{"VTE_VERSION": "8002"}, true},
		{map[string]string{"TERM_PROGRAM": "ghostty", "TMUX": "x"}, false},
		{map[string]string{"TERM_PROGRAM": "vscode"}, true},
		{map[string]string{"STY": "x", "WT_SESSION": "x"}, false},
	} {
		if got := HasBar(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}
