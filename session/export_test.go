package session

// BatchIndex is what Message remembers of the latest batch to the server.
func (t *Tracker) BatchIndex() [][2]int32 { return t.batches[0].at }

// PendingIDs are the rows whose ids are still known, on stdio.
func (t *Tracker) PendingIDs() []int32 { return t.process.scope.pending() }

// Strip returns a session without its rows, whose numbers differ beside others.
func Strip(s Session) Session {
	s.rows = nil
	return s
}
