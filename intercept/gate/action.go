package gate

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"midwire/session/filter"
	"midwire/session/jsonpath"
)

// Action is something that is done with a message: a row of the table of verbs, and
// what its words mean.
type Action struct {
	*verb
	N      int           // a code, a status, or a count
	Text   string        // a message, the name of a field, the body of a status
	JSON   []byte        // answer, set, inject
	Path   jsonpath.Path // set, remove
	Fields []Field       // status, set-header
	For    time.Duration // delay
	Cut    cutting       // cut
	text   string        // as it is written, without credentials
}

// Field is one header line.
type Field struct{ Name, Value string }

// cutting says where a response ends, and how.
type cutting struct {
	how    How
	events int // -1: at once
}

// How a connection is cut.
type How uint8

// The ways to cut a connection.
const (
	Clean How = iota // the response ends as if it were complete
	Reset
)

// Bounds of what an action may ask for.
const (
	maxDelay  = time.Hour
	maxStatus = 599
)

// verb is how an action is written, what happens to its message, and where that can be.
type verb struct {
	name, args, help string
	on               string // "stdio" or "http" when only there
	read             func(*line, *Action)
	do               func(g *Gate, d *deed, a *armed, m *Message)
}

// verbs are all there are, in the order in which help lists them.
var verbs = sync.OnceValue(func() []verb {
	nothing := func(*line, *Action) {}
	text := func(l *line, a *Action) { a.Text = l.quoted() }
	json := func(l *line, a *Action) { a.JSON = l.json("") }
	return []verb{
		{"hold", "", "waits for a decision", "", nothing, (*Gate).holds},
		{"delay", "3s", "waits that long", "", func(l *line, a *Action) { a.For = l.duration() }, (*Gate).delays},
		{"drop", "", "goes no further", "", nothing, (*Gate).drops},
		{"duplicate", "[2]", "comes so many times more", "", func(l *line, a *Action) { a.N = l.number(1, 1, 1000) }, (*Gate).duplicates},
		{"error", `-32603 "text"`, "is answered with an error; a response becomes one", "", func(l *line, a *Action) {
			a.N = l.must("a code must follow, like -32603", math.MinInt32, math.MaxInt32)
			a.Text = l.quoted()
		}, (*Gate).replies},
		{"answer", "JSON", "is answered with this result, or this whole message", "", json, (*Gate).replies},
		{"tool-error", `"text"`, "is answered with isError", "", text, (*Gate).replies},
		{"status", `429 [Name: value] [& Name: value] [& body "text"]`, "is answered with this status", "http", func(l *line, a *Action) {
			a.N = l.must("a status must follow, like 429", 200, maxStatus)
			l.fields(a)
		}, (*Gate).status},
		{"expire-session", "[404]", "is refused, with every later request of its session", "http", func(l *line, a *Action) {
			a.N = l.number(404, 100, maxStatus)
		}, (*Gate).expires},
		{"cut", "[after 2 events] [clean|reset]", "the response ends there", "", (*line).cut, (*Gate).cuts},
		{"set", "path.to.member JSON", "gets this value there", "", func(l *line, a *Action) {
			a.Path = l.path()
			a.JSON = l.json(a.Path.Last())
		}, edits((*unit).editMember)},
		{"remove", "path.to.member", "loses that member", "", func(l *line, a *Action) { a.Path = l.path() }, edits((*unit).editMember)},
		{"set-header", "Name: value", "gets this header field", "http", func(l *line, a *Action) {
			a.Fields = []Field{l.field(len(l.text))}
		}, edits((*unit).editHead)},
		{"remove-header", "Name", "loses this header field", "http", func(l *line, a *Action) {
			if a.Text = l.next(); !goodName(a.Text) {
				l.fail("the name of a header field must follow")
			}
		}, edits((*unit).editHead)},
		{"kill", "", "the server is killed", "stdio", nothing, (*Gate).kills},
		{"inject", "JSON", "this message follows it", "", json, (*Gate).injects},
	}
})

// Help is how the verbs are written and what they do, a line each.
func Help() (all [][2]string) {
	for _, v := range verbs() {
		what := v.help
		if v.on != "" {
			what += " (" + v.on + " only)"
		}
		all = append(all, [2]string{strings.TrimSpace(v.name + " " + v.args), what})
	}
	return all
}

// ParseAction reads an action, as it stands behind the arrow of a rule.
func ParseAction(text string) (Action, *filter.Error) {
	l := &line{text: text}
	a := l.action()
	return a, l.err
}

func (l *line) action() (a Action) {
	l.skip()
	from := l.at
	name := l.next()
	all := verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i := range all {
			names[i] = all[i].name
		}
		l.fail("no such action; there are " + strings.Join(names, " "))
		return a
	}
	a.verb = &all[i]
	a.read(l, &a)
	if l.peek() != "" {
		l.rest()
		l.fail(strings.TrimSpace("nothing more can follow; it is written "+name+" "+a.args) + ", without more")
	}
	a.text = l.shown(from)
	return a
}
