package rules

import (
	"bytes"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

// contrast compares the arguments of calls of a tool that failed with those of calls
// that worked.
type contrast struct {
	calls tally
	args  map[string]*trait
}

// outcome is what came of a call.
type outcome int

const (
	callWorked  outcome = iota
	callFailed          // in its result
	callRefused         // by an error
	outcomes
)

// tally counts calls by what came of them.
type tally [outcomes]int

// against is how many of the calls that ended otherwise a failure is compared with, and
// how many failed so. A tool that says that it failed was reached: beside a refusal it
// worked.
func (t *tally) against(how outcome) [2]int {
	if how == callRefused {
		return [2]int{t[callWorked] + t[callFailed], t[callRefused]}
	}
	return [2]int{t[callWorked], t[how]}
}

// trait is what is known of an argument: how often it has each of the kinds, and its size.
type trait struct {
	kinds [traits]tally
	sizes [outcomes]extent
}

// The kinds of arguments, and how they are told of a name.
const (
	argGiven = iota
	argNull
	argEmpty
	argBeyondASCII
	argLines
	argBackslash
	traits
)

var traitWords = [traits][2]string{{}, {"", " as null"}, {"", " empty"}, {"letters beyond ASCII in "}, {"several lines in "}, {"a backslash in "}}

type extent struct{ least, most int }

const maxTraits = 64

// contrasts are those of a session, by tool.
type contrasts = map[string]*contrast

// contrastOf is the contrast of the tool that the call in hand calls, nil when there are
// too many tools.
func contrastOf(c *diagnose.Case) *contrast {
	tools := made(diagnose.Common[contrasts](c))
	t := tools[c.Call.Target]
	if t == nil && len(tools) < maxTools {
		t = &contrast{}
		tools[c.Call.Target] = t
	}
	return t
}

// add takes the arguments of the call in hand.
func (t *contrast) add(c *diagnose.Case, how outcome) {
	if t == nil {
		return
	}
	t.calls[how]++
	wire.Members(c.Call.Args, func(key, value []byte) bool {
		a := t.args[string(key)]
		if a == nil {
			if len(t.args) >= maxTraits {
				return true
			}
			a = &trait{}
			made(&t.args)[string(key)] = a
		}
		value = bytes.TrimSpace(value)
		a.kinds[argGiven][how]++
		a.size(len(value), how)
		switch {
		case string(value) == "null":
			a.kinds[argNull][how]++
		case string(value) == `""` || string(value) == "[]" || string(value) == "{}":
			a.kinds[argEmpty][how]++
		case len(value) > 0 && value[0] == '"' && isRemarkable(value):
			a.text(text(value), how)
		}
		return true
	})
}

// isRemarkable says whether a JSON string may be of a kind that text looks for: others are
// not even decoded.
func isRemarkable(raw []byte) bool {
	return !wire.IsASCII(raw) || bytes.IndexByte(raw, '\\') >= 0 || bytes.IndexByte(raw, 127) >= 0
}

func (a *trait) text(s string, how outcome) {
	if strings.IndexFunc(s, func(r rune) bool { return r > 126 }) >= 0 {
		a.kinds[argBeyondASCII][how]++
	}
	if strings.ContainsAny(s, "\r\n") {
		a.kinds[argLines][how]++
	}
	if strings.Contains(s, `\`) {
		a.kinds[argBackslash][how]++
	}
}

func (a *trait) size(size int, how outcome) {
	n := &a.sizes[how]
	if n.most == 0 {
		n.least = size
	}
	*n = extent{min(n.least, size), max(n.most, size)}
}

// of is a sentence on what separates the calls that failed in a way from those that did
// not, "" when nothing does, or when they are too few to say so.
func (t *contrast) of(how outcome) string {
	if t == nil {
		return ""
	}
	calls := t.calls.against(how)
	if calls[0] < 2 || calls[1] < 2 {
		return ""
	}
	var all []string
	for _, name := range sortedKeys(t.args) {
		for kind, words := range traitWords {
			what := words[0] + quote(name) + words[1]
			switch t.args[name].kinds[kind].against(how) {
			case [2]int{0, calls[1]}:
				all = append(all, "have "+what)
			case [2]int{calls[0], 0}:
				all = append(all, "lack "+what)
			}
		}
	}
	if len(all) == 0 {
		all = t.larger(how, calls)
	}
	if len(all) == 0 || len(all) > 3 {
		return ""
	}
	return " What sets them apart: all " + number(calls[1]) + " that failed " + strings.Join(slices.Compact(all), ", and ") +
		"; of the " + number(calls[0]) + " that worked none did."
}

// larger lists the arguments that are much larger in each call that failed.
func (t *contrast) larger(how outcome, calls [2]int) (all []string) {
	for _, name := range sortedKeys(t.args) {
		a := t.args[name]
		always, others := a.kinds[argGiven].against(how) == calls, a.sizes[callWorked].most
		if how == callRefused {
			others = max(others, a.sizes[callFailed].most)
		}
		if least := a.sizes[how].least; always && least > max(2*others, 256) {
			all = append(all, "have "+words.Size(least)+" and more in "+quote(name)+", the others at most "+words.Size(others))
		}
	}
	return all
}
