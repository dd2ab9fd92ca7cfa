package rules

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
	"midwire/session/words"
)

var serverExited = &diagnose.Rule{
	ID:       "server-exited",
	Title:    "The server exited while it was still needed",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	On:       diagnose.Processes | diagnose.Stderr,
	Check: func(c *diagnose.Case) {
		p := diagnose.State[lastWords](c)
		if c.Kind == session.EventStderr {
			p.say(c.N, c.Data)
			return
		}
		if c.Frame.Kind == wire.KindStart {
			*p = lastWords{}
		}
		end, over := p.follow(c)
		closedFirst := p.stdin != 0 && p.stdinBy == wire.ByClient && (p.stdout == 0 || p.stdin < p.stdout)
		if !over || closedFirst || end.asked() || c.Session.Probe || end.code == 0 && c.Session.Pending == 0 {
			return
		}
		f := diagnose.Finding{
			Message: c.Server() + " " + end.words() + " (" + frame(c.N) + ")" + lifetime(c) + ".",
			Frames:  append([]uint64{c.N}, waiting(c)...),
		}
		if n := c.Session.Pending; n > 0 {
			f.Message += " " + words.CountOf(n, "call was", "calls were") + " without a response."
		}
		if said := p.tail(); said != "" {
			f.Message += " The last lines on stderr: " + quoteLong(said) + "."
			f.Frames = append(f.Frames, p.n)
			f.Cause, f.Fix = p.explain(said)
		} else {
			f.Message += " It wrote nothing to stderr."
		}
		c.ReportAs("", f)
	},
}

func (e exit) words() string {
	if e.signal != "" {
		return "was killed by " + e.signal
	}
	return "exited with code " + number(e.code)
}

// lifetime says how far the session in hand had come.
func lifetime(c *diagnose.Case) string {
	switch init := c.Facts.Init; {
	case init != nil && init.ResponseN == 0:
		return " before it responded to initialize"
	case init == nil && c.Facts.LastOK == 0:
		return " before it responded to any request"
	}
	return ""
}

// waiting are the frames of the calls that have no response, the latest first.
func waiting(c *diagnose.Case) []uint64 {
	var frames []uint64
	for _, d := range slices.Backward(c.Ledger.Open(c.Session.Index)) {
		if d.Kind == ledger.Response && len(frames) < 8 {
			frames = append(frames, d.N)
		}
	}
	return frames
}

// lastWords are the latest lines on stderr, with what is known of the pipes.
type lastWords struct {
	pipes
	lines [8][]byte
	next  int
	n     uint64 // frame of the latest
}

const maxWords = 300

func (l *lastWords) say(n uint64, line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	slot := &l.lines[l.next%len(l.lines)]
	*slot = append((*slot)[:0], line[:min(len(line), maxWords)]...)
	l.next, l.n = l.next+1, n
}

// tail is the line among the latest that says most about a failure: one that
// names an error, else the last.
func (l *lastWords) tail() string {
	last := ""
	for i := l.next - 1; i >= 0 && i >= l.next-len(l.lines); i-- {
		s := string(l.lines[i%len(l.lines)])
		last = cmp.Or(last, s)
		if lower := strings.ToLower(s); !strings.HasPrefix(s, "at ") &&
			words.Holds(lower, "error", "cannot", "panic:", "not found") {
			return s
		}
	}
	return last
}

// explain knows some of the usual last words. "" stands for the rule's own.
func (l *lastWords) explain(said string) (cause, fix string) {
	has := func(signs ...string) bool { return words.Holds(said, signs...) }
	switch {
	case has("Cannot find module", "ERR_MODULE_NOT_FOUND", "ModuleNotFoundError", "ImportError", "No module named"):
		return "A module that the server needs is not installed for the interpreter that runs it.", "Install the server's dependencies in the environment in which the client starts it: the same node_modules or virtual environment, and the same interpreter by its absolute path."
	case has("command not found", "not recognized as an internal", "No such file or directory", "ENOENT"):
		return "A command or file that the server needs does not exist, or is not in the PATH that the client passes on.", "Use absolute paths in the client's configuration, for the command and for its arguments."
	case has("EADDRINUSE", "address already in use"):
		return "The server needs a port that another process uses, often an earlier run of itself.", "End the other process, or give the server another port."
	case has("API_KEY", "API key", "TOKEN", "environment variable", "KeyError"):
		return "A setting that the server needs is missing. Clients pass on only part of the environment.", "Put the setting into the env of this server in the client's configuration."
	case has("heap out of memory", "MemoryError", "out of memory"):
		return "The server ran out of memory.", "Give the server more memory, or let it store and return less."
	}
	return "", ""
}

// quoteLong is quote for texts that say what went wrong.
func quoteLong(s string) string {
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return "“" + s + "”"
}
