package library

import (
	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/term"
)

// Which messages a list shows, besides the sessions by index.
const (
	AllSessions = -1
	NoSession   = -2
)

// Scope is what the message list shows.
type Scope struct {
	Rec     *Recording
	Session int // index, wholeRecording or looseRows
}

// Sessions is how many sessions are shown together.
func (s Scope) Sessions() int {
	if s.Rec != nil && s.Session == AllSessions {
		return len(s.Rec.Tracker.Sessions())
	}
	return 1
}

// Current returns the session the scope is about: the chosen one, or the only
// one of a recording.
func (s Scope) Current() *session.Session {
	if s.Rec == nil {
		return nil
	}
	if s.Session == AllSessions && s.Sessions() == 1 {
		return s.Rec.Session(0)
	}
	return s.Rec.Session(s.Session)
}

// SessionRef is a session of a recording, or all of them.
type SessionRef struct {
	Recording string // id
	Session   int    // index, -1 for all
}

// Ref names a session of r, or all of r where it has no other.
func (r *Recording) Ref(session int) SessionRef {
	if session < 0 || r.SessionCount() < 2 {
		session = -1
	}
	return SessionRef{r.ID, session}
}

// Whole is what a user's answers hold for: all of a recording.
func (r SessionRef) Whole() SessionRef { return SessionRef{r.Recording, -1} }

// identities are what sessions are called all their life: the name of the client,
// with a number where several have it. They are made anew when a client says
// its name.
type identities struct {
	clients []string // by session, as they were named
	names   []safe.Text
}

// NoName is what a client is called that did not say its name.
const NoName safe.Text = "no name"

// SessionName is what a session is called in every view: what the user calls it,
// or its client, with a number when it is not the only one of that name. It is never empty.
func (r *Recording) SessionName(i int) safe.Text {
	s := r.Session(i)
	if s == nil {
		return "no session"
	}
	if name := r.CalledSession(s); name != "" {
		return safe.Line(name)
	}
	if id := &r.identities; len(id.clients) != len(r.Tracker.Sessions()) || id.clients[i] != s.Client.Name {
		id.name(r.Tracker.Sessions())
	}
	return r.identities.names[i]
}

// Hue is the colour of a session, the same in every view. What belongs to no
// session is dim.
func (r *Recording) Hue(th *term.Theme, i int) term.Style {
	if i < 0 {
		return th.Dim
	}
	return th.Hue(r.FirstHue + i)
}

// name names sessions, if their clients are others than the last time.
func (id *identities) name(all []*session.Session) {
	same := len(id.clients) == len(all)
	for i := 0; same && i < len(all); i++ {
		same = id.clients[i] == all[i].Client.Name
	}
	if same {
		return
	}
	id.clients = make([]string, len(all))
	for i, s := range all {
		id.clients[i] = s.Client.Name
	}
	id.names = Numbered(id.clients)
}

// Numbered are the names of clients, with a number where several have one.
func Numbered(clients []string) []safe.Text {
	names := make([]safe.Text, len(clients))
	count, nth := map[string]int{}, map[string]int{}
	for _, name := range clients {
		count[name]++
	}
	for i, name := range clients {
		nth[name]++
		names[i] = safe.Line(name)
		if name == "" {
			names[i] = NoName
		}
		if count[name] > 1 {
			names[i] += " " + safe.Int(nth[name])
		}
	}
	return names
}
