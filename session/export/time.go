package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/insight"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
)

// Time writes where the time of each session went, safe for a terminal. load reads a
// frame, nil where it cannot.
func Time(t *session.Tracker, load func(n uint64) *wire.Frame, w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, s := range t.Sessions() {
		b := insight.BudgetOf(t, s, insight.Rows{
			Stream: func(row *session.Row) bool { return t.Name(row.Name) == mcp.Listen },
			Tool:   func(i int) string { return calledTool(t, load, i) },
		})
		fmt.Fprintf(out, "session %d  %s\n  took %s", s.Index+1, safe.Clean(describe.Peer(s.Client)+" → "+describe.Peer(s.Server)), took(b.Total))
		for _, part := range []struct {
			name string
			ns   int64
		}{{"client", b.Client}, {"server", b.Server}, {"person", b.Person}, {"gate", b.Gate}} {
			if part.ns > 0 {
				n := max(int(20*float64(part.ns)/float64(b.Total)+0.5), 1)
				fmt.Fprintf(out, "   %s %s %s", part.name, strings.Repeat("█", n), took(part.ns))
			}
		}
		fmt.Fprintln(out)
		if one := b.Slowest; one.Time > 0 {
			fmt.Fprintf(out, "  slowest: %s, %s, %s\n", safe.Clean(one.Tool), words.Count(one.Calls, "call"), took(one.Time))
		}
	}
	return out.Flush()
}

// calledTool is the tool that a row calls, "" for none.
func calledTool(t *session.Tracker, load func(n uint64) *wire.Frame, i int) string {
	row := t.Row(i)
	if row.Kind != session.RowCall || t.Name(row.Name) != mcp.ToolsCall {
		return ""
	}
	name, _, _ := describe.Parts(t, row, load(uint64(row.Request)), nil)
	return name
}

// took is a time as people write it: seconds, and what is less in milliseconds.
func took(ns int64) string {
	d := time.Duration(ns)
	if d >= time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f ms", float64(ns)/1e6)
}
