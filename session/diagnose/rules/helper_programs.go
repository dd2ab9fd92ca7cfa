package rules

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
	"midwire/session/words"
)

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
	at    [12]uint64 // their frames
	next  int
	n     uint64 // frame of the latest
	told  uint64 // frame of the one that tail or since chose
	argv  []string
}

const maxWords = 600

// places are how lines begin that only say where it happened, or are members of an error
// whose message stands above them.
var places = []string{"at ", `File "`, "Exception Group Traceback", "code: ", "errno: ", "syscall: ", "address: ", "port: ", "}", "note: ", "├─▶"}

// lastBranch is how the innermost of several causes begins, which goes on in the lines
// that are indented below it.
const lastBranch = "╰─▶"

// say takes a line. What only says where in the program it happened is left out.
func (l *lastWords) say(n uint64, line []byte) {
	slot := &l.lines[(l.next+len(l.lines)-1)%len(l.lines)]
	if bytes.HasPrefix(*slot, []byte(lastBranch)) && bytes.HasPrefix(line, []byte(" ")) && len(*slot) < maxWords {
		*slot, l.n = words.Clip(append(append(*slot, ' '), bytes.TrimSpace(line)...), maxWords), n
		return
	}
	line = bytes.TrimSpace(bytes.TrimLeft(line, "|+ \t")) // those stand before each line of a group of exceptions
	begins := func(with string) bool { return bytes.HasPrefix(line, []byte(with)) }
	if len(line) == 0 || slices.ContainsFunc(places, begins) {
		return
	}
	slot = &l.lines[l.next%len(l.lines)]
	*slot = append((*slot)[:0], words.Clip(line, maxWords)...)
	l.at[l.next%len(l.lines)] = n
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
		wire.Items(wire.Get(c.Data, "command"), func(_ int, arg []byte) bool { l.argv = append(l.argv, text(arg)); return true })
	}
	return l
}

// textOnStdout is what a process wrote to stdout that is text and no message: what it says where it
// serves nothing.
type textOnStdout struct {
	lastWords
	first uint64 // frame of the first line
	odd   bool   // something else came that is no message
}

// hearPrinted takes a line of a process, once.
func hearPrinted(c *diagnose.Case) *textOnStdout {
	p := diagnose.Common[textOnStdout](c)
	switch {
	case c.N == 0 || c.Frame == nil:
	case c.Frame.Kind == wire.KindStart:
		*p = textOnStdout{}
	case c.Kind == noiseKind && c.Dir == wire.ToClient && overStdio(c) && c.Frame.Kind == wire.KindLine && c.N != p.n:
		switch kind := classify(c.Data); kind {
		case blankLine:
		case plainText, logLine, errorLine, npmNotice, pythonTrace, nodeTrace:
			p.first = cmp.Or(p.first, c.N)
			p.say(c.N, c.Data)
		default:
			p.odd = true
		}
	}
	return p
}

// spoke is what a process said that served nothing: on standard error, or else on stdout.
func spoke(c *diagnose.Case) (said, stream string, frames []uint64) {
	p, o := hear(c), hearPrinted(c)
	if said = p.tail(); said != "" {
		return said, "stderr", []uint64{p.told}
	}
	if said = o.tail(); said != "" && c.Facts.LastOK == 0 && !o.odd {
		return said, "stdout", distinct([]uint64{o.told, o.first})
	}
	return "", "", nil
}

// tail is the line among the latest that says most about a failure: one whose meaning
// is known, one that names an error, else the last.
func (l *lastWords) tail() string { return l.since(0) }

// since is tail for what was said after a frame.
func (l *lastWords) since(n uint64) string {
	last, names, knows := "", "", ""
	for i := l.next - 1; i >= 0 && i >= l.next-len(l.lines) && l.at[i%len(l.lines)] > n; i-- {
		s := string(l.lines[i%len(l.lines)])
		switch _, known := adviceOn(s); {
		case (known || isUsage(s)) && !strings.HasPrefix(s, "Traceback") &&
			(knows == "" || !tells(knows) && !namesError(knows) && tells(s)):
			knows = s
		case names == "" && (namesError(s) || hasWord(s, "error", "cannot", "panic:")):
			names = s
		case last == "":
			last = s
		}
	}
	chosen := cmp.Or(knows, names, last)
	for i, line := range l.lines {
		if string(line) == chosen && l.at[i] > n {
			l.told = l.at[i]
		}
	}
	return chosen
}

// tells says whether a line names what it is about: a path, a variable or a text in quotes.
func tells(line string) bool { return strings.ContainsAny(line, `'"/\$▶`+"`") }

// isUsage says whether a line begins the text with which a program says how it is called.
func isUsage(line string) bool { return strings.HasPrefix(words.Fold(words.Clip(line, 8)), "usage") }

var variable = words.Pattern(`\$\{(?:env:)?[A-Z][A-Z0-9_]{2,}\}|%[A-Z][A-Z0-9_]{2,}%`)

// unset is how programs say that the environment has no variable.
var unset = words.Pattern(`\$[A-Za-z_]\w* (?:is|was) (?:not (?:defined|set)|undefined|unset|empty)|[A-Z][A-Z0-9_]{2,} (?:(?:is|are|was) not|nor [A-Z][A-Z0-9_]{2,} (?:is|are)) set`)

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
