package library

// SessionRef is a session of a recording, or all of them.
type SessionRef struct {
	Recording string // id
	Session   int    // index, -1 for all
}

// Whole is what a user's answers hold for: all of a recording.
func (r SessionRef) Whole() SessionRef { return SessionRef{r.Recording, -1} }
