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
	case id == "module-missing" && !s.packaged():
		f.Side, f.Cause = diagnose.Environment, "The interpreter that the client starts does not have the module: the module is not installed, or is installed for another interpreter."
		f.Remedies = fixes(diagnose.Remedy{Side: diagnose.Environment, Text: "Install the module for the interpreter that the client starts, or start the interpreter of the project's own environment by its absolute path."})
	case names == "":
	case id == "setting-missing":
		f.Remedies = fixes(inClient("in its configuration, add " + names +
			" to the env of this server. A client passes on only what its configuration names, not all variables of the shell."))
	case id == "argument-missing":
		to := " to the arguments of this server."
		if variableName().MatchString(names) {
			to = " to the arguments or the env of this server."
		}
		f.Remedies = fixes(inClient("in its configuration, add " + names + to))
	}
	c.ReportAs("", f)
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
	{"module-missing", holdsModule},
	{"command-wrong", holdsCommand},
	{"certificate-untrusted", holdsCertificate},
	{"argument-missing", holdsArgument},
	{"setting-missing", holdsSetting},
}

// start is what a process said that ended before it served anything.
type start struct {
	lines  []string // the telling line and the two behind it
	frames []uint64
	all    string // the last line too
	argv   []string
	end    exit
}

// startOf is that of the process that ends in hand; nil where it is another end, or served something.
func startOf(c *diagnose.Case) *start {
	end, over := exitOf(c)
	if !over || c.Session == nil || end.asked() || c.Session.Probe {
		return nil
	}
	a := c.Operations().Of(c.Session.Index)
	if a == nil || a.LastServed != nil || a.Closed.ByClient() || len(a.Stderr.First) == 0 {
		return nil
	}
	s := &start{end: end, argv: hear(c).argv}
	for _, line := range a.Stderr.First {
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
	return "", ""
}

func says(line string, one ...sdkwords.Meaning) bool { return sdkwords.Program(line).Means(one...) }

var (
	variableName = words.Pattern(`\$?\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\$[A-Z]{3,}`)
	wantsRuntime = words.Pattern(`(?i)\b(requires?|needs?|supports?( only)?|must be|minimum|at least|expected)\b.{0,40}\b(node(\.?js)?|python|java|jdk|ruby|deno|bun|\.net)\b.{0,20}\d|` +
		`\b(node(\.?js)?|python|java|jdk|ruby)\b.{0,30}\b(is required|or (newer|later|higher|above)|is not supported|>= ?\d)|EBADENGINE|engine "node" is incompatible`)
	flagOrVariable = words.Pattern(`--[a-zA-Z][\w-]*|\$?\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)
	nodeVersion    = words.Pattern(`Node\.js v(\d+)\.`)
	lacksModule    = words.Pattern(`Cannot find (module|package) '|ERR_MODULE_NOT_FOUND|ModuleNotFoundError: No module named|ImportError: cannot import name|No solution found when resolving`)
	lacksArgument  = words.Pattern(`(?i)\b(required|missing) (option|flag|argument|positional|parameter)|arguments? (are|is) required|option .{1,40} (is )?required|` +
		`requires an? (argument|value)|--[a-z][\w-]* .{0,30}\b(required|missing|not (set|specified|provided|given)|must be)|(required|missing|specify|provide|must|use)\b.{0,30} --[a-z]|^usage:|unknown (option|flag|argument)|unrecognized arguments`)
	lacksWords = words.Pattern(`(?i)\b(required|missing|not (set|provided|defined|configured|specified|given)|undefined|unset|must (be )?(set|provide[d]?|specif(y|ied))|` +
		`please (set|provide|configure|specify|run|log ?in)|nor [A-Z_]+ is set|run .{1,30} first|cannot be empty|is empty)\b|could not (find|load) .{0,20}credentials|\bset [A-Z][A-Z0-9]*_[A-Z0-9_]+`)
	nothingNamed = words.Pattern(`(?i)credentials (were |was )?not found|no .{0,20}(credentials|api key|token|config(uration)? file) (was |were )?(found|provided|set)`)
	settingNames = words.Pattern(`[A-Z][A-Z0-9]*_[A-Z0-9_]+|\$[A-Z][A-Z0-9_]{2,}|(?i)\b(api[ _-]?key|token|credentials?|secret|password|environment variable|env var|config(uration)?|client ?id|app ?id|account|connection string|database url|login|auth(entication)?)\b`)
	otherThings  = words.Pattern(`(?i)\bmodule\b|GLIBC|shared librar|\.so\b|TypeError|ReferenceError|SyntaxError|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|getaddrinfo|fetch failed|timed out|not valid JSON`)
)

// holdsRuntime reports whether a line says that the runtime is too old, or not that of a native
// module.
func holdsRuntime(line string, s *start) bool {
	switch {
	case strings.Contains(line, "npm v"), strings.Contains(line, "GLIBC"): // the package manager's own, the C library's
		return false
	case wantsRuntime().MatchString(line):
		return true
	case says(line, sdkwords.RuntimeUnfit):
		return strings.Contains(line, "was compiled against") || strings.Contains(line, "DLOPEN") || s.oldNode()
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

func holdsModule(line string, _ *start) bool {
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
	if otherThings().MatchString(line) {
		return false
	}
	return nothingNamed().MatchString(line) || lacksWords().MatchString(line) && settingNames().MatchString(line)
}
