// Package gate is the deliberate, visible exception to a proxy that changes
// nothing: it holds messages, edits and drops them, answers them itself, and
// breaks things on purpose. It is the one room of intercept that asks what a
// message is.
//
// A Gate belongs to one proxy. As long as no rule is armed no byte comes here.
// Armed, the connections concerned hand their bytes to lanes, which cut them into
// units (a line, the head and body of an HTTP message, an event of a stream), ask
// the rules about each, and write on what was decided.
//
// One mutex, Gate.mu, guards everything that is decided. Writing to a peer happens
// outside of it, one goroutine at a time for a lane. Goroutines: the pumps, which
// call Feed and End; a timer for each delay; one for each release, which writes;
// those of the control socket (see Control).
package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"midwire/session/filter"
	"midwire/session/words"
)

// Rule is one line of the language: when it holds, what is done.
type Rule struct {
	When   *filter.Node // nil: every message
	Nth    Nth          // of those that match
	Do     Action
	Preset string // the preset that it comes from, "" for none

	text    string   // as it was written, without credentials
	secrets []string // the credentials in it
}

// String is the rule as it was written, without the credentials in it: for recordings,
// controllers and logs. What is done is done with them.
func (r *Rule) String() string { return r.text }

// Nth says which of the messages that match are meant, counted from 1. The zero
// value is all of them.
type Nth struct {
	First, Last int // Last 0: no end
	Every       int // each that divides by it
}

func (n Nth) has(count int) bool {
	if n.Every > 0 {
		return count%n.Every == 0
	}
	return count >= n.First && (n.Last == 0 || count <= n.Last)
}

// Fits says why a rule cannot be armed on a proxy of that kind, "stdio" or
// "http"; "" when it can.
func (r *Rule) Fits(tap string) string {
	if on := r.Do.on; on != "" && on != tap {
		return r.Do.name + " is for " + on + ", and this proxy is " + tap
	}
	return ""
}

// LineError says what is wrong in which line of a scenario, counted from 1.
type LineError struct {
	Line int
	Err  *filter.Error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Err.Text) }

// ParseScenario reads a file of rules: one a line, or the name of a preset. Empty lines
// and lines that begin with # are left out, unless # begins an occurrence like #2.
func ParseScenario(text string) (all []*Rule, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || isComment(line) {
			continue
		}
		rules, err := Parse(line)
		if err != nil {
			return nil, &LineError{n, err}
		}
		all = append(all, rules...)
	}
	return all, nil
}

var occurrence = words.Pattern(`^#(\d|every )`)

func isComment(line string) bool { return line[0] == '#' && !occurrence().MatchString(line) }

// Parse reads one line: a rule, or the name of a preset with its argument, which
// stands for several.
func Parse(line string) ([]*Rule, *filter.Error) {
	if p, args, ok := Named(line); ok {
		return p.rules(line, args)
	}
	r, err := ParseRule(line)
	if err != nil {
		return nil, err
	}
	return []*Rule{r}, nil
}

// ParseRule reads a rule:
//
//	rule = [filter] [#n | #n+ | #n-m | #every n] => action
func ParseRule(text string) (*Rule, *filter.Error) {
	at := arrow(text)
	if at < 0 {
		e := &filter.Error{At: len(text), From: 0, To: len(text), More: true, Text: "=> and what to do must follow, like => delay 3s"}
		var names []string
		for _, p := range Presets() {
			names = append(names, p.Name)
		}
		name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		if near := filter.Nearest(name, names); near != "" {
			e.Text, e.Fix, e.More = "no such preset; did you mean "+near+"? A rule has => and what to do in it", near, false
		}
		return nil, e
	}
	r := new(Rule)
	when, err := r.qualify(text[:at])
	if err != nil {
		return nil, err
	}
	if r.When, err = filter.ParseAtGate(when); err != nil {
		return nil, err
	}
	l := &line{text: text, at: at + len("=>")}
	if shown := shownFilter(r.When); shown.String() != r.When.String() {
		l.masks = []mask{{0, len(when), shown.String() + " "}}
	}
	if r.Do = l.action(); l.err != nil {
		return nil, l.err
	}
	r.text, r.secrets = l.shown(0), l.secrets
	return r, nil
}

// shownFilter is a filter without the credentials in it.
func shownFilter(n *filter.Node) *filter.Node {
	if n == nil {
		return nil
	}
	out := *n
	out.Value = masked(n.Value)
	out.Kids = slices.Clone(n.Kids)
	for i, k := range out.Kids {
		out.Kids[i] = shownFilter(k)
	}
	return &out
}

// Masked is a line, perhaps not a rule, without recognisable credentials.
func Masked(line string) string {
	if r, err := ParseRule(line); err == nil {
		return r.text
	}
	return masked(line)
}

// arrow is where => stands outside of quotes, -1 for nowhere.
func arrow(line string) int {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'' && (i == 0 || strings.IndexByte(" \t(:=~", line[i-1]) >= 0):
			quote = c
		case c == '=' && i+1 < len(line) && line[i+1] == '>' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return i
		}
	}
	return -1
}

var qualifiers = words.Pattern(`(?:^|[ \t])(#every[ \t]+(\d+)|#(\d+)(\+|-(\d+))?)[ \t]*$`)

// qualify takes what stands behind the filter and returns the filter.
func (r *Rule) qualify(text string) (string, *filter.Error) {
	for {
		at := qualifiers().FindStringSubmatchIndex(text)
		if at == nil {
			return text, nil
		}
		part := qualifiers().FindStringSubmatch(text)
		number := func(s string) int { n, _ := strconv.Atoi(s); return n }
		n := Nth{First: number(part[3]), Last: number(part[5]), Every: number(part[2])}
		bad := ""
		switch {
		case r.Nth != Nth{}:
			bad = "this is said twice"
		case n.First < 1 && n.Every < 1:
			bad = "messages are counted from 1"
		case part[5] != "" && n.Last < n.First:
			bad = "it ends before it begins"
		case part[4] == "":
			n.Last = n.First
		}
		r.Nth = n
		if bad != "" {
			return "", &filter.Error{At: at[2], From: at[2], To: at[3], Text: bad}
		}
		text = text[:at[0]]
	}
}
