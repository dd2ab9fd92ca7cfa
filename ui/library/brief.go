package library

import (
	"cmp"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/term"
)

// Brief is an exchange in a line, as it stands in panels that are about something else.
type Brief struct {
	Frame   uint64
	T       int64 // since time begins, nanoseconds
	Session safe.Text
	Hue     term.Style // of the session
	Row     session.Row
	Method  string // as it is on the wire
	Target  string // behind the tool its arguments
	Result  string
	Slow    bool
}

// BriefOf is a row of a recording in a line.
func (sc *Scene) BriefOf(rec *Recording, i int) Brief {
	row, texts := rec.Tracker.Row(i), rec.Texts.Of(i)
	s := int(row.Session)
	return Brief{
		Frame: uint64(row.Request), T: max(0, row.T-sc.Base), Session: rec.SessionName(s), Hue: rec.Hue(sc.Theme, s),
		Row: *row, Method: rec.Tracker.Name(row.Name), Target: texts.Target, Result: texts.Result,
	}
}

// tool is what is called, and with what; the method where it is no tool.
func (b *Brief) tool(th *term.Theme) (tool term.Seg, args safe.Text) {
	if name, rest, _ := strings.Cut(b.Target, " "); b.Method == mcp.ToolsCall && b.Row.Dir == wire.ToServer {
		return term.S(term.Bold, safe.Line(name)), safe.Line(rest)
	}
	return term.S(th.Dim, safe.Line(ShortMethod(&b.Row, b.Method))), safe.Line(b.Target)
}

// Briefs is a table of exchanges in a line each, without columns that say nothing where
// it stands.
func (sc *Scene) Briefs(without ...safe.Text) *term.Table[*Brief] {
	th := sc.Theme
	t := &term.Table[*Brief]{
		Screen: &sc.Screen,
		Hue:    func(b *Brief) term.Style { return b.Hue },
		Columns: []term.Column[*Brief]{
			{Head: "#", Min: 6, Right: true, Cell: func(b *Brief) term.Seg { return term.S(th.Key, "#"+safe.Int(b.Frame)) }},
			{Head: "SESSION", Min: 7, Max: 16, Gap: 1, Cell: func(b *Brief) term.Seg { return term.S(b.Hue, b.Session) }},
			{Head: "TIME", Min: 8, Rank: 1, Right: true, Cell: func(b *Brief) term.Seg {
				return term.S(th.Dim, term.Seconds(b.T))
			}},
			{Min: 1, Rank: 1, Gap: 1, Cell: func(b *Brief) term.Seg {
				dir, st := sc.Direction(&b.Row)
				return term.S(st, dir)
			}},
			{Min: 1, Cell: func(b *Brief) term.Seg {
				sign, st := sc.Ending(&b.Row)
				return term.S(st, sign)
			}},
			{Head: "TOOL", Min: 8, Max: 18, Cell: func(b *Brief) term.Seg {
				tool, _ := b.tool(th)
				return tool
			}},
			{Head: "ARGUMENTS", Min: 8, Flex: 2, Gap: 1, Cell: func(b *Brief) term.Seg {
				_, args := b.tool(th)
				return term.S(th.JSONString, args)
			}},
			{Head: "RESULT", Min: 8, Flex: 3, Gap: 1, Cell: func(b *Brief) term.Seg {
				if b.Row.Ending.Bad() { // the sign says that it failed
					return term.S(th.Err, safe.Line(strings.TrimPrefix(b.Result, "failed: ")))
				}
				return term.S(term.Plain, safe.Line(Unquoted(b.Result)))
			}},
			{Head: "LATENCY", Min: 7, Right: true, Cell: func(b *Brief) term.Seg { return b.latency(sc) }},
		},
	}
	t.Columns = slices.DeleteFunc(t.Columns, func(c term.Column[*Brief]) bool {
		return c.Head != "" && slices.Contains(without, c.Head)
	})
	return t
}

// Unquoted is a text without the quotes around it: it is itself.
func Unquoted(s string) string {
	if n := len(s) - 1; n > 0 && s[0] == '"' && s[n] == '"' {
		return s[1:n]
	}
	return s
}

func (b *Brief) latency(sc *Scene) term.Seg {
	switch {
	case b.Row.Kind != session.RowCall && b.Row.Kind != session.RowHTTP:
		return term.Seg{}
	case b.Row.Latency() <= 0:
		return term.S(sc.Theme.Pend, sc.Glyphs.Pend)
	case b.Slow:
		return term.S(sc.Theme.Warn, term.Duration(b.Row.Latency()))
	}
	return term.S(term.Plain, term.Duration(b.Row.Latency()))
}

// Budget is where the time of a session went.
func (r *Recording) Budget(s *session.Session) insight.Budget {
	return insight.BudgetOf(r.Tracker, s, func(i int) string {
		if row := r.Tracker.Row(i); r.Tracker.Name(row.Name) != mcp.ToolsCall {
			return ""
		}
		texts := r.Texts.Of(i)
		name, _ := texts.Parts()
		return name
	})
}

// Peers names who talks to whom in a session.
func (r *Recording) Peers(sc *Scene, s *session.Session) []term.Seg {
	th := sc.Theme
	hue := r.Hue(th, s.Index) + term.Bold
	out := []term.Seg{term.S(hue, r.SessionName(s.Index))}
	version := func(p session.Peer) {
		if p.Version != "" {
			out = append(out, term.Spare(1, term.S(th.Dim, " "+safe.Line(p.Version)))...)
		}
	}
	if version(s.Client); s.Server.Name+s.Server.Title != "" {
		server := safe.Line(cmp.Or(s.Server.Name, s.Server.Title))
		out = append(out, term.S(th.Dim, " "+sc.Glyphs.Arrow+" "), term.S(th.Title, server))
		version(s.Server)
	}
	return out
}
