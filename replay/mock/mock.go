package mock

import (
	"cmp"
	"slices"
	"sync"

	"midwire/replay"
	"midwire/session"
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

// parts are the messages of a recorded server beside its responses, by the call
// that they belong to.
type parts struct {
	during map[int32][]replay.Sent // before the response
	after  map[int32][]replay.Sent // behind it
}

// partsOf sorts the messages of a server by calls. One that has none is sent during the
// call of its session that waited for its response then, else behind the one that came
// before it.
func partsOf(s *replay.Script) parts {
	all := parts{map[int32][]replay.Sent{}, map[int32][]replay.Sent{}}
	calls := make(map[int32][]int32, len(s.Sessions)) // by session
	for i := range s.Calls {
		at := s.SessionOf(int32(i))
		calls[at] = append(calls[at], int32(i))
	}
	began := func(call int32) uint32 { return s.CallRow(call).Request }
	for _, some := range calls {
		slices.SortStableFunc(some, func(a, b int32) int { return cmp.Compare(began(a), began(b)) })
	}
	byFrame := func(call int32, frame uint32) int { return cmp.Compare(began(call), frame) }
	for _, m := range slices.Concat(s.ServerRequests, s.Notifications) {
		sent, call := s.Row(m.Row).Request, m.Call
		if call >= 0 {
			if end := s.CallRow(call).Response; end == 0 || sent < end {
				all.during[call] = append(all.during[call], m)
				continue
			}
		} else if n, _ := slices.BinarySearchFunc(calls[m.Session], sent, byFrame); n > 0 {
			before := calls[m.Session][:n]
			if open := openAt(s, before[max(0, n-overlap):], sent); open >= 0 {
				all.during[open] = append(all.during[open], m)
				continue
			}
			call = before[n-1]
		}
		if call >= 0 {
			all.after[call] = append(all.after[call], m)
		}
	}
	for _, some := range all.during {
		slices.SortFunc(some, func(a, b replay.Sent) int { return int(a.Row) - int(b.Row) })
	}
	return all
}

// overlap is how many calls are looked at for the one during which a message came.
const overlap = 64

// openAt is the last of some calls that waited at a frame for the response that it got, -1 for
// none.
func openAt(s *replay.Script, calls []int32, frame uint32) int32 {
	for _, call := range slices.Backward(calls) {
		if s.CallRow(call).Response > frame {
			return call
		}
	}
	return -1
}

// apartFrom reports whether a message came on another stream than the response to its call:
// that of its session, over Streamable HTTP.
func (m *Server) apartFrom(p replay.Sent) bool {
	return p.Call < 0 && m.Script.Sessions[p.Session].Transport == session.TransportHTTP
}
