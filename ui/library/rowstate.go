package library

import (
	"strings"

	"midwire/session"
	"midwire/session/mcp"
)

// Unfinished says whether something of a row is still to come.
func Unfinished(row *session.Row) bool {
	streams := row.Kind == session.RowHTTP && row.Ending == session.Served
	return row.End == 0 && (streams || row.Ending.Open())
}

// IsStream says whether a row stands for a stream that stays open, and not for
// work: a GET, or the subscription of 2026-07-28.
func (r *Recording) IsStream(row *session.Row) bool {
	switch row.Kind {
	case session.RowHTTP:
		return strings.HasPrefix(r.Tracker.Name(row.Name), "GET")
	case session.RowCall:
		return mcp.StaysOpen(r.Tracker.Name(row.Name))
	}
	return false
}
