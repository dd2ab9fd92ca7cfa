package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/charmbracelet/x/ansi"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
)

// Listed is one session as `midwire ls` shows it. Its JSON names are stable.
type Listed struct {
	Recording       string    `json:"recording"`
	Label           string    `json:"label"`
	Name            string    `json:"name,omitempty"` // what the user calls the session, or the recording
	Session         int       `json:"session"`        // from 1 within its recording; 0 when the recording has none
	Transport       string    `json:"transport"`
	ProtocolVersion string    `json:"protocol_version"`
	ID              *string   `json:"id"`
	IDSource        string    `json:"id_source"`
	Client          string    `json:"client"`
	Server          string    `json:"server"`
	State           string    `json:"state"`
	Verdict         string    `json:"verdict"` // as diagnose.Outcome has it; "" while the recording grows
	Why             string    `json:"why"`     // the verdict in words
	verdict         string    // in few of them
	Started         time.Time `json:"started"`
	Messages        int       `json:"messages"`
	Calls           int       `json:"calls"`
	Errors          int       `json:"errors"`
	Pending         int       `json:"pending"`
	Live            bool      `json:"live"`
	Trouble         string    `json:"trouble,omitempty"` // what is wrong with the recording
}

// Recording is List's input about a recording, besides its sessions.
type Recording struct {
	ID, Label string
	Tap       string // "stdio" or "http"
	Started   time.Time
	Live      bool               // a tap is writing it
	Trouble   string             // "" or what is wrong with it
	Verdicts  []diagnose.Verdict // of its sessions, nil where they are not known
	Alone     diagnose.Verdict   // of what was recorded, where there is no session

	Unreadable bool // none of it can be read
}

// List makes the entries of one recording. A recording without a session gives
// one entry, so that nothing on disk is hidden.
func List(r Recording, sessions []*session.Session) []Listed {
	base := Listed{
		Recording: r.ID,
		Label:     r.Label,
		Transport: r.Tap,
		IDSource:  session.IDNone.String(),
		State:     "empty",
		Started:   r.Started,
		Live:      r.Live,
		Trouble:   r.Trouble,
	}
	var all []Listed
	for i, s := range sessions {
		e := listed(base, s)
		if i < len(r.Verdicts) {
			e.says(r.Verdicts[i])
		}
		all = append(all, e)
	}
	if r.Unreadable {
		base.State = "unreadable"
	}
	if len(all) == 0 {
		if r.Alone.Cause != nil {
			base.says(r.Alone)
		}
		all = append(all, base)
	}
	return all
}

func (e *Listed) says(v diagnose.Verdict) {
	e.Verdict, e.Why, e.verdict = v.Outcome.String(), v.Line, v.Sign()+" "+v.Short
}

func listed(e Listed, s *session.Session) Listed {
	e.Session = s.Index + 1
	e.Transport, e.ProtocolVersion = s.Transport.String(), string(s.ProtocolVersion)
	e.IDSource = s.IDSource.String()
	if s.ID != "" {
		id := s.ID
		e.ID = &id
	}
	if s.Client.Name != "" {
		e.Client = peer(s.Client)
	}
	if s.Server.Name != "" {
		e.Server = peer(s.Server)
	}
	e.State = s.State.String()
	if s.Probe {
		e.State = "probe" // a client that only asked which protocol version the server speaks
	}
	e.Started = e.Started.Add(time.Duration(s.Started))
	e.Messages, e.Calls, e.Errors, e.Pending = s.Messages, s.Calls, s.Errors, s.Pending
	if e.Live = e.Live && s.State != session.StateClosed; !e.Live && s.State == session.StateOperating {
		e.State = "ended" // the recording has; nothing closed the session
	}
	return e
}

// Table writes entries as a table for people, safe for a terminal. Times are
// in the given zone. What is wrong with a recording stands at the end of its
// lines.
func Table(all []Listed, zone *time.Location) string {
	named := slices.ContainsFunc(all, func(e Listed) bool { return e.Name != "" })
	rows := [][]string{{"RECORDING", "STARTED", "TRANSPORT", "PROTOCOL", "CLIENT", "SERVER", "STATE", "VERDICT", "MSG", "CALLS", "ERR", "PEND", "SESSION ID"}}
	for _, e := range all {
		rows = append(rows, row(e, zone))
	}
	for i := 0; named && i < len(rows); i++ {
		name := "NAME"
		if i > 0 {
			name = safe.Clean(cut(cmp.Or(all[i-1].Name, "-"), 24))
		}
		rows[i] = slices.Insert(rows[i], 1, name)
	}
	return align(rows)
}

func row(e Listed, zone *time.Location) []string {
	state := e.State
	if e.Live {
		state += " ●"
	}
	if e.Trouble != "" {
		state = "! " + state
	}
	id := "-"
	if e.ID != nil {
		id = cut(*e.ID, 12) + " (" + e.IDSource + ")"
	}
	if e.Trouble != "" {
		id += "  " + e.Trouble
	}
	cells := []string{
		e.Recording, e.Started.In(zone).Format("01-02 15:04:05"), cmp.Or(e.Transport, "-"), cmp.Or(e.ProtocolVersion, "-"),
		cut(cmp.Or(e.Client, "-"), 24), cut(cmp.Or(e.Server, e.Label, "-"), 24),
		state, cmp.Or(e.verdict, "-"),
		strconv.Itoa(e.Messages), strconv.Itoa(e.Calls), strconv.Itoa(e.Errors), strconv.Itoa(e.Pending), id,
	}
	for i, c := range cells {
		cells[i] = safe.Clean(c)
	}
	return cells
}

// align pads cells, which are safe, to the widest of their columns.
func align(rows [][]string) string {
	var width [16]int
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], ansi.StringWidthWc(c))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			line.WriteString(pad(c, width[i]) + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// pad fills s, which is safe, up to n columns of a terminal.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-ansi.StringWidthWc(s)))
}

// JSON writes entries as an indented JSON array that is safe for a terminal:
// what a terminal might act upon is written as an escape, which means the same.
func JSON[T any](all []T) (string, error) {
	if all == nil {
		all = []T{}
	}
	return SafeJSON(all)
}

// SafeJSON writes a value as indented JSON that is safe for a terminal.
func SafeJSON(v any) (string, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return escapeHarm(strings.TrimSuffix(buf.String(), "\n")) + "\n", nil
}

// escapeHarm writes what a terminal might act upon in JSON as escapes.
func escapeHarm(raw string) string {
	var b strings.Builder
	b.Grow(len(raw))
	for _, r := range raw {
		if r >= ' ' && r < 0x7f {
			b.WriteByte(byte(r))
			continue
		}
		// A mark needs something to sit on, or it is found harmful.
		if seen := "a" + string(r); r == '\n' || safe.Clean(seen) == seen {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// cut makes s safe and shortens it to n columns of a terminal.
func cut(s string, n int) string { return ansi.TruncateWc(safe.Clean(s), n, "…") }
