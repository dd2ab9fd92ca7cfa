package library

// SessionRef is a session of a recording, or all of them.
type SessionRef struct {
	Recording string // id
	Session   int    // index, -1 for all
}

// Ref names a session of r, or all of r where it has no other. Where several
// recordings are one, all together cannot be named: the result is empty.
func (r *Recording) Ref(session int) SessionRef {
	of, i := r.SessionOrigin(session)
	switch {
	case of == nil:
		return SessionRef{}
	case i < 0 || r.SessionsOf(of) < 2:
		i = -1
	}
	return SessionRef{of.ID, i}
}

// Whole is what a user's answers hold for: all of a recording.
func (r SessionRef) Whole() SessionRef { return SessionRef{r.Recording, -1} }
