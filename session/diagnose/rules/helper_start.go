package rules

import (
	"slices"
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/words"
)

// lacksAtStart reports what the words of a start hold, where the rule in hand is that cause: a
// process ended before it served anything, and said what it lacks.
func lacksAtStart(c *diagnose.Case) {
	s := startOf(c)
	if s == nil {
		return
	}
	id, line := s.rule()
	if id != c.Rule().ID {
		return
	}
	f := diagnose.Finding{Message: c.Exited().Line + ".", Frames: append([]uint64{c.N}, s.frames...)}
	a, known := adviceOn(line)
	if known && (a.side == diagnose.Unclear || a.side == c.Rule().Side) && len(a.fix) > 0 {
		if f.Cause = a.cause; a.side != diagnose.Unclear {
			f.Remedies = a.fix
		}
	}
	switch names := lacking(id, line); {
	case s.printed && id == "command-wrong":
		f.Message = "The server exited with 0 before it responded to anything. It printed " + words.CountOf(s.noises, "line", "lines") + " of text, as a CLI prints its help or a greeting: " + quote(line) + "."
		f.Cause = "What the command starts is no MCP server, or not without another argument; or a build tool stands in between, which prints to stdout and passes no input on."
		f.Remedies = fixes(inClient("in its configuration, name the program of the package that is the server, or add the argument that starts it, such as mcp, serve or stdio. Start what was built directly, not by way of a build tool."))
	case id == "module-missing" && holdsNative(line):
		f.Side, f.Cause = diagnose.Environment, "A native part of the server is missing here: it was not built or downloaded when the package was installed, or was built for another version of the runtime or another system."
		f.Remedies = fixes(diagnose.Remedy{Side: diagnose.Environment, Text: "Install the server again with the runtime that the client starts, with install scripts and optional dependencies (npm rebuild; without --ignore-scripts and --omit=optional)."})
	case id == "module-missing" && !s.packaged():
		f.Side, f.Cause = diagnose.Environment, "The interpreter that the client starts does not have the module: the module is not installed, or is installed for another interpreter."
		f.Remedies = fixes(diagnose.Remedy{Side: diagnose.Environment, Text: "Install the module for the interpreter that the client starts, or start the interpreter of the project's own environment by its absolute path."})
	case names == "":
	case id == "setting-missing":
		f.Remedies = addSetting(names)
	case id == "argument-missing":
		to := " to the arguments of this server."
		if variableName().MatchString(names) {
			to = " to the arguments or the env of this server."
		}
		f.Remedies = fixes(inClient("in its configuration, add " + names + to))
	}
	c.ReportAs("", f)
}

func addSetting(names string) []diagnose.Remedy {
	return fixes(inClient("in its configuration, add " + names +
		" to the env of this server. A client passes on only what its configuration names, not all variables of the shell."))
}

// lacking lists what a line names as missing: variables, or flags.
func lacking(id, line string) string {
	pattern, most := variableName(), 6
	if id == "argument-missing" {
		if pattern = flagOrVariable(); !lacksWords().MatchString(line) {
			return ""
		}
	}
	var names []string
	for _, name := range pattern.FindAllString(line, most) {
		if name = strings.TrimPrefix(name, "$"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if strings.Contains(line, " or ") {
		return strings.Join(names, " or ")
	}
	return strings.Join(names, " and ")
}

// packaged reports whether the program comes from a package, and is no script of the user's.
func (s *start) packaged() bool {
	in := func(text string) bool {
		return words.Holds(text, "node_modules", "site-packages", "dist-packages", "_npx")
	}
	return in(s.all) || strings.Contains(s.all, "No solution found") || slices.ContainsFunc(s.argv, func(arg string) bool {
		base, _, _ := strings.Cut(words.Fold(arg[strings.LastIndexAny(arg, `/\`)+1:]), ".")
		return in(arg) || slices.Contains([]string{"npx", "uvx", "pipx", "bunx", "docker", "podman"}, base)
	})
}

// starts are the causes that the words of a start hold; the first that holds one counts.
var starts = []struct {
	id    string
	holds func(line string, s *start) bool
}{
	{"runtime-too-old", holdsRuntime},
	{"module-missing", func(line string, _ *start) bool { return holdsNative(line) || holdsModule(line) }},
	{"command-wrong", holdsCommand},
	{"certificate-untrusted", holdsCertificate},
	{"argument-missing", holdsArgument},
	{"setting-missing", holdsSetting},
	{"service-unreachable", holdsService},
}

// start is what a process said that ended before it served anything.
type start struct {
	lines  []string // the telling line and the two behind it
	frames []uint64
	all    string // the last line too
	argv   []string
	end    exit
	// printed says that it said so on stdout, in so many lines.
	printed bool
	noises  int
}

// startOf is that of the process that ends in hand; nil where it is another end, or served something.
func startOf(c *diagnose.Case) *start {
	end, over := exitOf(c)
	if !over || c.Session == nil || end.asked() || c.Session.Probe {
		return nil
	}
	a := c.Operations().Of(c.Session.Index)
	// A client that closed stdin ended it; that was no reason to say what it lacks.
	if a == nil || a.LastServed != nil || a.Closed.ByClient() && (end.code == 0 || len(a.Stderr.First) == 0) {
		return nil
	}
	s := &start{end: end, argv: hear(c).argv}
	lines := a.Stderr.First
	switch {
	case len(lines) > 0:
	case a.Stderr.Lines > 0:
		lines = append(slices.Clone(a.Stderr.Head), a.Stderr.Last)
	default:
		lines, s.printed, s.noises = a.Noise, true, a.Noises
	}
	for _, line := range lines {
		s.lines = append(s.lines, strings.TrimSpace(line.Text))
		s.frames = append(s.frames, line.N)
	}
	s.all = strings.Join(append(slices.Clone(s.lines), a.Stderr.Last.Text), "\n")
	return s
}

// rule is the first cause that holds, of the first line that holds one, and that line; "" for none.
func (s *start) rule() (id, line string) {
	for _, line := range s.lines {
		for _, one := range starts {
			if one.holds(line, s) {
				return one.id, line
			}
		}
	}
	if s.printed && s.end.code == 0 && s.noises >= 4 { // a launcher prints less
		return "command-wrong", s.lines[0]
	}
	return "", ""
}

func says(line string, one ...sdkwords.Meaning) bool { return sdkwords.Program(line).Means(one...) }

var (
	variableName = words.Pattern(`\$?\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\$[A-Z]{3,}`)
	wantsRuntime = words.Pattern(`(?i)\b(requires?|needs?|supports?( only)?|must be|minimum|at least|expected|running|upgrade to)\b.{0,40}\b(node(\.?js)?|python|java|jdk|ruby|deno|bun|\.net)\b.{0,20}\d|` +
		`\b(node(\.?js)?|python|java|jdk|ruby)\b.{0,30}\b(is required|or (newer|later|higher|above)|is not supported|>= ?\d)|EBADENGINE|engine "node" is incompatible|UNSUPPORTED_NODE`)
	flagOrVariable = words.Pattern(`--[a-zA-Z][\w-]*|\$?\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)
	nodeVersion    = words.Pattern(`Node\.js v(\d+)\.`)
	lacksModule    = words.Pattern(`Cannot find (module|package) '|ERR_MODULE_NOT_FOUND|ModuleNotFoundError: No module named|ImportError: cannot import name|No solution found when resolving`)
	lacksNative    = words.Pattern(`(?i)cannot find (module|package) '[^']*(\.node'|@img/|(linux|darwin|win32)[-_]?(x64|arm64|ia32))|could not locate the bindings file|was compiled against a different node|` +
		`ERR_DLOPEN_FAILED|NODE_MODULE_VERSION|cannot find native binding|no native build was found|could not load the "sharp" module|invalid elf header|platform-specific .{0,30}(missing|not found)`)
	lacksArgument = words.Pattern(`(?i)\b(required|missing) (option|flag|argument|positional|parameter)|arguments? (are|is) required|option .{1,40} (is )?required|` +
		`requires an? (argument|value)|--[a-z][\w-]* .{0,30}\b(required|missing|not (set|specified|provided|given)|must be)|(required|missing|specify|provide|must|use)\b.{0,30} --[a-z]|^usage:|` +
		`(unknown|unrecognized|invalid|no such) (sub-?command|command|option|flag|argument)|unrecognized arguments|no (sub-?)?command (registered|found|specified|named)|is not a (valid|known|recognized) (sub-?)?command`)
	lacksWords = words.Pattern(`(?i)\b(required|missing|not (set|provided|defined|configured|specified|given|supplied)|undefined|unset|must (be (set|provided|specified|configured|supplied)|provide|specify|set)|` +
		`(please|you must|you need to) (\w+ )?(set|provide|configure|specify|supply|pass|run|log ?in|place|create|put|add|export|update|edit|fill in)|^(provide|specify|set) (a|an|the|your)\b|no .{1,40} (was |were )?(provided|configured|specified|given|set)\b|` +
		`nor [A-Z_]+ is set|run .{1,40} first|cannot be (empty|blank|null)|is empty|ensure at least one of the following)\b|could not (find|load) .{0,20}credentials|\bset [A-Z][A-Z0-9]*_[A-Z0-9_]+`)
	nothingNamed = words.Pattern(`(?i)\b(credentials|api ?key|token|keys? file|config(uration)?( file)?|login|profile|kubeconfig)\b.{0,30} not found|no (valid )?.{0,30}(credentials|api ?key|token|config(uration)?( file)?|director(y|ies)|profile|accounts?) (was |were )?(found|provided|set|configured)|not (logged in|authenticated)`)
	otherThings  = words.Pattern(`(?i)\b(cannot find|no) module\b|\bmodule not found|GLIBC|shared librar|\.so\b|TypeError|ReferenceError|SyntaxError|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|getaddrinfo|fetch failed|timed out|not valid JSON|` +
		`Cannot read propert|segmentation fault`)
)

// holdsRuntime reports whether a line says that the runtime is too old.
func holdsRuntime(line string, s *start) bool {
	switch {
	case strings.Contains(line, "npm v"), strings.Contains(line, "GLIBC"), holdsNative(line): // not the runtime's own
		return false
	case wantsRuntime().MatchString(line):
		return true
	case says(line, sdkwords.RuntimeUnfit), strings.Contains(s.all, "undici") && strings.Contains(line, "is not a function"):
		return s.oldNode()
	}
	return false
}

// oldNode reports whether the process is of Node.js before 22, as it says itself.
func (s *start) oldNode() bool {
	m := nodeVersion().FindStringSubmatch(s.all)
	if m == nil {
		return false
	}
	major, err := strconv.Atoi(m[1])
	return err == nil && major < 22
}

// holdsNative reports whether a line says that a part that is built for a system is missing or does not fit.
func holdsNative(line string) bool { return lacksNative().MatchString(line) }

// holdsService reports whether a line says that something the server calls cannot be reached.
func holdsService(line string, _ *start) bool {
	return says(line, sdkwords.BackendUnreachable, sdkwords.EngineDown) && !says(line, sdkwords.PortInUse)
}

func holdsModule(line string) bool {
	return lacksModule().MatchString(line) && !says(line, sdkwords.ScriptMissing)
}

// holdsCommand reports whether a line says that what the command names is not there.
func holdsCommand(line string, s *start) bool {
	names := says(line, sdkwords.PathSplit, sdkwords.ProgramUnknown, sdkwords.PackageMissing, sdkwords.ScriptMissing,
		sdkwords.Prompted)
	return names || strings.HasPrefix(line, "Could not open input file") || strings.HasPrefix(line, "env: ") && strings.Contains(line, "No such file") ||
		strings.Contains(line, "is a dummy package") || s.end.code == 127 && strings.Contains(line, "not found") && !s.inside(line)
}

// inside reports whether the program that a line does not find is one that the command's own
// script starts: the configured command is there.
func (s *start) inside(line string) bool {
	before, _, found := strings.Cut(line, ": not found")
	name := strings.TrimSpace(before[strings.LastIndexByte(before, ':')+1:])
	return found && name != "" && strings.Count(before, ":") > 1 && len(s.argv) > 0 &&
		!slices.ContainsFunc(s.argv, func(arg string) bool { return strings.Contains(arg, name) }) &&
		slices.ContainsFunc(s.argv, func(arg string) bool { return strings.HasPrefix(line, arg+":") })
}

func holdsCertificate(line string, _ *start) bool { return says(line, sdkwords.CertificateRefused) }

func holdsArgument(line string, _ *start) bool {
	return lacksArgument().MatchString(line) && !otherThings().MatchString(line)
}

// holdsSetting reports whether a line names what its configuration has to have.
func holdsSetting(line string, _ *start) bool {
	if unexpanded(line) != "" || unset().MatchString(line) {
		return true
	}
	return !otherThings().MatchString(line) && (nothingNamed().MatchString(line) || lacksWords().MatchString(line))
}
