package rules

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
	"midwire/session/words"
)

// advice is what follows from what a program says.
type advice struct {
	cause string
	fix   []diagnose.Remedy
	side  diagnose.Side // Unclear where the words alone do not show it
}

// advised is what the meanings of programs.txt lead to, the most telling meaning first.
var advised = []struct {
	meaning sdkwords.Meaning
	advice
}{
	{sdkwords.PackageMissing, advice{
		"The registry has no package, version or image of this name, or does not give it to this user.",
		fixes(inClient("in its configuration, correct the name and version of the package or image, and log in to its registry where it is private. Run the same command in a shell once, so that it is fetched.")), diagnose.Client,
	}},
	{sdkwords.RuntimeUnfit, advice{
		"The server was made for another version of its interpreter or its libraries, for another operating system or another processor.",
		fixes(inClient("in its configuration, give the interpreter in the version that the server needs by its absolute path, or install the build of the server for this machine. Clients often find an older node, python or java first than a shell does.")), diagnose.Client,
	}},
	{sdkwords.ModuleMissing, advice{
		"A module that the server needs is not installed for the interpreter that runs it.",
		fixes(anyone("Install the server's dependencies in the environment in which the client starts it: the same node_modules or virtual environment, and the same interpreter by its absolute path. Build the server where it has to be built first.")), diagnose.Unclear,
	}},
	{sdkwords.EncodingWrong, advice{
		"The standard streams of the server have the code page of the system, often cp1252 or cp950 on Windows, and a character has no place in it. MCP is UTF-8 always.",
		fixes(inServer("open stdin and stdout as UTF-8 (sys.stdin.reconfigure(encoding=\"utf-8\"))."), inClient("in its configuration, set PYTHONUTF8=1 and PYTHONIOENCODING=utf-8 in the env of the server.")), diagnose.Server,
	}},
	{sdkwords.PortInUse, advice{
		"The server needs a port that another process uses, often an earlier run of itself.",
		fixes(anyone("End the other process, or give the server another port.")), diagnose.Unclear,
	}},
	{sdkwords.NameInUse, advice{
		"A container of this name runs already, often from an earlier run.",
		fixes(inClient("in its configuration, start the container without --name, with --rm; remove the one that is left.")), diagnose.Client,
	}},
	{sdkwords.OutOfMemory, advice{
		"The server ran out of memory.", fixes(inServer("give it more memory, or let it store and return less.")), diagnose.Server,
	}},
	{sdkwords.DiskFull, advice{
		"The disk is full, or the user may not store more.", fixes(anyone("Free space on the machine that runs the server.")), diagnose.Unclear,
	}},
	{sdkwords.CertificateRefused, advice{
		"The server does not trust the certificate of what it calls: a proxy that opens TLS stands between, or the certificate has expired.",
		fixes(inServer("give it the certificate authority of the proxy (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, REQUESTS_CA_BUNDLE in its env), or renew the certificate.")), diagnose.Unclear,
	}},
	{sdkwords.RateLimited, advice{
		"What the server calls takes no more requests from it for now.", fixes(anyone("Wait, ask less often, or use an account with a higher limit.")), diagnose.Unclear,
	}},
	{sdkwords.TokenInvalid, advice{
		"The key or token that the server uses is not valid, or has expired.",
		fixes(inClient("in its configuration, put a valid key or token into the env of this server, without quotes and blanks around it.")), diagnose.Client,
	}},
	{sdkwords.SettingMissing, advice{
		"A setting that the server needs is missing. Clients pass on only part of the environment.",
		fixes(inClient("in its configuration, put the setting into the env of this server.")), diagnose.Unclear,
	}},
	{sdkwords.OutputUnfit, advice{
		"The result of the tool does not fit the outputSchema that was listed for it, or has no structuredContent: the tool does not return what it promises, or a gateway dropped or changed it on the way.",
		fixes(inServer("return structuredContent that fits the outputSchema, or leave the schema out."), inGateway("pass structuredContent on unchanged.")), diagnose.Server,
	}},
	{sdkwords.BadParams, advice{
		"The arguments are not those that the tool expects: one is missing, null, or of another type.",
		fixes(inClient("send what the inputSchema asks for, and leave out what is not given instead of null."), inServer("let the schema say all that the tool demands, and take a call without arguments for an empty object.")), diagnose.Unclear,
	}},
	{sdkwords.BackendUnreachable, advice{
		"What the server itself needs, a service, a database or a program, does not run or cannot be reached from where the server runs.",
		fixes(inServer("start what it connects to, and check the address and port in its settings. Inside a container, localhost is the container.")), diagnose.Server,
	}},
	{sdkwords.Unavailable, advice{
		"What the server calls is not available.", fixes(anyone("Try again later, or look into the state of that service.")), diagnose.Server,
	}},
	{sdkwords.OutsideFolders, advice{
		"The server uses certain folders only, and the path is in none of them.",
		fixes(inClient("use a path below an allowed folder, or add the folder to the server's arguments or to the client's roots.")), diagnose.Client,
	}},
	{sdkwords.NotPermitted, advice{
		"The user that the server runs as has no permission for a file, folder or program, or the file is not executable.",
		fixes(anyone("Make the program executable (chmod +x) and readable for that user, or allow the folder. In a container or sandbox: run as a user who may.")), diagnose.Unclear,
	}},
	{sdkwords.FileMissing, advice{
		"A command or file that the server needs does not exist, or is not in the PATH that the client passes on.",
		fixes(inClient("in its configuration, use absolute paths for the command and for its arguments.")), diagnose.Unclear,
	}},
	{sdkwords.UsageWrong, advice{
		"The program does not take the arguments with which it is started.",
		fixes(inClient("in its configuration, correct the arguments, each word as an entry of its own. Run the same command in a shell to see what it says.")), diagnose.Client,
	}},
	{sdkwords.TimedOut, advice{
		"What the server waited for did not come in time.", fixes(inServer("see what it waits for: its log says more. Raise its limit where the work takes longer.")), diagnose.Unclear,
	}},
	{sdkwords.Defect, advice{
		"The server failed inside, at something that it did not expect: that is a defect of it, whatever it was sent.",
		fixes(inServer("catch the failure that the text names, and say in the error what was expected. Report it to those who make the server, with the request.")), diagnose.Server,
	}},
}

func adviceOn(said string) (advice, bool) {
	found := sdkwords.Program(said)
	for _, a := range advised {
		if found.Means(a.meaning) {
			return a.advice, true
		}
	}
	return advice{}, false
}

// isBroken says whether it is a defect, a lack or a limit at the server or behind it,
// whatever the request was.
func isBroken(said string) bool {
	found := sdkwords.Program(said)
	return len(found.Phrases) > 0 && !found.Means(sdkwords.BadParams, sdkwords.FileMissing, sdkwords.NotPermitted,
		sdkwords.OutsideFolders, sdkwords.UsageWrong, sdkwords.TimedOut, sdkwords.EncodingWrong)
}

// lastWords are the latest lines on stderr. The rules that quote them have one of a session.
type lastWords struct {
	lines [12][]byte
	next  int
	n     uint64 // frame of the latest
}

const maxWords = 600

// say takes a line. What only says where in the program it happened is left out.
func (l *lastWords) say(n uint64, line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || bytes.HasPrefix(line, []byte("at ")) || bytes.HasPrefix(line, []byte(`File "`)) {
		return
	}
	slot := &l.lines[l.next%len(l.lines)]
	*slot = append((*slot)[:0], words.Clip(line, maxWords)...)
	l.next, l.n = l.next+1, n
}

// hear takes an event of a process, once: what was said before it began is of another one.
func hear(c *diagnose.Case) *lastWords {
	l := diagnose.Common[lastWords](c)
	switch {
	case c.N == 0:
	case c.Kind == stderrKind && c.N != l.n:
		l.say(c.N, c.Data)
	case c.Frame != nil && c.Frame.Kind == wire.KindStart:
		*l = lastWords{}
	}
	return l
}

// tail is the line among the latest that says most about a failure: one whose meaning
// is known, one that names an error, else the last.
func (l *lastWords) tail() string {
	last, names, knows := "", "", ""
	for i := l.next - 1; i >= 0 && i >= l.next-len(l.lines); i-- {
		s := string(l.lines[i%len(l.lines)])
		switch _, known := adviceOn(s); {
		case known && (knows == "" || !tells(knows) && tells(s)):
			knows = s
		case names == "" && hasWord(s, "error", "cannot", "panic:"):
			names = s
		case last == "":
			last = s
		}
	}
	switch {
	case knows != "":
		return knows
	case names != "":
		return names
	}
	return last
}

// tells says whether a line names what it is about: a path, a variable or a text in quotes.
func tells(line string) bool { return strings.ContainsAny(line, `'"/\$`+"`") }

// explain is what is known of the cause of what the program said, and of the code with
// which it ended. "" stands for the rule's own.
func (l *lastWords) explain(said string, end exit) (a advice) {
	if name := unexpanded(said); name != "" {
		return advice{
			"The text " + quote(name) + " was to be replaced by a variable of the environment, and was not: the client passes on an environment without it, or does not replace it in its configuration.",
			fixes(inClient("in its configuration, put the variable into the env of this server, or write its value.")), diagnose.Client,
		}
	}
	if a, known := adviceOn(said); known {
		return a
	}
	switch uint32(end.code) {
	case 126:
		return advice{cause: "The command exists, and is not a program that this user may run: that is what the code 126 says.", fix: fixes(anyone("Make the file executable (chmod +x), or start it by its interpreter."))}
	case 127, 9009:
		return advice{cause: "A command was not found: that is what the code says.", fix: fixes(inClient("in its configuration, use absolute paths, and put what the command itself starts into the PATH of its env."))}
	case 0xC0000135, 0xC000007B:
		return advice{cause: "Windows did not find a library (DLL) that the program needs, or found one for another processor: that is what the code says.", fix: fixes(anyone("Install the runtime that the program needs, in the same width (32 or 64 bits)."))}
	case 134, 136, 139, 0xC0000005, 0xC0000409:
		return advice{cause: "The program crashed in native code: that is what the code says.", fix: fixes(inServer("update the program and its native modules; the log of the system has the crash.")), side: diagnose.Server}
	}
	return a
}

var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{(?:env:)?[A-Z][A-Z0-9_]{2,}\}|%[A-Z][A-Z0-9_]{2,}%`)
})

// unexpanded is a variable in a text that stands there by its name, "" for none.
func unexpanded(said string) string {
	if !strings.ContainsAny(said, "$%") {
		return ""
	}
	return variable().FindString(said)
}

// quoteLong is quote for texts that say what went wrong: of a long one both ends, since
// the last words are often those that tell.
func quoteLong(s string) string {
	const most = 240
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most/2], "") + " … " + strings.ToValidUTF8(s[len(s)-most/2:], "")
	}
	return "“" + strings.TrimSpace(s) + "”"
}
