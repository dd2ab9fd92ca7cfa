package rules

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var toolFailed = rule("tool-failed", diagnose.Results|diagnose.Finish, func(c *diagnose.Case) {
	s := diagnose.State[toolOutcomes](c)
	if c.N == 0 {
		s.report(c)
	} else if c.Call != nil && c.Call.Dir == wire.ToServer && c.Call.Method == mcp.ToolsCall && resultType(c) != "input_required" {
		s.take(c)
	}
})

// toolOutcomes is what came of the calls of a session, by tool, and by what was said of
// those that failed.
type toolOutcomes struct {
	calls, served int
	tools         map[string]*toolOutcome
	groups        []*toolFailure
}

type toolOutcome struct {
	calls, served, failures int
	latest                  *toolFailure // of the calls since the last that was served
	row                     int          // how many of them ended with that
	differ                  *contrast
}

// toolFailure is what several calls say in the same words.
type toolFailure struct {
	shape    string
	tools    []string
	failures int
	frames   []uint64 // of the first ones, the result and its call
	what     string   // how it says so
	heard    string   // what the server said on standard error during the first call
	said     string
	sent     string // what is remarkable about the arguments
	client   bool   // and that may be the reason
	asks     bool   // for a path or a URL: what it says may be what is there
	lacks    bool   // what the tool's schema requires is not there at all
	token    bool   // the call had a token, which what the server calls refused
}

const maxTools, maxToolFailures = 256, 64

func (s *toolOutcomes) take(c *diagnose.Case) {
	o := s.tools[c.Call.Target]
	if o == nil {
		if len(s.tools) >= maxTools {
			return
		}
		o = &toolOutcome{differ: contrastOf(c)}
		made(&s.tools)[c.Call.Target] = o
	}
	said := c.ContentStart() // of a result that is good that is enough
	what := failedAs(c, said)
	if what != "" {
		said = c.ContentText()
	}
	s.calls, o.calls = s.calls+1, o.calls+1
	if what == "" {
		o.differ.add(c, callWorked)
		o.latest, o.row = nil, 0
		s.served, o.served = s.served+1, o.served+1
		return
	}
	o.differ.add(c, callFailed)
	o.failures++
	g := s.group(c, said, what)
	if g != o.latest {
		o.latest, o.row = g, 0
	}
	o.row++
}

// group is that of a failed call, nil when there are too many.
func (s *toolOutcomes) group(c *diagnose.Case, said, what string) *toolFailure {
	shape := what + diagnose.Shape(strings.ReplaceAll(said, c.Call.Target, ""))
	i := slices.IndexFunc(s.groups, func(g *toolFailure) bool { return g.shape == shape })
	if i < 0 && len(s.groups) >= maxToolFailures {
		return nil
	}
	if i < 0 {
		g := &toolFailure{shape: shape, what: what, said: words.Line(said, 1200)}
		g.sent, g.client = remarkable(c, said)
		g.asks = bytes.ContainsAny(c.Call.Args, `/\`)
		g.token = !overStdio(c) && c.Exchange != nil && c.Exchange.Header("Authorization") != "" &&
			sdkwords.Program(said).Means(sdkwords.TokenInvalid)
		if overStdio(c) {
			g.heard = hear(c).since(c.Call.N)
		}
		if needs := requiredOf(c); needs != "" && sentNothing(c) {
			g.sent, g.lacks = g.sent+", and the inputSchema requires "+needs, true
		}
		i, s.groups = len(s.groups), append(s.groups, g)
	}
	g := s.groups[i]
	if g.failures++; len(g.frames) < diagnose.MaxFrames {
		g.frames = append(g.frames, c.N, c.Call.N)
	}
	if !slices.Contains(g.tools, c.Call.Target) && len(g.tools) < maxTools {
		g.tools = append(g.tools, c.Call.Target)
	}
	return g
}

// failedAs says how a result says that the tool failed, "" when it does not.
func failedAs(c *diagnose.Case, said string) string {
	switch {
	case string(c.Result("isError")) == "true":
		return "with isError"
	case soundsFailed(said):
		return "without isError, as a text"
	}
	return ""
}

// failedLetters are those that a failure begins with, in lower case.
const failedLetters = "aceftimuhr{"

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// soundsFailed says whether a text begins as errors do.
func soundsFailed(said string) bool {
	if said == "" || isLetter(said[0]) && strings.IndexByte(failedLetters, said[0]|0x20) < 0 {
		return namesError(said)
	}
	if strings.HasPrefix(said, "❌") {
		return true
	}
	s := strings.TrimLeft(said[:min(len(said), 200)], " \n\t⚠️*#")
	for _, begin := range [...]string{
		"error", "exception", "traceback (most recent", "failed to", "unable to", "could not", "mcp error", "internal error", "fatal", "unauthorized", "forbidden", "access denied",
		"request failed with status", "http error",
		`{"error"`, `{ "error"`, "{\n  \"error\"", `{"success":false`, `{"success": false`, `{"status":"error"`, `{"status": "error"`, `{"ok":false`,
		`{"status":40`, `{"status":42`, `{"status":50`,
	} {
		if words.HasPrefix(s, begin) {
			return true
		}
	}
	return namesError(said)
}

// sentNothing says whether the call in hand has no arguments.
func sentNothing(c *diagnose.Case) bool {
	args := wire.Get(c.Call.Params, "arguments")
	return len(args) == 0 || string(args) == "null"
}

// inside says whether a text that refuses a path names a folder as allowed that the path lies in.
func inside(said string) bool {
	_, path, _ := strings.Cut(said, "outside allowed directories: ")
	path, folder, _ := strings.Cut(path, " not in ")
	folder = strings.TrimRight(strings.TrimSpace(folder), `/\`)
	return folder != "" && words.HasPrefix(path, folder) && strings.IndexAny(path[len(folder):], `/\`) == 0
}

// requiredOf lists what the inputSchema of the tool in hand requires, "" for nothing.
func requiredOf(c *diagnose.Case) string {
	t := c.Facts.Tools[c.Call.Target]
	if t == nil {
		return ""
	}
	required := diagnose.Memory[validators](c).required(t)
	var names []string
	for _, name := range required[:min(len(required), 4)] {
		names = append(names, quote(name))
	}
	return strings.Join(names, ", ")
}

// remarkable says what is unusual in the arguments of the call in hand, and whether that
// may be why it failed.
func remarkable(c *diagnose.Case, said string) (sent string, client bool) {
	args := wire.Get(c.Call.Params, "arguments")
	if sentNothing(c) {
		return "The call had no arguments at all", true
	}
	var nulls, empty []string
	wire.Each(args, func(name, value []byte) bool {
		switch string(bytes.TrimSpace(value)) {
		case "null":
			nulls = append(nulls, quote(string(name)))
		case `""`, "{}":
			empty = append(empty, quote(string(name)))
		}
		return len(nulls)+len(empty) < 8
	})
	switch {
	case len(nulls) > 0:
		return "Sent as null, instead of left out: " + strings.Join(nulls, ", "), true
	case len(empty) > 0:
		return "Sent empty: " + strings.Join(empty, ", "), true
	}
	if name := notInSchema(c, args, said); name != "" {
		return extraArgument + quote(name), true
	}
	if name := missing(said); name != "" && !bytes.Contains(c.Call.Params, []byte(name)) {
		return "The call has no " + quote(name), true
	}
	return "", false
}

const extraArgument = "The failure names an argument that the client sent and the inputSchema does not have: "

// notInSchema is an argument of the call in hand that a text speaks of, and that the
// inputSchema of the tool does not have; "" for none.
func notInSchema(c *diagnose.Case, args []byte, said string) string {
	t := c.Facts.Tools[c.Call.Target]
	if t == nil {
		return ""
	}
	return diagnose.Memory[validators](c).unlisted(t, args, func(name string) bool {
		return len(name) > 3 && words.Contains(said, name)
	})
}

// missing is the name of what a text says is missing, "" for none: a name has a _ in it.
func missing(said string) string {
	if !lacks(words.Fold(said)) {
		return ""
	}
	apart := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for name := range strings.FieldsFuncSeq(said, apart) {
		if inner := strings.Trim(name, "_"); strings.Contains(inner, "_") && strings.ContainsAny(inner, "abcdefghijklmnopqrstuvwxyz") {
			return name
		}
	}
	return ""
}

// report says of which failures it is known that they are no single ones.
func (s *toolOutcomes) report(c *diagnose.Case) {
	most := 4
	for _, g := range s.groups {
		if f := s.judge(g); f != nil && most > 0 {
			most--
			c.ReportAs(g.shape, *f)
		}
	}
}

// judge is what is to be said of calls that failed in the same way, nil for nothing.
func (s *toolOutcomes) judge(g *toolFailure) *diagnose.Finding {
	says := g.said
	a, known := adviceOn(says)
	if wrong, _ := reasonNamed("compares folders wrongly"); inside(says) {
		a, known = wrong.advice, true
	}
	if b, tells := adviceOn(g.heard); tells && !known {
		a, known, says = b, true, g.heard
	}
	never, row := 0, 0 // tools of which no call was served, and how often one failed like this in the end
	for _, name := range g.tools {
		o := s.tools[name]
		if o.served == 0 {
			never++
		}
		if o.latest == g {
			row = max(row, o.row)
		}
	}
	all := g.failures == s.calls
	broken := known && isBroken(says)
	logged := namesError(g.heard)
	plain := !known && !g.client && !logged && g.what == "with isError" // that is what isError is for
	f := &diagnose.Finding{Frames: g.frames, Cause: a.cause, Remedies: a.fix, Side: a.side}
	f.Spoils = all && known && s.served == 0 && !g.asks
	switch differs := s.differs(g); {
	case all && strings.HasPrefix(g.sent, extraArgument),
		g.failures > 1 && (all || never > 0 && (broken && s.served == 0 || g.failures > 2) || row > 2):
		f.Severity = diagnose.Warning
	case never > 0 && (s.served == 0 && (!plain || g.failures > 1)):
	case broken && g.failures > 1 && differs != "":
	case never > 0 && known && row > 0:
	default:
		return nil
	}
	f.Message = s.begin(g) + s.differs(g)
	if says != g.said || !known && logged {
		f.Message += " On standard error the server said meanwhile " + quoteLong(g.heard) + "."
	}
	if g.sent != "" {
		f.Message += " " + g.sent + "."
	}
	if g.lacks {
		f.Side, f.Cause = diagnose.Client, "What the tool requires was lost before the client sent the call: a model that leaves it out, a layer that drops arguments or has another name for them. The tool fails at what is not there."
		f.Remedies = fixes(inClient("send the arguments that the inputSchema requires, and check them before a call is sent."), inServer("check arguments first, and say what is missing."))
		return f
	}
	if g.token {
		advise(f, "token refused behind the server")
	}
	if g.client && (!known || a.side == diagnose.Unclear || g.what == "with isError" && !broken) {
		f.Side = diagnose.Client
	}
	return f
}

func (s *toolOutcomes) begin(g *toolFailure) string {
	got := " got a result " + g.what + " (" + frame(g.frames[0]) + ")"
	if g.said != "" {
		got += ": " + quoteLong(g.said)
	}
	how := " failed: the first (" + frame(g.frames[1]) + ")" + got
	n, name := g.failures, g.tools[0]
	if g == s.groups[0] && len(g.tools) == 1 {
		n = s.tools[name].failures // in whatever words
	}
	many := words.CountOf(n, "call", "calls")
	switch {
	case g.failures == s.calls && len(g.tools) > 1:
		return "Every call, " + many + " of " + words.CountOf(len(g.tools), "tool", "tools") + "," + how + "."
	case len(g.tools) > 1:
		return many + " of " + words.CountOf(len(g.tools), "tool", "tools") + how + "."
	case n == 1 && s.tools[name].calls == 1:
		return "The only call of the tool " + quote(name) + " (" + frame(g.frames[1]) + ") failed: it" + got + "."
	case n == s.tools[name].calls:
		return "Every call of the tool " + quote(name) + ", " + many + "," + how + "."
	default:
		return number(n) + " of " + words.CountOf(s.tools[name].calls, "call", "calls") + " of the tool " + quote(name) + how + "."
	}
}

// differs says what sets the calls apart that failed, "" when nothing does.
func (s *toolOutcomes) differs(g *toolFailure) string {
	if o := s.tools[g.tools[0]]; len(g.tools) == 1 && o.failures == g.failures {
		return o.differ.of(callFailed)
	}
	return ""
}
