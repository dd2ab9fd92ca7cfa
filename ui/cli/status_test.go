package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStatus: what commands exit with when they work, and that they then write
// to standard output and nowhere else.
func TestStatus(t *testing.T) {
	w := newWorld(t)
	other := w.write(t, "other.jsonl", `{"midwire":1,"id":"other","started":"2030-01-01T00:00:00Z","tap":"stdio","command":["x"]}
{"n":1,"t":1,"k":"line","d":">","x":1,"len":46,"json":{"jsonrpc":"2.0","id":1,"method":"prompts/list"}}
{"n":2,"t":2,"k":"line","d":"<","x":1,"len":50,"json":{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}}
`)
	for _, c := range []struct {
		line   string
		status exitStatus
		says   string
	}{
		{"--version", 0, "midwire version v0.0.0-test"},
		{"help", 0, "midwire run COMMAND [ARG…]"},
		{"completion bash", 0, "bash completion"},
		{"ls", 0, "No recordings in "},
		{"ls --json", 0, "["},
		{"show $REC", 0, "tools/list"},
		{"show $REC --raw", 0, "tools/list"},
		{"open $REC", 0, "tools/list"},
		{"check $REC", statusFound, "stdout-noise"},
		{"check $REC --fail-on never", 0, "stdout-noise"},
		{"check $REC --rule session-per-call", 0, "No findings"},
		{"check OTHER", 0, "0 failed in"},
		{"explain", 0, "session-per-call"},
		{"explain session-per-call", 0, "session"},
		{"export $REC --to mermaid", 0, "sequenceDiagram"},
		{"prune --older 1h", 0, "nothing deleted"},
		{"replay $REC --plan", 0, "tools/list"},
		{"diff $REC $REC", 0, "calls"},
		{"diff $REC OTHER", statusFound, "prompts/list"},
		{"mock $REC", 0, ""},
		{"demo --list", 0, "session-per-call"},
		{"config --theme light", 0, `theme = "light"`},
	} {
		words := strings.Fields(c.line)
		for i, word := range words {
			words[i] = strings.Replace(word, "OTHER", other, 1)
		}
		status, stdout, stderr := w.midwire(t, words...)
		if status != int(c.status) || !strings.Contains(stdout, c.says) || stderr != "" {
			t.Errorf("midwire %s: exits with %d, want %d\nstdout, which should say %q: %s\nstderr: %s",
				c.line, status, c.status, c.says, stdout, stderr)
		}
	}
	for text, says := range map[string]string{
		"Error: session user mismatch":                        "gateway-session-shared",
		"404: Not Found: Invalid or expired session ID (x)":   "Python SDK 1.29.0",
		"our gateway says: the session of the user is closed": "No known SDK says exactly this.",
	} {
		status, stdout, stderr := w.midwire(t, "explain", text)
		if status != 0 || !strings.Contains(stdout, says) || stderr != "" {
			t.Errorf("midwire explain %q: %d, does not say %q: %s%s", text, status, says, stdout, stderr)
		}
	}
	if status, _, stderr := w.midwire(t, "explain", "all is well"); status != int(statusUsage) || !strings.Contains(stderr, "no rule") {
		t.Errorf("midwire explain of nothing known: %d, %s", status, stderr)
	}
	for _, c := range commands(w) {
		status, stdout, stderr := w.midwire(t, c.Name(), "--help")
		words := strings.Join(strings.Fields(stdout), " ") // the usage of one is longer than a line
		if status != 0 || !strings.Contains(words, "Usage: midwire "+c.Use) || stderr != "" {
			t.Errorf("midwire %s --help: %d\n%s%s", c.Name(), status, stdout, stderr)
		}
	}
}

// asProcess runs midwire as a process of its own: a proxy owns its streams.
func (w *world) asProcess(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), "MIDWIRE_HOME="+w.getenv["MIDWIRE_HOME"])
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(w.stdin), &out, &errs
	if err := c.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// TestProxyExitsAsTheServer, in both of its forms, and writes nothing of its own
// to standard output.
func TestProxyExitsAsTheServer(t *testing.T) {
	w := newWorld(t)
	self := os.Args[0]
	for _, c := range []struct {
		server         []string
		status         int
		stdout, stderr string
	}{
		{[]string{self, "explain", "session-per-call"}, 0, "session-per-call", ""},
		{[]string{self, "explain", "--nonsense"}, 2, "", "unknown flag: --nonsense"},
		{[]string{self, "show", "nothing"}, 3, "", "no such file or recording"},
		{[]string{"no-such-server"}, 127, "", `server command "no-such-server" not found`},
	} {
		for _, form := range [][]string{{"--"}, {"run"}, {"--label", "mine", "run"}} {
			status, stdout, stderr := w.asProcess(t, append(form, c.server...)...)
			if status != c.status || !strings.Contains(stdout, c.stdout) || c.stdout == "" && stdout != "" ||
				!strings.Contains(stderr, c.stderr) {
				t.Errorf("midwire %q %q: exits with %d, want %d\nstdout: %s\nstderr: %s",
					form, c.server, status, c.status, stdout, stderr)
			}
		}
	}
	if _, stdout, _ := w.midwire(t, "ls", "--json"); strings.Count(stdout, `"label": "mine"`) != 4 {
		t.Errorf("recorded: %s", stdout)
	}
}

// TestNothingToRecordTo: what a proxy cannot record it forwards, and says so.
func TestNothingToRecordTo(t *testing.T) {
	w := newWorld(t)
	w.getenv = map[string]string{"MIDWIRE_HOME": w.write(t, "taken", "")}
	status, stdout, stderr := w.asProcess(t, "--", os.Args[0], "explain")
	if status != 0 || !strings.Contains(stdout, "session-per-call") ||
		!strings.Contains(stderr, "midwire: not recording: ") || !strings.Contains(stderr, "forwarded all the same") {
		t.Errorf("%d\n%s%s", status, stdout, stderr)
	}
}

// TestDemoIsPrinted: the demo and a scenario play through proxies that are
// processes of this program.
func TestDemoIsPrinted(t *testing.T) {
	w := newWorld(t)
	t.Setenv("MIDWIRE_HOME", w.getenv["MIDWIRE_HOME"]) // of those processes
	for _, c := range []struct {
		line []string
		says string
	}{
		{[]string{"demo"}, "tools/call             search_notes query="},
		{[]string{"demo", "session-per-call", "--no-ui"}, "· session-per-call\n"},
		{[]string{"demo", "session-per-call", "--no-ui", "--fixed"}, "0 failed in"},
		{[]string{"demo", "shared-backend", "--no-ui", "--hub"}, "0 failed in"},
	} {
		if status, stdout, stderr := w.midwire(t, c.line...); status != 0 ||
			!strings.Contains(stdout, c.says) || stderr != "" {
			t.Errorf("midwire %q: %d\n%s%s", c.line, status, stdout, stderr)
		}
	}
}

// What an error names may be somebody else's: none of it acts on the terminal.
func TestErrorsAreSafeToPrint(t *testing.T) {
	w := newWorld(t)
	name := w.write(t, "evil\x1b[2J\u202e.jsonl", "no recording\x1b]0;title\x07\n")
	for _, args := range [][]string{{"show", name}, {"check", name}, {"diff", name, name}, {"open", name}, {"show", name + "x"}, {"\x1b[31m"}, {"show", "--\x1b[31m"}, {"mock", name, "--listen", "\x1b[31m"}} {
		status, out, errs := w.midwire(t, args...)
		if status == 0 || strings.ContainsAny(out+errs, "\x1b\x07\u202e") {
			t.Errorf("%q: status %d, said %q", args, status, out+errs)
		}
	}
}
