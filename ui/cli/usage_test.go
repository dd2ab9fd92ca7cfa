package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mistake is a command line that cannot work, what midwire exits with, and what
// of its message says what happened, where, and what to do.
type mistake struct {
	line   string // words, separated by blanks; $REC and the like are of world.words
	status exitStatus
	says   []string
}

// run checks what midwire makes of it. A program that reads its output must not
// take a complaint for that.
func (m mistake) run(t *testing.T, w *world) {
	t.Helper()
	status, stdout, stderr := w.midwire(t, strings.Fields(m.line)...)
	if status != int(m.status) || stdout != "" || !strings.HasPrefix(stderr, "midwire: ") {
		t.Errorf("midwire %s: exits with %d, want %d\nstdout: %s\nstderr: %s", m.line, status, m.status, stdout, stderr)
	}
	for _, want := range m.says {
		if !strings.Contains(stderr, w.words.Replace(want)) {
			t.Errorf("midwire %s: no %q in %s", m.line, want, stderr)
		}
	}
}

func says(all ...string) []string { return all }

// mistakes of every command: too few and too many arguments, and values of
// flags that there are not.
var mistakes = []mistake{
	{"", statusUsage, says("no terminal to draw on", "midwire ls and midwire show", "midwire http --no-ui")},
	{"nonsense", statusUsage, says(`unknown command "nonsense"`, "midwire -- COMMAND", "midwire run COMMAND", "midwire --help")},
	{"chekc", statusUsage, says(`unknown command "chekc"; did you mean midwire check?`)},
	{"check x --formt json", statusUsage, says("unknown flag: --formt; did you mean --format?")},
	{"check x --nonsense", statusUsage, says("unknown flag: --nonsense. midwire check --help lists the flags")},
	{"npx -y server --flag", statusUsage, says(`unknown command "npx -y server --flag"`, "midwire -- COMMAND")},
	{"x -- cat", statusUsage, says(`unknown command "x -- cat"`, "midwire -- COMMAND")},
	{"--", statusUsage, says(`unknown command ""`, "midwire -- COMMAND")},
	{"--redact-value ( -- cat", statusUsage, says(`--redact-value "("`, "missing closing )")},

	{"ls x", statusUsage, says(`ls: unknown command "x"`, "Usage: midwire ls [flags]")},

	{"show", statusUsage, says("show: accepts between 1 and 2 arg(s), received 0", "Usage: midwire show REC")},
	{"show $REC x", statusUsage, says("show: a frame is a number", `"x"`)},
	{"show $REC 1 2", statusUsage, says("received 3", "Usage: midwire show REC [FRAME]")},
	{"show $REC 1 --path .a.[", statusUsage, says("path \".a.[\"", "Write jq")},
	{"show $REC 9999", statusFailure, says("frame 9999", "has frames 1 to", "midwire show lists them")},
	{"show $REC --filter lat>x", statusUsage, says("filter \"lat>x\"", "Examples: is:error")},

	{"check", statusUsage, says("check: requires at least 1 arg(s)", "Usage: midwire check REC…")},
	{"check $REC --format yaml", statusUsage, says("--format is text, json, junit or sarif", `"yaml"`)},
	{"check $REC --fail-on fatal", statusUsage, says("--fail-on is error, warning, note or never", `"fatal"`)},
	{"check $REC --rule nonsense", statusUsage, says(`no rule "nonsense"`, "midwire explain lists them")},
	{"check $REC --mute session-per-cal", statusUsage, says(`no rule "session-per-cal"`, "did you mean session-per-call")},
	{"check $REC --redact-value (", statusUsage, says(`--redact-value "("`, "missing closing )")},

	{"diagnose a b", statusUsage, says("received 2", "Usage: midwire diagnose [REC[.SESSION]]")},
	{"diagnose nonsense", statusFailure, says(`recording "nonsense"`, "midwire ls lists what there is")},
	{"diagnose $REC.99", statusFailure, says("session 99", "has 2", "midwire ls")},
	{"search", statusUsage, says("search: accepts 1 arg(s), received 0", "Usage: midwire search TEXT")},
	{"search ( --regexp", statusUsage, says("missing closing )", "Without regexp")},
	{"search x --cursor y", statusUsage, says(`cursor "y"`)},
	{"wait a b", statusUsage, says("received 2", "Usage: midwire wait")},
	{"wait $REC --for is:", statusUsage, says("filter")},
	{"tools", statusUsage, says("tools: accepts 1 arg(s), received 0", "Usage: midwire tools REC[.SESSION]")},
	{"tools $REC --cursor x", statusUsage, says(`cursor "x"`, "the first page")},
	{"mcp x", statusUsage, says(`mcp: unknown command "x"`, "Usage: midwire mcp")},
	{"mcp --listen 0.0.0.0:1", statusUsage, says("--listen 0.0.0.0:1", "127.0.0.1:PORT")},
	{"skill x", statusUsage, says(`skill: unknown command "x"`, "Usage: midwire skill")},

	{"auth", statusUsage, says("auth: accepts 1 arg(s), received 0", "Usage: midwire auth REC")},
	{"auth $REC $REC", statusUsage, says("auth: accepts 1 arg(s), received 2", "Usage: midwire auth REC")},
	{"auth $REC --redact-value (", statusUsage, says(`--redact-value "("`, "missing closing )")},

	{"explain nonsense", statusUsage, says(`no rule "nonsense"`, "midwire explain lists them")},
	{"explain session-per-cal", statusUsage, says(`no rule "session-per-cal"`, "did you mean session-per-call")},
	{"explain a b", statusUsage, says("explain: accepts at most 1 arg(s), received 2", "Usage: midwire explain [RULE | TEXT]")},

	{"export", statusUsage, says("export: accepts 1 arg(s), received 0", "Usage: midwire export REC --to FORMAT")},
	{"export $REC", statusUsage, says("export to what?", "--to har, html")},
	{"export $REC --to pdf", statusUsage, says(`--to "pdf"`, "har, html")},
	{"export $REC -o file.pdf", statusUsage, says("export to what?", "--to har, html")},
	{"export $REC --to text --session -1", statusUsage, says("--session -1", "counted from 1")},
	{"export $REC --to text --session 99", statusUsage, says("--session 99", "the recording has 2", "midwire show lists them")},
	{"export $REC --to text -o $REC", statusUsage, says("--output $REC is the recording itself")},
	{"export $REC --to text --redact-value (", statusUsage, says(`--redact-value "("`, "missing closing )")},

	{"prune", statusUsage, says("which recordings may go?", "--older 30d", "--keep 2GiB", "midwire ls")},
	{"prune x", statusUsage, says(`prune: unknown command "x"`, "Usage: midwire prune")},
	{"prune --older 1y", statusUsage, says(`"1y" is not an age`, "30d")},
	{"prune --keep lots", statusUsage, says(`"lots" is not a size`, "2GiB")},

	{"test", statusUsage, says("test takes one server")},
	{"test a -- b", statusUsage, says("test takes one server")},
	{"test ftp://a/b", statusUsage, says(`"ftp://a/b"`)},
	{"test $REC", statusUsage, says("was not made here")},

	{"compare a b", statusUsage, says("received 2", "Usage: midwire compare [REC[.SESSION]]")},
	{"compare $REC.99", statusFailure, says("no session 99", "midwire ls")},

	{"minimize", statusUsage, says("minimize: requires at least 1 arg(s)", "Usage: midwire minimize REC [--to URL | -- COMMAND [ARG…]]")},
	{"minimize $REC $REC", statusUsage, says("minimize takes one recording")},
	{"minimize $REC --to http://127.0.0.1:1 --most 0", statusUsage, says("--most and --timeout")},
	{"minimize $REC --call 999999", statusUsage, says("#999999 is no request of a client")},

	{"probe", statusUsage, says("probe: requires at least 1 arg(s)", "Usage: midwire probe REC [--to URL | -- COMMAND [ARG…]]")},
	{"probe $REC $REC", statusUsage, says("probe takes one recording")},
	{"probe $REC --to http://127.0.0.1:1 --most 0", statusUsage, says("--most and --timeout")},
	{"probe $REC --to localhost:1", statusUsage, says(`"localhost:1"`, "like http://localhost:")},
	{"probe $REC --call 999999", statusUsage, says("#999999 is no request of a client")},
	{"probe $REC --finding nonsense", statusFailure, says("no finding of nonsense", "--call N")},

	{"replay", statusUsage, says("replay: requires at least 1 arg(s)", "Usage: midwire replay REC (--to URL | -- COMMAND [ARG…])")},
	{"replay $REC $REC", statusUsage, says("replay takes one recording", "midwire replay REC -- COMMAND")},
	{"replay -- cat", statusUsage, says("replay takes one recording", "midwire replay REC -- COMMAND")},
	{"replay $REC", statusUsage, says("replay needs a target: --to URL, or -- COMMAND", "--plan")},
	{"replay $REC --to http://127.0.0.1:1 -- cat", statusUsage, says("replay takes one target: --to URL, or -- COMMAND")},
	{"replay $REC --to localhost:1", statusUsage, says(`"localhost:1"`, "like http://localhost:")},
	{"replay $REC --to http://127.0.0.1:1 --transport smoke", statusUsage, says("--transport is http or sse", `"smoke"`)},
	{"replay $REC --format yaml -- cat", statusUsage, says("--format is text, json or junit", `"yaml"`)},
	{"replay $REC --slower -1 -- cat", statusUsage, says("--slower takes a factor like 3, or 0", "-1")},
	{"replay $REC --ignore a..b -- cat", statusUsage, says("--ignore", `"a..b"`)},
	{"replay $REC --yes --only-read -- cat", statusUsage, says("--yes and --only-read: choose one of them")},
	{"replay $REC --timeout 0s -- cat", statusUsage, says("--timeout takes a time like 30s", "0s")},
	{"replay $REC --session 0 -- cat", statusUsage, says("--session takes a number from 1", "midwire show", "not 0")},
	{"replay $REC --set nothing -- cat", statusUsage, says("--set", "nothing")},
	{"replay $REC --header nothing -- cat", statusUsage, says("--header takes 'Name: value'", `"nothing"`)},
	{"replay $REC --env nothing -- cat", statusUsage, says("--env takes NAME=VALUE", `"nothing"`)},
	{"replay $REC --redact-value ( -- cat", statusUsage, says(`--redact-value "("`, "missing closing )")},

	{"test", statusUsage, says("test takes one server")},
	{"test http://x/ -- cat", statusUsage, says("test takes one server")},
	{"test nowhere", statusFailure, says(`"nowhere"`)},
	{"test --format yaml -- cat", statusUsage, says("--format is text, json, junit or sarif", `"yaml"`)},

	{"mock", statusUsage, says("mock: accepts 1 arg(s), received 0", "Usage: midwire mock REC")},
	{"mock $REC $REC", statusUsage, says("mock: accepts 1 arg(s), received 2", "Usage: midwire mock REC")},
	{"mock $REC --timing late", statusUsage, says("--timing is recorded or none", `"late"`)},
	{"mock $REC --match loosely", statusUsage, says("--match is strict or nearest", `"loosely"`)},
	{"mock $REC --session 0", statusUsage, says("--session takes a number from 1", "not 0")},
	{"mock $REC --listen here", statusUsage, says("--listen takes HOST:PORT like 127.0.0.1:7000", `"here"`)},

	{"diff $REC", statusUsage, says("diff: accepts 2 arg(s), received 1", "Usage: midwire diff A B")},
	{"diff $REC $REC --format yaml", statusUsage, says("--format is text, json or junit", `"yaml"`)},
	{"diff $REC $REC --slower -1", statusUsage, says("--slower takes a factor like 3, or 0", "-1")},
	{"diff $REC $REC --ignore a..b", statusUsage, says("--ignore", `"a..b"`)},
	{"diff $REC $REC --session 0", statusUsage, says("--session takes a number from 1", "not 0")},
	{"diff $REC $REC --other-session 0", statusUsage, says("session takes a number from 1", "not 0")},

	{"run", statusUsage, says("run: requires at least 1 arg(s)", "Usage: midwire run [flags] COMMAND [ARG…]")},
	{"run --redact-value ( cat", statusUsage, says(`--redact-value "("`, "missing closing )")},

	{"exec", statusUsage, says("exec: requires at least 1 arg(s)", "Usage: midwire exec [flags] -- COMMAND")},
	{"exec -- true", statusUsage, says("which servers?", "--host mcp.example.com", "--localhost")},
	{"exec --host x/y -- true", statusUsage, says("--host takes a name", `"x/y"`)},
	{"proxy x", statusUsage, says(`proxy: unknown command "x"`, "Usage: midwire proxy")},
	{"proxy --localhost --shell csh", statusUsage, says("--shell is sh, fish or powershell", `"csh"`)},
	{"proxy --localhost --listen 0.0.0.0:0", statusUsage, says("--listen takes an address of this machine", `"0.0.0.0:0"`)},
	{"proxy --localhost --listen here", statusUsage, says("--listen takes an address of this machine", `"here"`)},

	{"gate", statusUsage, says("gate: requires at least 1 arg(s)", "Usage: midwire gate [REC] ACTION")},
	{"gate nonsense", statusUsage, says("gate: which action?")},
	{"gate hold lat>5s", statusUsage, says("lat cannot be matched")},
	{"gate release 1 2", statusUsage, says("gate release takes 0 to 1 arguments")},
	{"gate release x", statusUsage, says("what is held has a number", `"x"`)},
	{"gate status", statusFailure, says("no proxy runs here")},
	{"faults x", statusUsage, says(`faults: unknown command "x"`, "Usage: midwire faults")},
	{"--fault nothing -- cat", statusUsage, says("--fault:", "=> and what to do")},
	{"--fault 401 -- cat", statusUsage, says("status is for http, and this proxy is stdio")},
	{"run --fault =>explode cat", statusUsage, says("--fault: ", "no such action")},
	{"http http://127.0.0.1:1 --fault kill-server", statusUsage, says("kill is for stdio, and this proxy is http")},
	{"http http://127.0.0.1:1 --fault-file nowhere", statusFailure, says("--fault-file: open nowhere")},
	{"exec --localhost --fault kill-server -- true", statusUsage, says("kill is for stdio")},

	{"hub", statusUsage, says("hub takes a configuration, or --from CLIENT", "midwire hub servers.yaml")},
	{"hub a b", statusUsage, says("hub: accepts at most 1 arg(s), received 2", "Usage: midwire hub [CONFIG]")},
	{"hub $ABSENT", statusFailure, says("$ABSENT")},
	{"hub --from nobody", statusUsage, says(`--from: "nobody" is no client that midwire knows`)},
	{"hub --listen here x", statusUsage, says("--listen takes HOST:PORT", `"here"`)},
	{"hub --log loud x", statusUsage, says("--log is debug, info, warn or error", `"loud"`)},
	{"confine", statusUsage, says("confine: requires at least 1 arg(s)", "Usage: midwire confine")},

	{"http", statusUsage, says("http: accepts 1 arg(s), received 0", "Usage: midwire http URL")},
	{"http http://127.0.0.1:1/ x", statusUsage, says("http: accepts 1 arg(s), received 2", "Usage: midwire http URL")},
	{"http localhost:3000", statusUsage, says(`"localhost:3000"`, "give it whole, like http://localhost:3000/mcp")},
	{"http ftp://localhost/", statusUsage, says(`"ftp://localhost/"`, "http")},
	{"http --host maybe http://127.0.0.1:1/", statusUsage, says("--host is keep or rewrite", `"maybe"`)},
	{"http --listen here http://127.0.0.1:1/", statusUsage, says("--listen takes HOST:PORT like 127.0.0.1:7000", `"here"`)},
	{"http --redact-value ( http://127.0.0.1:1/", statusUsage, says(`--redact-value "("`, "missing closing )")},

	{"wrap nobody/x", statusUsage, says(`"nobody" is no client that midwire knows`, "claude-code")},
	{"wrap --file $REC", statusUsage, says("--file belongs to a client", "midwire wrap CLIENT --file $REC")},
	{"wrap", statusFailure, says("no home here")},
	{"unwrap", statusUsage, says("which servers?", "midwire unwrap CLIENT/SERVER, or --all", "midwire wrap lists them")},
	{"unwrap cursor/x --force --file", statusUsage, says("--file", "midwire unwrap --help")},

	{"call", statusUsage, says("which server?", "or its command behind --")},
	{"call ftp://x t", statusUsage, says(`"ftp://x"`, "http://localhost:3000/mcp")},
	{"call http://127.0.0.1:1/mcp t novalue", statusUsage, says("name=text or name:=JSON", `"novalue"`)},
	{"baseline", statusUsage, says("which server?", "or its command behind --")},
	{"contract", statusUsage, says("contract: accepts 1 arg(s), received 0", "Usage: midwire contract REC")},

	{"demo nonsense", statusUsage, says(`no scenario "nonsense"`, "midwire demo --list names them")},
	{"demo a b", statusUsage, says("demo: accepts at most 1 arg(s), received 2", "Usage: midwire demo [SCENARIO]")},

	{"open", statusUsage, says("open: requires at least 1 arg(s)", "Usage: midwire open REC…")},

	{"config x", statusUsage, says(`config: unknown command "x"`, "Usage: midwire config")},
	{"config --theme neon", statusUsage, says(`--theme "neon"`, "there are auto, light, dark")},
	{"config --config $ABSENT", statusUsage, says("configuration: ", "$ABSENT")},
	{"config --config $WRONGCONF", statusUsage, says(`$WRONGCONF: theme must be one of`)},
	{"doctor", statusUsage, says(`unknown command "doctor"`)},

	{"watch", statusUsage, says("watch: requires at least 1 arg(s)", "Usage: midwire watch (ssh://")},
	{"watch http://web1", statusUsage, says("the address begins with nats://", "midwire watch takes ssh://HOST")},
	{"watch ssh://-oProxyCommand=x", statusUsage, says(`"ssh://-oProxyCommand=x"`, "is not a name")},
	{"watch ssh://ada:secret@web1", statusUsage, says("a password in the URL")},
	{"watch ssh://web1 --since x", statusUsage, says("--since", "like 30d")},
	{"watch ssh://web1 --max x", statusUsage, says("--max", "like 500MB")},
	{"ship", statusUsage, says("ship: accepts 1 arg(s), received 0", "Usage: midwire ship nats://")},
	{"ship ssh://web1", statusUsage, says("the address begins with nats://")},
	{"ship nats://h --name a.b", statusUsage, says("--name", "has a dot")},
	{"ship nats://h/a.b", statusUsage, says(`"a.b" has a dot`)},
	{"feed x", statusUsage, says("feed: unknown command", "Usage: midwire feed")},

	{"help nosuch", statusUsage, says(`unknown command "nosuch"`, "midwire help --all")},
	{"completion bash x", statusUsage, says(`bash: unknown command "x"`, "Usage: midwire completion bash")},

	{"demo-server x", statusUsage, says(`demo-server: unknown command "x"`, "Usage: midwire demo-server")},
	{"classic-server", statusUsage, says("classic-server: accepts 1 arg(s), received 0", "Usage: midwire classic-server SCENARIO")},
}

func TestMistakes(t *testing.T) {
	w := newWorld(t)
	for _, m := range mistakes {
		m.run(t, w)
	}
	// No command without one.
	for _, c := range commands(w) {
		if !slices.ContainsFunc(mistakes, func(m mistake) bool { return strings.HasPrefix(m.line+" ", c.Name()+" ") }) {
			t.Errorf("midwire %s: no mistake of its own is tried", c.Name())
		}
	}
}

// TestMainTakesItsOwnArguments: none are none, and not those of the process.
func TestMainTakesItsOwnArguments(t *testing.T) {
	was := os.Args
	t.Cleanup(func() { os.Args = was })
	os.Args = []string{was[0], "ls"}
	if status, _, stderr := newWorld(t).midwire(t); status != 2 || !strings.Contains(stderr, "no terminal") {
		t.Errorf("%d, %s", status, stderr)
	}
}

// commands are all that stand in root.
func commands(w *world) []*cobra.Command {
	env := Env{Getenv: func(name string) string { return w.getenv[name] }}
	return newApp(env).root().Commands()
}

// TestHelpFits: the help of every command, and the list of faults, fit into 80 columns; no
// command says in more than 60 what it does.
func TestHelpFits(t *testing.T) {
	w := newWorld(t)
	fits := func(line ...string) {
		t.Helper()
		status, text, stderr := w.midwire(t, line...)
		if status != 0 || text == "" || stderr != "" {
			t.Errorf("midwire %v: exits with %d: %s", line, status, stderr)
		}
		for l := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(l, "\n")); n > 80 {
				t.Errorf("midwire %v: %d columns: %s", line, n, l)
			}
		}
	}
	fits("--help")
	fits("faults")
	for _, c := range commands(w) {
		fits(c.Name(), "--help")
		for _, sub := range c.Commands() {
			fits(c.Name(), sub.Name(), "--help")
		}
		if n := utf8.RuneCountInString(c.Short); n > 64 || n == 0 && !c.Hidden || strings.HasSuffix(c.Short, ".") {
			t.Errorf("midwire %s: %q has %d characters", c.Name(), c.Short, n)
		}
	}
}

// TestNoSuchFlag: of midwire, and of every command.
func TestNoSuchFlag(t *testing.T) {
	w := newWorld(t)
	names := []string{""}
	for _, c := range commands(w) {
		names = append(names, c.Name()+" ")
	}
	for _, name := range names {
		next := ". midwire " + name + "--help lists the flags"
		mistake{name + "--nonsense", statusUsage, says("unknown flag: --nonsense", next)}.run(t, w)
		mistake{name + "-Z", statusUsage, says("unknown shorthand flag: 'Z'", next)}.run(t, w)
	}
}

// TestFlagsThatAreNoTexts: numbers, times, yes and no.
func TestFlagsThatAreNoTexts(t *testing.T) {
	w := newWorld(t)
	tried := 0
	for _, c := range commands(w) {
		c.InitDefaultHelpFlag()
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if strings.HasPrefix(f.Value.Type(), "string") {
				return
			}
			mistake{c.Name() + " --" + f.Name + "=much", statusUsage, says(`"much"`, "--"+f.Name, "midwire "+c.Name()+" --help")}.run(t, w)
			tried++
		})
	}
	if tried < 30 {
		t.Errorf("only %d flags", tried)
	}
}

// TestRecordingsThatAreNone: every command that takes a recording says which
// one it cannot read, and why. That is no mistake in the calling.
func TestRecordingsThatAreNone(t *testing.T) {
	w := newWorld(t)
	tried := 0
	for _, c := range commands(w) {
		first, second, _ := strings.Cut(strings.TrimPrefix(c.Use, c.Name()+" "), " ")
		if first = strings.TrimSuffix(first, "…"); first != "REC" && first != "A" {
			continue
		}
		tried++
		rest := map[string]string{"check": "", "export": " --to text", "replay": " --plan"}[c.Name()]
		if second == "B" {
			rest = " $REC"
		}
		for _, m := range []mistake{
			{"$ABSENT", statusFailure, says(`"$ABSENT"`, "no such file;", "midwire ls")},
			{"nothing", statusFailure, says(`"nothing"`, "no such file or recording", "midwire ls")},
			{"$LETTER", statusFailure, says("$LETTER", "not a midwire recording")},
			{"$NEWER", statusFailure, says("$NEWER", "update midwire")},
		} {
			m.line = c.Name() + " " + m.line + rest
			m.run(t, w)
		}
		w.stdin = "Dear client\n"
		mistake{c.Name() + " -" + rest, statusFailure, says("not a midwire recording")}.run(t, w)
		w.stdin = ""
	}
	if tried != 11 {
		t.Errorf("%d commands take recordings", tried)
	}
}

// TestFailures: what is right in itself, and cannot be done.
func TestFailures(t *testing.T) {
	w := newWorld(t)
	for _, m := range []mistake{
		{"show last", statusFailure, says("no recordings in ", "run midwire demo", "midwire -- COMMAND")},
		{"mock $REC --session 99", statusFailure, says("session 99", "has 2", "midwire show lists them")},
		{"replay $REC --plan --session 99", statusFailure, says("session 99", "has 2", "midwire show lists them")},
		{"diff $REC $REC --session 99", statusFailure, says("session 99", "has 2", "midwire show lists them")},
		{"diff $REC $REC --other-session 99", statusFailure, says("session 99", "has 2", "midwire show lists them")},
		{"http --listen $TAKEN http://127.0.0.1:1/", statusFailure, says("address $TAKEN is taken", "--listen")},
		{"http --cacert $ABSENT https://127.0.0.1:1/", statusFailure, says("$ABSENT")},
		{"http --cacert $LETTER https://127.0.0.1:1/", statusFailure, says("$LETTER")},
		{"mock $REC --listen $TAKEN", statusFailure, says("cannot listen on $TAKEN", "--listen takes an address of this machine that is free")},
		{"export $REC --to text -o $ABSENT/x.txt", statusFailure, says("export to", "$ABSENT")},
		{"classic-server nonsense", statusFailure, says(`scenario "nonsense"`)},
	} {
		m.run(t, w)
	}
	w.getenv = nil // there is no folder for recordings
	for _, line := range []string{"ls", "show REC", "prune --older 30d", "open REC"} {
		mistake{line, statusFailure, says("home folder unknown", "set MIDWIRE_HOME")}.run(t, w)
	}
}
