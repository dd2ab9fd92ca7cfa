package operation

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words"
)

// Line is one of a process.
type Line struct {
	N    uint64
	T    int64
	Text string // the beginning
}

const (
	maxLine     = 600      // bytes of one
	maxSearched = 32 << 20 // bytes of stderr that are searched for trouble
)

// Stderr is what a process wrote to its standard error.
type Stderr struct {
	Lines, Bytes int
	First        []Line // the first that tells of trouble, and the two behind it
	Again        int    // how often that line came once more
	Head         []Line // the first two at all
	Last         Line
	weight       int
}

// take notes a line.
func (s *Stderr) take(e *session.Event) {
	text := strings.TrimRight(string(words.Clip(e.Data, maxLine)), " \r\t")
	s.Lines, s.Bytes = s.Lines+1, s.Bytes+len(e.Data)+1
	if strings.TrimSpace(text) == "" {
		return
	}
	line := Line{e.N, e.T, text}
	if s.Last = line; len(s.Head) < 2 {
		s.Head = append(s.Head, line)
	}
	w := 0
	if s.weight < saysCause && s.Bytes <= maxSearched { // no line tells of more
		w = Trouble(text)
	}
	switch {
	case w > s.weight:
		s.First, s.weight, s.Again = append(s.First[:0], line), w, 0
	case len(s.First) > 0 && len(s.First) < maxTelling && s.follows(line):
		s.First = append(s.First, line)
	case len(s.First) > 0 && text == s.First[0].Text:
		s.Again++
	case len(s.First) > 0 && s.details(line):
	}
}

// maxTelling bounds the lines that are kept of a trouble: the one that tells, and two behind it.
const maxTelling = 3

// follows reports whether a line belongs to the trouble that the first announces: it stands close
// behind it, or is a message in what the first opens.
func (s *Stderr) follows(line Line) bool {
	first := strings.TrimSpace(s.First[0].Text)
	if opens := strings.HasSuffix(first, "[") || strings.HasSuffix(first, "{"); opens {
		at := strings.TrimLeft(line.Text, " \t'\"")
		return line.N-s.First[0].N <= 24 && words.HasPrefix(at, "message")
	}
	return line.N-s.First[0].N <= 4
}

// details puts what Node.js prints of an error below its stack in the place of the last line of that.
func (s *Stderr) details(line Line) bool {
	text := strings.TrimSpace(line.Text)
	is := strings.HasPrefix(text, "code: ") || strings.HasPrefix(text, "input: ")
	if !is || len(s.First) < maxTelling || line.N-s.First[0].N > 24 {
		return false
	}
	last := &s.First[maxTelling-1]
	if was := strings.TrimSpace(last.Text); strings.HasPrefix(was, "code: ") {
		text = words.Clip(was+" "+text, maxLine)
	} else if !strings.HasPrefix(was, "at ") {
		return false
	}
	*last = Line{line.N, line.T, text}
	return true
}

// Telling is the first line that tells of trouble, or else the last of all.
func (s *Stderr) Telling() Line {
	switch {
	case len(s.First) > 0:
		return s.First[0]
	case len(s.Head) > 0 && (strings.HasPrefix(s.Last.Text, "Docs: ") || strings.HasPrefix(s.Last.Text, "Node.js v")):
		return s.Head[0]
	}
	return s.Last
}

// The weights of lines that tell of trouble.
const (
	saysAside   = 1 + iota // what is missing, in a line that claims to be no trouble
	saysMissing            // what is required, missing or not found
	saysError              // it begins with an error
	saysCause              // it is the cause of one, as Node.js writes it
)

// missingWords are how a line says what it lacks.
var missingWords = []string{
	"required", "missing", "not found", "not set", "not defined", "not provided", "must be set", "must provide", "cannot ",
	"can't ", "could not", "unable to", "failed", "failure", "denied", "refused", "no such", "invalid", "unknown",
	"not recognized", "unsupported", "unexpected", "error", "panic", "please set", "please provide", "not permitted", "unauthorized",
	"expired", "exiting", "not a valid", "no module", "no solution found", "usage:", "please ", "provide an", "provide the", "not specified", "not configured",
	"not running", "no command", "not installed", "not supported", "requires ",
}

// Trouble says how much a line of a process tells of trouble: 0 for nothing.
func Trouble(line string) int {
	s := strings.TrimLeftFunc(line, func(r rune) bool { return r >= 0x2000 || strings.ContainsRune(" \t|+×[({<*-", r) })
	switch {
	case isFrame(s), strings.HasPrefix(s, "Node.js v"), isFlag(line), strings.HasPrefix(s, "Docs: "):
		return 0
	case strings.HasPrefix(line, "{") && wire.Valid([]byte(line)):
		return ofLevel([]byte(line))
	case warns(s):
		if words.HasPrefix(s, "debug") && lacks(s) {
			return saysAside
		}
		return 0
	case strings.HasPrefix(s, "cause]: "):
		return saysCause
	case beginsError(s):
		return saysError
	case lacks(s):
		return saysMissing
	}
	return 0
}

func lacks(s string) bool {
	return slices.ContainsFunc(missingWords, func(w string) bool { return words.Contains(s, w) })
}

// ofLevel is the weight of a log record in JSON, which says itself how bad it is: pino in numbers,
// others in words.
func ofLevel(record []byte) int {
	for _, name := range [...]string{"level", "severity", "lvl", "levelname", "log.level"} {
		value := wire.Get(record, name)
		if n, ok := wire.Int(value); ok && n >= 50 {
			return saysError
		}
		switch words.Fold(wire.Said(value)) {
		case "error", "err", "fatal", "critical", "panic", "dpanic", "emergency", "alert":
			return saysError
		}
		if value != nil {
			return 0
		}
	}
	if wire.Get(record, "error") != nil {
		return saysError
	}
	return 0
}

// isFrame reports whether a line only says where in a program something happened.
func isFrame(s string) bool {
	for _, begin := range [...]string{
		"at ", "File \"", "node:", "Error.", "throw ", "^", "Traceback (most recent", "Exception Group Traceback", "raise ", "from ",
		"goroutine ", "code: ", "errno: ", "syscall: ", "address: ", "port: ", "}", "note: ", "stack backtrace", "npm error A complete log",
		"npm ERR! A complete log", "...", "During handling of", "The above exception",
	} {
		if strings.HasPrefix(s, begin) {
			return true
		}
	}
	if rest, ok := strings.CutPrefix(strings.Replace(s, "npm ERR!", "npm error", 1), "npm error "); ok {
		for _, begin := range [...]string{"code ", "syscall ", "path ", "errno ", "dest ", "command ", "signal "} {
			if strings.HasPrefix(rest, begin) {
				return true
			}
		}
	}
	return false
}

// warns reports whether a line is a warning or a notice.
func warns(s string) bool {
	for _, begin := range [...]string{"warn", "npm warn", "npm notice", "(node:", "deprecat", "info", "debug", "trace", "notice", "(use `node"} {
		if words.HasPrefix(s, begin) {
			return true
		}
	}
	return words.Contains(words.Clip(s, 120), "warning:") || words.Contains(words.Clip(s, 60), " warn ") ||
		words.Contains(words.Clip(s, 60), " info ") || words.Contains(words.Clip(s, 60), "[info]")
}

// isFlag reports whether a line describes a flag, or an example of a usage text.
func isFlag(line string) bool {
	s := strings.TrimLeft(line, " \t")
	return len(s) < len(line) && strings.HasPrefix(s, "-")
}

// beginsError reports whether a line begins as errors do, perhaps behind a time or a level.
func beginsError(s string) bool {
	for _, begin := range [...]string{
		"error", "fatal", "uncaught", "unhandled", "panic:", "exception", "critical", "npm error", "npm ERR!", "failed to", "failed:",
	} {
		if words.HasPrefix(s, begin) && !strings.HasPrefix(s, "errors") {
			return true
		}
	}
	name, _, found := strings.Cut(s, ":")
	if found && !strings.ContainsAny(name, " \t") && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) {
		return true
	}
	head := words.Clip(s, 100)
	for _, level := range [...]string{
		"[error]", "[fatal]", `"level":"error"`, `"level":"fatal"`, "level=error", "level=fatal", " error:", " fatal:", " error ", " fatal ",
	} {
		if words.Contains(head, level) {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// shape is a text without what differs from one time to the next: words with a digit in them,
// and the name of what was called.
func shape(text, target string) string {
	if target != "" {
		text = strings.ReplaceAll(text, target, "")
	}
	apart := func(r rune) bool {
		return r < 128 && strings.IndexByte("-_.:0123456789", byte(r)) < 0 && (r < 'a' || r > 'z')
	}
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(words.Fold(text), apart) {
		if strings.ContainsAny(word, "0123456789") {
			word = "0"
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}

// Exit is how a process ended.
type Exit struct {
	N      uint64
	T      int64
	Code   int64
	Signal string // "" for none
	Lost   bool   // the tap ended it
	Failed string // why it did not start, "" where it did
	Alive  int64  // since its start
}

// Asked reports whether a signal asked the process to end. One that minds the signal ends with the
// code a shell would give it: 128 and the number.
func (e *Exit) Asked() bool {
	switch e.Signal {
	case "SIGTERM", "SIGKILL", "SIGINT", "SIGHUP":
		return true
	}
	return e.Lost || e.Code == 129 || e.Code == 130 || e.Code == 137 || e.Code == 143
}

// ByClient reports whether the client closed the server's input before the server closed anything.
func (c *Closed) ByClient() bool {
	return c.Stdin != 0 && c.By == wire.ByClient && (c.Stdout == 0 || c.Stdin < c.Stdout)
}

// Closed is which pipe was closed first.
type Closed struct {
	Stdin, Stdout   uint64 // frames, 0 for not
	StdinT, StdoutT int64
	By              string // of stdin: wire.ByClient and so on
	Signal          uint64 // the client sent one
}

// process takes an event of a process.
func (b *Book) process(a *Account, e *session.Event) {
	switch e.Frame.Kind {
	case wire.KindStart:
		b.began, b.Program, b.Command = e.T, program(wire.Get(e.Data, "command")), nil
		wire.Items(wire.Get(e.Data, "command"), func(i int, arg []byte) bool {
			b.Command = append(b.Command, words.Clip(wire.Said(arg), maxLine))
			return i+1 < maxArgv
		})
		if bad := wire.Said(wire.Get(e.Data, "error")); bad != "" {
			a.Exit = &Exit{N: e.N, T: e.T, Failed: words.Clip(bad, maxLine)}
		}
	case wire.KindSignal:
		a.Closed.Signal = e.N
	case wire.KindClose:
		if e.Dir == wire.ToServer {
			a.Closed.Stdin, a.Closed.StdinT, a.Closed.By = e.N, e.T, wire.Said(wire.Get(e.Data, "by"))
		} else {
			a.Closed.Stdout, a.Closed.StdoutT = e.N, e.T
		}
	case wire.KindExit:
		code, _ := wire.Int(wire.Get(e.Data, "code"))
		a.Exit = &Exit{
			N: e.N, T: e.T, Code: code, Signal: words.Clip(wire.Said(wire.Get(e.Data, "signal")), 32),
			Lost: string(wire.Get(e.Data, "lost")) == "true", Alive: e.T - b.began,
		}
	}
}

// starters run, fetch or build what their arguments name: interpreters the server's own file, launchers
// a server that they are not.
var (
	interpreters = strings.Fields("node deno bun python python3 ruby java php")
	launchers    = strings.Fields("npx npm pnpm pnpx yarn bunx uv uvx pipx dotnet go cargo gradle gradlew mvn make " +
		"sh bash zsh cmd env wsl powershell pwsh docker podman")
	starters = slices.Concat(interpreters, launchers)
)

const maxArgv = 32

// baseName is a command without its folder and .exe, in lower case.
func baseName(arg string) string {
	name, _, _ := strings.Cut(words.Fold(arg[strings.LastIndexAny(arg, `/\`)+1:]), ".")
	return name
}

// IsLauncher reports whether a command fetches, builds or starts a server that it is not itself, as
// an interpreter of the server's own file is.
func IsLauncher(command string) bool { return slices.Contains(launchers, baseName(command)) }

// program names what a command starts: its script or package, or else the command itself.
func program(command []byte) (name string) {
	starter := false
	wire.Items(command, func(i int, raw []byte) bool {
		arg := wire.Said(raw)
		base := arg
		if !strings.HasPrefix(arg, "@") {
			base = arg[strings.LastIndexAny(arg, `/\`)+1:]
		}
		word, _, _ := strings.Cut(words.Fold(base), ".exe")
		switch {
		case i == 0:
			name = base
			starter = slices.Contains(starters, word)
			return starter
		case strings.HasPrefix(arg, "-"), strings.ContainsAny(arg, " ="),
			slices.Contains(starters, word), slices.Contains([]string{"run", "exec", "/c"}, arg):
			return i < 8
		}
		name = base
		return false
	})
	return words.Clip(strings.Join(strings.Fields(name), " "), 40)
}

// Telling is what a session's process said that tells most: the first line of trouble on stderr,
// with those behind it that continue it.
func (a *Account) Telling() string {
	var said strings.Builder
	said.WriteString(strings.TrimSpace(a.Stderr.Telling().Text))
	for i := 1; i < len(a.Stderr.First); i++ {
		if next := strings.TrimSpace(a.Stderr.First[i].Text); !isFrame(next) && !strings.HasPrefix(next, "Node.js v") {
			said.WriteString(" " + next)
		}
	}
	return said.String()
}
