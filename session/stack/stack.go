// Package stack finds the line of code that a failure names: in the stack traces that
// servers print or send, of Node, Python, Go, Java and Kotlin, .NET and Rust.
//
// Find reads a text. Original (sourcemap.go) follows a source map. Who reads files does so
// elsewhere: session/library.
package stack

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"midwire/session/words"
)

// Frame is one call of a stack trace. Its texts are a peer's.
type Frame struct {
	Func string `json:"function,omitempty"`
	File string `json:"file"`
	Line int    `json:"line"`             // from 1
	Col  int    `json:"column,omitempty"` // from 1, 0 for not known
	Own  bool   `json:"own"`              // it is neither of a runtime nor of a package that the server uses
}

// String is the frame as compilers name places.
func (f Frame) String() string {
	at := f.File + ":" + strconv.Itoa(f.Line)
	if f.Col > 0 {
		at += ":" + strconv.Itoa(f.Col)
	}
	if f.Func != "" {
		return f.Func + " (" + at + ")"
	}
	return at
}

// Place is where a failure came from, as a person looks for it.
type Place struct {
	Frame
	Compiled *Frame `json:"compiled,omitempty"` // what the trace names, where a source map led elsewhere
	// Lines are those of the file around the line, none where it cannot be read here; First is
	// the number of the first. They stay on this machine.
	First int      `json:"-"`
	Lines []string `json:"-"`
}

// URL is where the file is on this machine, in ASCII and without control characters, "" where
// it was not read here: then the place is a peer's word alone.
func (p *Place) URL() string {
	if len(p.Lines) == 0 {
		return ""
	}
	path := strings.ReplaceAll(p.File, `\\`, "/")
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	u := url.URL{Scheme: "file", Path: path}
	return u.String()
}

// language is how one runtime writes a call: the groups of its expression are fn, file, line
// and col.
type language struct {
	line  *regexp.Regexp
	above *regexp.Regexp // the line above names the function, in group 1
	last  bool           // the innermost call stands last
}

// languages are compiled when they are needed: midwire starts with every server.
var languages = sync.OnceValue(func() []language {
	return []language{
		{line: regexp.MustCompile(`^\s*at (?:async )?(?:(?P<fn>[^()]{1,200}?) \()?(?:file://)?(?P<file>(?:[A-Za-z]:)?[^():\s][^():]*\.[A-Za-z]+):(?P<line>\d+):(?P<col>\d+)\)?$`), above: regexp.MustCompile(`^\s*\d+: (\S+)$`)},
		{line: regexp.MustCompile(`^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<fn>.+))?$`), last: true},
		{line: regexp.MustCompile(`^\s+(?P<file>\S+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?$`), above: regexp.MustCompile(`^(\S+?)\(.*\)$`)},
		{line: regexp.MustCompile(`^\s*at (?P<fn>[\w.$/@<>]+)\((?P<file>\w+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)$`)},
		{line: regexp.MustCompile(`^\s*at (?P<fn>.+) in (?P<file>.+):line (?P<line>\d+)$`)},
	}
})

// maxLines is how many lines of a text are read, maxLine how long one may be.
const (
	maxLines = 400
	maxLine  = 1000
)

// Find lists the calls of the stack traces in a text, the innermost of each first.
func Find(text string) (all []Frame) {
	above, from := "", 0
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > maxLines {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		if len(line) > maxLine {
			line = ""
		}
		f, l := read(line, above)
		switch {
		case l != nil && l.last: // put before those of its trace
			all = slices.Insert(all, from, f)
		case l != nil:
			all = append(all, f)
			from = len(all)
		case strings.HasPrefix(line, "Traceback "):
			from = len(all)
		}
		above = line
	}
	return all
}

func read(line, above string) (f Frame, l *language) {
	all := languages()
	for i := range all {
		l = &all[i]
		m := l.line.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		group := func(name string) string {
			if at := l.line.SubexpIndex(name); at >= 0 {
				return m[at]
			}
			return ""
		}
		f = Frame{Func: group("fn"), File: group("file")}
		f.Line, _ = strconv.Atoi(group("line"))
		f.Col, _ = strconv.Atoi(group("col"))
		if l.above != nil && f.Func == "" {
			if m := l.above.FindStringSubmatch(above); m != nil {
				f.Func = m[1]
			}
		}
		f.Own = !foreign(f)
		return f, l
	}
	return f, nil
}

// foreigners are parts of files, and beginnings of functions, of runtimes and of packages.
var foreigners = [...]string{
	"node:", "/node_modules/", "internal/", "webpack:", "<frozen", "/site-packages/", "/dist-packages/", "/lib/python",
	"/go/src/", "/pkg/mod/", "/rustc/", "/.cargo/registry/", "<string>", "<stdin>", "<anonymous>",
}

var foreignFuncs = [...]string{
	"java.", "javax.", "jdk.", "sun.", "kotlin.", "kotlinx.", "io.modelcontextprotocol.", "reactor.", "io.netty.",
	"org.springframework.", "System.", "Microsoft.", "ModelContextProtocol.", "runtime.", "testing.", "core::", "std::", "tokio::",
}

// foreign reports whether a call is not of the server's own code.
func foreign(f Frame) bool {
	file := strings.ReplaceAll(f.File, `\`, "/")
	return slices.ContainsFunc(foreigners[:], func(part string) bool { return strings.Contains(file, part) }) ||
		slices.ContainsFunc(foreignFuncs[:], func(begin string) bool { return words.HasPrefix(f.Func, begin) })
}

// OwnCode is the innermost call of the server's own code, else the innermost; false for none.
func OwnCode(all []Frame) (Frame, bool) {
	if i := slices.IndexFunc(all, func(f Frame) bool { return f.Own }); i >= 0 {
		return all[i], true
	}
	if len(all) == 0 {
		return Frame{}, false
	}
	return all[0], true
}
