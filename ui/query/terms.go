package query

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	lang "midwire/session/filter"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/library"
)

type hold = func(Subject) bool

func never(Subject) bool { return false }

// holdOf is what a term says of a row by itself, without its payloads.
func holdOf(n *lang.Node) hold {
	switch n.Key {
	case "", "text":
		return freeText(n)
	case "method":
		return nameTerm(n, func(*session.Row) bool { return true },
			func(s Subject) string { return s.rec.Tracker.Name(s.Row.Name) })
	case "tool":
		return toolTerm(n)
	case "id":
		op := strings.Replace(n.Op, ":", "=", 1) // a colon asks for the very id: 1 is not 10
		has := lang.TextMatch(&lang.Node{Op: op, Value: strings.Trim(n.Value, `"`), Match: n.Match})
		return func(s Subject) bool { return has(strings.Trim(wire.ID([]byte(s.rec.Tracker.Name(s.Row.ID))), `"`)) }
	case "client", "server", "session":
		return sessionTerm(n)
	case "lat", "size", "status", "code":
		return numberTerm(n)
	case "after", "before", "time":
		return momentTerm(n)
	case "is":
		return isTerm(n.Word)
	case "kind":
		return kindTerm(n.Word)
	case "dir":
		return dirTerm(n.Word)
	case "finding", "rule":
		return findingTerm(n)
	case "severity":
		return severityTerm(n.Word)
	case "comment":
		has := lang.TextMatch(n)
		return func(s Subject) bool {
			return s.rec.Comment(s.index) != "" && has(s.rec.Comment(s.index))
		}
	case "flow":
		return flowTerm(n.Low)
	}
	return never // what only payloads tell
}

// nameTerm is about an interned name of a row: each is looked at once.
func nameTerm(n *lang.Node, of func(*session.Row) bool, text func(Subject) string) hold {
	has := lang.TextMatch(n)
	var rec *library.Recording
	var known map[uint32]bool
	return func(s Subject) bool {
		if !of(s.Row) {
			return false
		}
		if s.rec != rec {
			rec, known = s.rec, map[uint32]bool{}
		}
		is, ok := known[s.Row.Name]
		if !ok {
			is = has(text(s))
			known[s.Row.Name] = is
		}
		return is
	}
}

func toolTerm(n *lang.Node) hold {
	has := lang.TextMatch(n)
	return func(s Subject) bool {
		tool := ToolOf(s.rec, s.Row, s.index)
		return tool != "" && has(tool)
	}
}

// ToolOf is the tool that a row calls, "" for none.
func ToolOf(rec *library.Recording, row *session.Row, i int) string {
	if row.Kind != session.RowCall || rec.Tracker.Name(row.Name) != mcp.ToolsCall {
		return ""
	}
	w := rec.Texts.Of(i)
	tool, _ := w.Parts()
	return tool
}

// sessionTerm compares what the session of a row or frame has. A session also
// has a place: session:2 is the second of the recording.
func sessionTerm(n *lang.Node) hold {
	has := lang.TextMatch(n)
	place, err := strconv.Atoi(strings.TrimPrefix(n.Value, "#"))
	return func(s Subject) bool {
		ses := s.rec.Session(int(s.Row.Session))
		switch {
		case ses == nil:
			return false
		case n.Key == "client":
			return has(PeerName(ses.Client))
		case n.Key == "server":
			return has(PeerName(ses.Server))
		case err == nil && ses.Index+1 == place:
			return true
		}
		name := s.rec.CalledSession(ses)
		return ses.ID != "" && has(ses.ID) || name != "" && has(name)
	}
}

// PeerName is what filters know a client or server by.
func PeerName(p session.Peer) string { return strings.TrimSpace(p.Name + " " + p.Version) }

// findingTerm holds for the evidence of a rule, or of any.
// The whole name of a rule means that rule alone.
func findingTerm(n *lang.Node) hold {
	want := words.Fold(n.Value)
	has := lang.TextMatch(&lang.Node{Op: n.Op, Value: n.Value, Match: n.Match})
	return func(s Subject) bool {
		x, fs := s.findings()
		if want == "any" && n.Op != "~" {
			return len(fs) > 0
		}
		whole := n.Op == ":" && x.Rules[want]
		return slices.ContainsFunc(fs, func(f *diagnose.Finding) bool {
			return f.Rule.ID == want || !whole && has(f.Rule.ID)
		})
	}
}

func severityTerm(word string) hold {
	return func(s Subject) bool {
		_, fs := s.findings()
		return slices.ContainsFunc(fs,
			func(f *diagnose.Finding) bool { return f.Severity.String() == word })
	}
}

// findings are those that the row is evidence of.
func (s Subject) findings() (*library.Findings, []*diagnose.Finding) {
	x := &s.rec.Findings
	return x, x.OfRow(s.index)
}

func isTerm(word string) hold {
	switch word {
	case "commented":
		return func(s Subject) bool { return s.rec.Comment(s.index) != "" }
	case "modern":
		return func(s Subject) bool { return s.Row.Modern }
	}
	return func(s Subject) bool { return word != "" && s.Row.Ending.Word() == word }
}

func kindTerm(word string) hold {
	for k, name := range RowKindNames() {
		if name == word {
			return func(s Subject) bool { return s.Row.Kind == session.RowKind(k) }
		}
	}
	return func(Subject) bool { return false }
}

// RowKindNames are the names of session.RowKind, in its order.
func RowKindNames() [8]string {
	return [8]string{"call", "notification", "response", "noise", "stderr", "http", "process", "tap"}
}

func dirTerm(word string) hold {
	d := wire.ToServer
	if word == "s2c" {
		d = wire.ToClient
	}
	return func(s Subject) bool { return s.Row.Dir == d }
}

// numberTerm compares a number. A row that has none (no latency yet, no
// status) matches no comparison.
func numberTerm(n *lang.Node) hold {
	return func(s Subject) bool {
		v, has := numberOf(s, n.Key)
		return has && lang.Compare(v, n.Op, n.Low, n.High)
	}
}

func numberOf(s Subject, key string) (n int64, has bool) {
	switch key {
	case "lat":
		n = s.Row.Latency()
	case "size":
		return int64(s.Row.Len) + int64(s.Row.RLen), true
	case "status":
		n = int64(s.Row.Status)
	case "code":
		n = int64(s.Row.Code)
	}
	return n, n != 0
}

// momentTerm compares when something came: since the beginning as the list
// shows it, by the clock, or by the number of the frame.
func momentTerm(n *lang.Node) hold {
	op, high := n.Op, n.High
	if op == ":" || op == "=" {
		switch n.Key {
		case "after":
			op = ">="
		case "before":
			op = "<"
		case "time":
			high = max(high, n.Low+int64(time.Second)-1)
		}
	}
	return func(s Subject) bool {
		at, number := s.Row.T, uint64(s.Row.Request)
		switch {
		case n.Frame && n.Key == "after":
			return int64(number) > n.Low
		case n.Frame:
			return lang.Compare(int64(number), op, n.Low, n.High)
		case n.Clock:
			t := s.rec.Started.Add(time.Duration(at)).Local()
			h, m, sec := t.Clock()
			at = int64(h)*int64(time.Hour) + int64(m)*int64(time.Minute) +
				int64(sec)*int64(time.Second) + int64(t.Nanosecond())
		default:
			at -= s.Base
		}
		return lang.Compare(at, op, n.Low, high)
	}
}

// flowTerm holds for the message that frame n began, what belongs to it, and
// what came on the same HTTP exchange.
func flowTerm(n int64) hold {
	return func(s Subject) bool {
		f := s.rec.Frame(uint64(n))
		if f == nil || f.Row < 0 {
			return false
		}
		root := s.rec.Root(int(f.Row))
		if s.rec.Root(s.index) == root {
			return true
		}
		row := s.rec.Tracker.Row(root)
		return row.Conn > 0 && row.X > 0 && s.Row.X == row.X
	}
}
