package rules

import (
	"bytes"
	"encoding/json"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

// pollution is what a line is that should have been a message.
type pollution struct {
	what  string            // "a Python traceback"
	cause string            // "" for the rule's
	fix   []diagnose.Remedy // nil for the rule's
}

// The kinds of line that say where they come from.
var (
	blankLine = &pollution{
		what: "an empty line", cause: "The program prints an extra line feed, often by a print without arguments or a message that already has a line end.",
		fix: fixes(responsible("find the code that prints it. Most clients ignore empty lines.")),
	}
	markedLine = &pollution{
		what: "a message behind a byte-order mark", cause: "The stream is opened with an encoding that writes a byte-order mark, such as utf-8-sig or the default of PowerShell.",
		fix: fixes(responsible("write UTF-8 without a byte-order mark.")),
	}
	colouredLine  = &pollution{what: "coloured text for a terminal", cause: "A logger or a progress bar writes escape sequences to stdout. On stderr this does no harm."}
	pythonTrace   = &pollution{what: "a Python traceback", cause: "The program failed, and the traceback was printed to stdout.", fix: fixes(responsible("fix the failure that the traceback names, and print tracebacks to stderr, which is the default of traceback.print_exc."))}
	nodeTrace     = &pollution{what: "a JavaScript stack trace", cause: "The program failed, and the error was printed with console.log.", fix: fixes(responsible("fix the failure that the trace names, and print errors with console.error."))}
	npmNotice     = &pollution{what: "a notice of the package manager", cause: "The server is started through npm run, npx or yarn, which print to stdout as well.", fix: fixes(responsible("start the server's file directly with node, or use npx --silent -y, npm run --silent."))}
	lspHeader     = &pollution{what: "a header of the language server protocol", cause: "The sender frames messages with Content-Length, as language servers do. MCP has one message per line.", fix: fixes(responsible("use the stdio transport of an MCP SDK: one JSON object, one line feed."))}
	jsonLog       = &pollution{what: "a log record in JSON", cause: "A structured logger such as pino, winston or structlog writes to stdout, which is its default.", fix: fixes(responsible("give the logger stderr as its destination."))}
	logLine       = &pollution{what: "a log line"}
	notAMessage   = &pollution{what: "a JSON object that has neither method, result nor error", cause: "The sender builds messages by hand, and omits result when it is empty.", fix: fixes(responsible(`send "result":{} for an empty result.`))}
	fragment      = &pollution{what: "a piece of JSON", cause: "The message is pretty-printed over several lines, or a line end was not escaped.", fix: fixes(responsible("serialise messages without indentation: one message, one line."))}
	brokenMessage = &pollution{what: "a message that is not valid JSON", cause: brokenJSON.cause, fix: brokenJSON.fix}
	jsonValue     = &pollution{what: "JSON that is no message"}
	bareResult    = &pollution{what: "a bare result without the message around it", cause: resultBody.cause, fix: resultBody.fix}
	twiceEncoded  = &pollution{what: "a JSON string with a message in it", cause: stringBody.cause, fix: stringBody.fix}
	eventLine     = &pollution{what: "a line of an event stream", cause: "The sender writes server-sent events, the form of HTTP, to a pipe.", fix: fixes(responsible("write the message alone, one on a line, without “data:”. Choose the stdio transport of the SDK."))}
	errorLine     = &pollution{what: "an error message", cause: "The program failed, and the error was printed to stdout.", fix: fixes(responsible("fix the error that the message names, and print errors to stderr."))}
	wideText      = &pollution{what: "text in UTF-16", cause: "The stream is opened with an encoding of two bytes a character, such as Unicode in PowerShell or wide characters in C.", fix: fixes(responsible("write UTF-8 without a byte-order mark."))}
	pythonDict    = &pollution{what: "a Python dictionary in place of a message", cause: "The program prints the object itself, whose text has single quotes and is not JSON.", fix: fixes(responsible("print json.dumps(message), or let the SDK write the message."))}
	echoedLine    = &pollution{what: "the client's own initialize"}
	plainText     = &pollution{what: "text"}
	twoOnALine    = &pollution{what: "several messages on one line"} // one-message-per-line reports it
	unfinishedEnd = &pollution{what: "a message that was cut off"}
)

var byteOrderMark = []byte("\xef\xbb\xbf")

func classify(line []byte) *pollution {
	b := bytes.TrimSpace(line)
	switch {
	case len(b) == 0:
		return blankLine
	case bytes.Count(line, []byte{0})*3 > len(line):
		return wideText
	case bytes.HasPrefix(b, byteOrderMark):
		if n, _ := wire.ScanMessages(b[3:], func(int, wire.Message) bool { return true }); n > 0 {
			return markedLine
		}
		return classify(b[3:])
	case bytes.IndexByte(b, '\x1b') >= 0:
		return colouredLine
	case b[0] == '{' || b[0] == '[' && len(b) > 1 && strings.IndexByte(`{["`, b[1]) >= 0:
		return classifyJSON(b)
	}
	return classifyText(line, string(words.Clip(b, 400)))
}

func classifyJSON(b []byte) *pollution {
	switch {
	case !wire.Valid(b) && len(values(b, 2)) == 2:
		return twoOnALine
	case !wire.Valid(b) && bytes.HasPrefix(b, []byte(`{"jsonrpc"`)) && b[len(b)-1] == '}':
		return brokenMessage
	case bytes.HasPrefix(b, []byte(`{'jsonrpc'`)) && bytes.Contains(b, []byte(`'method': 'initialize'`)):
		return echoedLine // by an interpreter
	case bytes.HasPrefix(b, []byte(`{'jsonrpc'`)):
		return pythonDict
	case !wire.Valid(b):
		return fragment
	case wire.Get(b, "jsonrpc") != nil:
		return notAMessage
	case wire.Get(b, "level") != nil || wire.Get(b, "severity") != nil || wire.Get(b, "msg") != nil || wire.Get(b, "timestamp") != nil:
		return jsonLog
	case b[0] == '{' && isBareResult(b):
		return bareResult
	case b[0] == '{' && wrapped(b) != "":
		return &pollution{
			what: "an object with the message in its member " + quote(wrapped(b)), fix: fixes(responsible("write the message itself, one on a line.")),
			cause: "A layer around the server puts its own envelope around each message.",
		}
	}
	return jsonValue
}

func classifyText(line []byte, s string) *pollution {
	switch {
	case strings.HasPrefix(s, "Traceback (most recent call last)"), strings.HasPrefix(s, `File "`) && strings.Contains(s, ", line "):
		return pythonTrace
	case strings.HasPrefix(s, "at ") && strings.Contains(s, ":") && len(line) > 0 && line[0] == ' ':
		return nodeTrace
	case strings.HasPrefix(s, "npm "), strings.HasPrefix(s, "> ") && strings.Contains(s, "@"), strings.HasPrefix(s, "yarn run "),
		strings.HasPrefix(s, "Need to install the following packages"), strings.HasPrefix(s, "added ") && strings.Contains(s, " package"):
		return npmNotice
	case strings.HasPrefix(s, "Content-Length:"), strings.HasPrefix(s, "Content-Type:"):
		return lspHeader
	case strings.HasPrefix(s, "data: {"), s == "event: message":
		return eventLine
	case s[0] == '"' && wire.Valid(line) && classifyValue(bytes.TrimSpace(line)).what == stringBody.what:
		return twiceEncoded
	case s == "}" || s == "]" || s == "}," || s == "]," || s == "[" || s[0] == '"' && (strings.Contains(s, `":`) || s[len(s)-1] == ','):
		return fragment
	case looksLogged(s):
		return logLine
	case namesError(s):
		return errorLine
	}
	return plainText
}

// looksLogged says whether a line begins with a time or a level, bracketed or
// not.
func looksLogged(s string) bool {
	s = strings.TrimLeft(s, "[(< ")
	if len(s) >= 8 && s[0] >= '0' && s[0] <= '9' && (s[4] == '-' || s[4] == '/' || s[2] == ':' && s[5] == ':') {
		return true
	}
	end := strings.IndexAny(s, "]):| \t-")
	if end < 0 {
		return false
	}
	switch words.Fold(s[:end]) {
	case "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "fatal", "critical":
		return true
	}
	return false
}

// namesError says whether a line begins with the name of an error or exception,
// as in "KeyError: 'TOKEN'".
func namesError(s string) bool {
	name, _, _ := strings.Cut(s, ":")
	return (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")) && !strings.ContainsAny(name, " \t")
}

// run is the kind of the line before, for traces that go over several lines.
type run struct{ kind *pollution }

// next is the kind of a line that follows another one: what is indented, and
// the name of the error, belong to a trace.
func (r *run) next(line []byte) *pollution {
	kind := classify(line)
	trace := r.kind == pythonTrace || r.kind == nodeTrace
	if trace && (kind == errorLine || kind == plainText && len(line) > 0 && line[0] == ' ') {
		kind = r.kind
	}
	r.kind = kind
	return kind
}

// values returns the JSON values on a line, at most so many; nil when there is
// anything else on it.
func values(line []byte, most int) []json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(line))
	var list []json.RawMessage
	for len(list) < most && d.More() {
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return nil
		}
		list = append(list, v)
	}
	return list
}
