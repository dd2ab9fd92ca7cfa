package mock

import (
	"sync"

	"midwire/replay"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Server plays the server of a recording. Each client has its own position
// in it: a request gets the response that the same request got, the first time
// the first such response.
type Server struct {
	// Script is the recording. It stays the caller's.
	Script *replay.Script
	// Sessions are the indexes of those to play; none means all but probes.
	Sessions []int
	// Timing keeps the recorded times between a request and the outcome.
	Timing bool
	// Nearest gives a request that is not in the recording what the one most
	// like it got. Otherwise it is refused, with a text that names that one.
	Nearest bool
	// AllowHosts are other names than local ones by which clients may call it
	// over HTTP; see intercept.ForeignHost.
	AllowHosts []string
	// Say is called with what a user should know: requests that are not in the
	// recording, and what it masks. It may be nil, and several goroutines may
	// call it.
	Say func(text string)

	once    sync.Once
	err     error
	calls   [replay.Likenesses]map[uint64][]int32
	parts   parts
	known   map[string]bool // methods
	version map[int]string  // that the client of a session asked for

	mu      sync.Mutex  // guards clients
	clients map[int]int // how many play each session
}

// Endpoint is the path that was recorded of the server.
func (m *Server) Endpoint() string {
	for _, s := range m.Script.Sessions {
		if s.Endpoint != "" {
			return s.Endpoint
		}
	}
	return "/mcp"
}

// prepare reads what is needed to find responses.
func (m *Server) prepare() error {
	m.once.Do(func() { m.err = m.index() })
	return m.err
}

func (m *Server) index() (err error) {
	s := m.Script
	if m.Sessions, err = s.Choose(m.Sessions); err != nil {
		return err
	}
	m.known, m.clients, m.version = map[string]bool{}, map[int]int{}, map[int]string{}
	for level := range m.calls {
		m.calls[level] = map[uint64][]int32{}
	}
	played := make([]bool, len(s.Sessions))
	for _, i := range m.Sessions {
		played[i] = true
	}
	for i := range s.Calls {
		call := int32(i)
		at := m.sessionOf(call)
		if !played[at] {
			continue
		}
		m.known[s.Method(call)] = true
		r, err := s.Request(call)
		if err != nil {
			continue
		}
		if m.version[at] == "" {
			m.version[at] = versionIn(&r)
		}
		for level := range m.calls {
			k := replay.Key(&r, replay.Likeness(level))
			m.calls[level][k] = append(m.calls[level][k], call)
		}
	}
	m.parts = partsOf(s)
	return nil
}

func (m *Server) sessionOf(call int32) int { return int(m.Script.SessionOf(call)) }

// versionIn is the protocol version that a request asks for, "" when it does not
// say.
func versionIn(r *wire.Message) string {
	if string(r.Method) == mcp.Initialize {
		return wire.Text(wire.Get(r.Params, "protocolVersion"))
	}
	return wire.Text(wire.Get(r.Params, "_meta", mcp.MetaProtocolVersion))
}

func (m *Server) say(text string) {
	if m.Say != nil {
		m.Say(text)
	}
}

// withheld says why something recorded is not sent to a client.
func withheld(what string) string {
	return "the recording masks a credential in what came of " + what +
		": a recording made with --keep-secrets holds it"
}
