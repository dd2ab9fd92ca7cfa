package rules

import (
	"bytes"
	"encoding/json"
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// pollution is what a line is that should have been a message.
type pollution struct {
	what string // "a Python traceback"
	why  string // the section of advice.md, "" for what the rule says
}

// The kinds of line that say where they come from.
var (
	blankLine     = &pollution{what: "an empty line", why: "empty line"}
	markedLine    = &pollution{what: "a message behind a byte-order mark", why: "byte-order mark"}
	colouredLine  = &pollution{what: "coloured text for a terminal", why: "colours"}
	pythonTrace   = &pollution{what: "a Python traceback", why: "Python traceback"}
	nodeTrace     = &pollution{what: "a JavaScript stack trace", why: "JavaScript trace"}
	npmNotice     = &pollution{what: "a notice of the package manager", why: "package manager prints"}
	lspHeader     = &pollution{what: "a header of the language server protocol", why: "framed as in LSP"}
	jsonLog       = &pollution{what: "a log record in JSON", why: "JSON log"}
	logLine       = &pollution{what: "a log line"}
	notAMessage   = &pollution{what: "a JSON object that has neither method, result nor error", why: "built by hand"}
	fragment      = &pollution{what: "a piece of JSON", why: "pretty-printed"}
	brokenMessage = &pollution{what: "a message that is not valid JSON", why: brokenJSON}
	jsonValue     = &pollution{what: "JSON that is no message"}
	bareResult    = &pollution{what: "a bare result without the message around it", why: resultBody.why}
	twiceEncoded  = &pollution{what: "a JSON string with a message in it", why: stringBody.why}
	eventLine     = &pollution{what: "a line of an event stream", why: "events in a pipe"}
	errorLine     = &pollution{what: "an error message", why: "error printed"}
	wideText      = &pollution{what: "text in UTF-16", why: "UTF-16"}
	pythonDict    = &pollution{what: "a Python dictionary in place of a message", why: "Python dictionary"}
	echoedLine    = &pollution{what: "the client's own initialize"}
	plainText     = &pollution{what: "text"}
	twoOnALine    = &pollution{what: "several messages on one line"}
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
		return &pollution{what: "an object with the message in its member " + quote(wrapped(b)), why: "message in an envelope"}
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
