package contrast

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
	"midwire/session/words"
)

// Text is the result for people, safe for a terminal.
func (r *Result) Text() string {
	var b strings.Builder
	say := func(indent, text string) {
		wrapped := ansi.Wordwrap(safe.Clean(text), 77, "")
		b.WriteString(indent + strings.ReplaceAll(wrapped, "\n", "\n   ") + "\n")
	}
	failed := fmt.Sprintf("session %d of %s: %s", r.Bad.Session, r.Bad.Recording, strings.TrimRight(r.Bad.sum.Result.Line, "."))
	if r.Call != "" {
		failed += ". The call: " + r.Call + " (#" + strconv.Itoa(int(r.Frame)) + ")"
	}
	say(r.Bad.sum.Result.Sign()+" ", failed+".")
	near := r.Good[0]
	say("  ", fmt.Sprintf("Compared with %s of %s; the nearest is session %d of %s (%s).",
		words.CountOf(len(r.Good), "served session", "served sessions"), r.Common, near.Session, near.Recording, moment(near.Began)))
	b.WriteString("\n")
	for i, d := range r.Differences {
		say(strconv.Itoa(i+1)+"  ", d.Line(len(r.Good)))
	}
	if len(r.Differences) == 0 {
		say("   ", "Nothing that can be compared is otherwise here: versions, header fields, handshake, arguments, definitions, sizes and times are like theirs.")
	}
	for _, c := range r.Calls {
		number := ""
		if c.Frame != 0 {
			number = "#" + strconv.Itoa(int(c.Frame)) + " "
		}
		b.WriteString(ansi.Truncate(safe.Clean("   "+number+c.Label+" "+c.Verdict+": "+c.Note), 80, "…") + "\n")
	}
	if r.More > 0 {
		say("   ", fmt.Sprintf("and %s more", words.Count(r.More, "call")))
	}
	b.WriteString("\n")
	if r.Since != nil {
		say("", r.Since.Line())
	}
	diff := "midwire diff " + safe.Clean(near.Recording) + " " + safe.Clean(r.Bad.Recording)
	if !r.Bad.alone || !near.alone {
		diff += fmt.Sprintf("\n  --session %d --other-session %d", near.Session, r.Bad.Session)
	}
	b.WriteString("All that differs:\n  " + diff + "\n")
	return b.String()
}

// Line is a difference from so many good sessions, in a sentence.
func (d *Difference) Line(good int) string {
	text := fmt.Sprintf("%s: ", d.What)
	if d.Good == "" {
		text += fmt.Sprintf("not in %d of %d good, here %s", d.Count, good, value(d.Here))
	} else if d.Here == "" {
		text += fmt.Sprintf("%s in %d of %d good, not here", value(d.Good), d.Count, good)
	} else {
		text += fmt.Sprintf("%s in %d of %d good, here %s", value(d.Good), d.Count, good, value(d.Here))
	}
	if d.Alike > 0 {
		text += ", as in " + words.CountOf(d.Alike, "other session", "other sessions") + " that failed the same way"
	}
	return text
}

// Line says when it began to fail, and with which version of the server if that is another.
func (s *Since) Line() string {
	with := func(one *Session) string {
		if one.Server == "" || s.Worked.Server == s.Failed.Server {
			return ""
		}
		return " with " + one.Server
	}
	text := "Works until " + moment(s.Worked.Began) + with(s.Worked) + ", fails since " + moment(s.Failed.Began) + with(s.Failed) +
		" (" + words.Count(s.Count, "session") + ")"
	if s.Again != nil {
		text += ", works again since " + moment(s.Again.Began)
	}
	return text + "."
}

func value(v string) string { return words.Ellipsis(v, 60) }

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
