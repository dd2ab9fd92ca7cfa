// Package summary summarises the sessions of a recording, for a screen that lists
// hundreds of recordings. It reads the recording once and keeps the summary in a
// file next to it. A kept summary counts only while it describes the file: the
// recording itself always decides.
package summary

import (
	"cmp"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/evidence"
	"midwire/session/mcp"
	"midwire/session/notes"
	"midwire/session/wire"
)

// What a summary holds at most.
const (
	MaxSessions = 2000 // the newest
	MaxText     = 240  // bytes of a text, before the sign that it was cut
	Slots       = 32   // of Activity
	maxTools    = 32   // of a session
	maxFindings = 32
	maxSteps    = 32
	maxRows     = 6
	maxCard     = 24  // lines
	maxParts    = 40  // of a line
	maxPart     = 800 // bytes
)

// Recording is the summary of one recording. It is plain data: texts hold what
// the recording holds, and are made safe where they are shown.
type Recording struct {
	Format     int       `json:"midwire_summary"`
	Of         Identity  `json:"of"`
	Maker      string    `json:"maker"`               // what made it: another reads the recording again
	Frames     int       `json:"frames"`              // that could be read
	Unreadable int       `json:"unreadable,omitzero"` // lines
	Torn       bool      `json:"torn,omitzero"`       // the last line is not complete
	Replays    string    `json:"replays,omitzero"`    // id of the recording it is a replay of
	Tries      bool      `json:"tries,omitzero"`      // of midwire: no session of the user
	Total      int       `json:"total"`               // sessions of the recording
	Compared   string    `json:"compared,omitzero"`   // stands for the recordings of its flow that it was compared with
	Cut        bool      `json:"cut,omitzero"`        // sessions, or texts that identify them, are left out in part
	Findings   []Finding `json:"findings,omitempty"`  // that belong to no session, the worst first
	Sessions   Sessions  `json:"sessions"`            // the newest, in the order of their Index
}

// Sessions are at most MaxSessions.
type Sessions []Session

// Identity says which content of a file a summary describes.
type Identity struct {
	Size     int64  `json:"size"`
	Modified int64  `json:"modified"` // nanoseconds since 1970
	Hash     string `json:"hash"`     // SHA-256 over the first and the last 64 KiB
}

// Session is one session of a recording. Its times are nanoseconds since the
// recording started.
type Session struct {
	Index           int               `json:"index"` // as session.Session has it
	Frame           uint32            `json:"frame"` // of its first row: notes name the session by it
	Part            uint16            `json:"part,omitzero"`
	ID              string            `json:"id,omitzero"`
	IDSource        session.IDSource  `json:"id_source,omitzero"`
	Why             string            `json:"why,omitzero"` // its messages are grouped
	Client          Peer              `json:"client,omitzero"`
	Server          Peer              `json:"server,omitzero"`
	ProtocolVersion mcp.Version       `json:"protocol_version,omitzero"`
	Transport       session.Transport `json:"transport,omitzero"`
	Modern          bool              `json:"modern,omitzero"`
	Probe           bool              `json:"probe,omitzero"`
	State           session.State     `json:"state,omitzero"`
	Steps           []Step            `json:"steps,omitempty"`
	Started         int64             `json:"started,omitzero"`
	Last            int64             `json:"last,omitzero"`
	Messages        int               `json:"messages,omitzero"`
	Requests        int               `json:"requests,omitzero"` // in both directions: what session.Session counts as calls
	Calls           int               `json:"calls,omitzero"`    // of tools, resources and prompts, without further rounds
	Errors          int               `json:"errors,omitzero"`
	Pending         int               `json:"pending,omitzero"`
	P50             int64             `json:"p50,omitzero"` // latency of Calls that got a response
	P95             int64             `json:"p95,omitzero"`
	Activity        Activity          `json:"activity,omitzero"`
	Tools           []Tool            `json:"tools,omitempty"`     // that were called, the most called first
	MoreTools       int               `json:"more_tools,omitzero"` // that are left out
	Result          diagnose.Verdict  `json:"verdict,omitzero"`
	Card            []evidence.Line   `json:"card,omitempty"`     // what to do, and what was seen: see diagnose.Verdict.Card
	Findings        []Finding         `json:"findings,omitempty"` // the cause of a failure first, then the worst
	Rows            []Row             `json:"rows,omitempty"`     // the last ones, for a preview
}

// Peer is session.Peer.
type Peer struct {
	Name    string `json:"name,omitzero"`
	Title   string `json:"title,omitzero"`
	Version string `json:"version,omitzero"`
}

// Step is session.LifeStep.
type Step struct {
	Name  string           `json:"name"`
	Mark  session.StepMark `json:"mark,omitzero"`
	Frame uint64           `json:"frame,omitzero"`
	T     int64            `json:"t,omitzero"`
	Took  int64            `json:"took,omitzero"`
	Note  string           `json:"note,omitzero"`
}

// Activity is when something happened in a session: the time from its first
// frame to its last, in equal parts.
type Activity struct {
	Messages [Slots]uint32 `json:"messages"`
	Failed   [Slots]uint32 `json:"failed"` // what ended with an error or without a response
}

// Tool counts the calls of a tool.
type Tool struct {
	Name   string `json:"name"`
	Calls  int    `json:"calls"`
	Errors int    `json:"errors,omitzero"`
}

// Finding is the result of one rule in a session.
type Finding struct {
	Rule     string            `json:"rule"`
	Title    string            `json:"title"`
	Severity diagnose.Severity `json:"severity"`
	Side     diagnose.Side     `json:"side,omitzero"` // the responsible one
	Times    int               `json:"times"`
	Frame    uint64            `json:"frame,omitzero"` // where it shows first
}

// Row is a row as a list shows it.
type Row struct {
	Frame   uint32          `json:"frame"`
	T       int64           `json:"t"`
	Kind    session.RowKind `json:"kind,omitzero"`
	Dir     wire.Dir        `json:"dir,omitzero"`
	Ending  session.Ending  `json:"verdict,omitzero"`
	Method  string          `json:"method,omitzero"` // or another name of the row
	Target  string          `json:"target,omitzero"`
	Result  string          `json:"result,omitzero"`
	Latency int64           `json:"latency,omitzero"`
}

// Verdict is the cause of a failed session, or else the worst that was found in
// it, nil for nothing; of what is equally bad, what showed first.
func (s *Session) Verdict() *Finding {
	if len(s.Findings) == 0 {
		return nil
	}
	return &s.Findings[0]
}

// Account is what the recording comes to.
func (s *Recording) Account() diagnose.Account {
	var verdicts []diagnose.Verdict
	for i := range s.Sessions {
		verdicts = append(verdicts, s.Sessions[i].Result)
	}
	var loose []*diagnose.Finding
	for _, f := range s.Findings {
		rule := cmp.Or(rules.Find(f.Rule), &diagnose.Rule{ID: f.Rule})
		loose = append(loose, &diagnose.Finding{
			Rule: rule, Session: -1, Severity: f.Severity, Side: f.Side, Seen: f.Side == diagnose.Unclear,
			Message: f.Title,
		})
	}
	a := diagnose.AccountOf(verdicts, loose)
	if a.Session >= 0 {
		a.Session = s.Sessions[a.Session].Index
	}
	return a
}

// Key is what notes call the session by. For one without a row it is the key of
// no note.
func (s *Session) Key() notes.Key {
	return notes.Key{Kind: notes.Session, Frame: uint64(s.Frame), Part: s.Part}
}

// Session is the session as the tracker has it, without its rows.
func (s *Session) Session() *session.Session {
	steps := make([]session.LifeStep, len(s.Steps))
	for i, step := range s.Steps {
		steps[i] = session.LifeStep(step)
	}
	return &session.Session{
		Index: s.Index, Transport: s.Transport, ProtocolVersion: s.ProtocolVersion, Modern: s.Modern, Probe: s.Probe,
		ID: s.ID, IDSource: s.IDSource, Why: s.Why, Client: session.Peer(s.Client), Server: session.Peer(s.Server),
		State: s.State, Steps: steps, Started: s.Started, Last: s.Last,
		Messages: s.Messages, Calls: s.Requests, Errors: s.Errors, Pending: s.Pending,
	}
}
