package export

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"strings"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
)

// Show writes a tracker's sessions with their rows as plain text, a piece at a
// time: yield is called with each piece in order until it returns false. The
// text is safe for a terminal.
func Show(t *session.Tracker, load Load, yield func(text string) bool) {
	NewPrinter("s", t, load).show(t.Sessions(), t.Loose(), yield)
}

func (p *Printer) show(sessions []*session.Session, loose []uint32, yield func(text string) bool) {
	for _, s := range sessions {
		if !yield(Title(s)+"\n") || !p.rows(s.Rows(), yield) || !yield("\n") {
			return
		}
	}
	if len(loose) > 0 && yield("traffic outside any session\n") {
		p.rows(loose, yield)
	}
}

func (p *Printer) rows(rows []uint32, yield func(string) bool) bool {
	for _, i := range rows {
		if !yield(p.Row(int(i)) + "\n") {
			return false
		}
	}
	return true
}

// Row is one row in words, question and response together, under the number of
// its frame.
func (p *Printer) Row(i int) string {
	r := p.tracker.Row(i)
	target, result := p.load.words(p.tracker, r)
	text := outcome(target, result)
	if p.clean != nil {
		text = p.clean(text)
	}
	latency := ""
	if r.Kind == session.RowCall && r.End != 0 {
		latency = "  " + Duration(r.Latency())
	}
	id := ""
	if r.ID != 0 {
		id = "id " + string(safe.Line(p.tracker.Name(r.ID)))
	}
	line := fmt.Sprintf("%6d %9.3f  %s %s %-22s %-7s %s%s", r.Request, float64(r.T)/1e9, Arrow(r.Dir, r.Kind), Sign(r.Ending),
		safe.Line(p.tracker.Name(r.Name)), id, safe.Line(text), latency)
	return strings.TrimRight(line, " ")
}

// outcome is a row's request and its outcome.
func outcome(target, result string) string {
	if result == "" {
		return target
	}
	return strings.TrimSpace(target + " → " + result)
}

// Title is a session in one line.
func Title(s *session.Session) string {
	parts := []string{fmt.Sprintf("session %d", s.Index+1), s.Transport.String(), peer(s.Client) + " ↔ " + peer(s.Server)}
	if s.ProtocolVersion != "" {
		parts = append(parts, string(s.ProtocolVersion))
	}
	if s.ID != "" {
		parts = append(parts, fmt.Sprintf("id %s (%s)", s.ID, s.IDSource))
	}
	parts = append(parts, s.State.String(), "grouped by: "+s.Why,
		fmt.Sprintf("%d messages, %d calls, %d errors, %d pending", s.Messages, s.Calls, s.Errors, s.Pending))
	return string(safe.Line(strings.Join(parts, " · ")))
}

// Raw writes frames with their payloads: direction, then the bytes as they
// were, made safe for a terminal. It is for reading, not for feeding back: the
// recording itself is for that. A frame is used before the next is requested.
func Raw(frames iter.Seq[*wire.Frame], yield func(text string) bool) {
	for f := range frames {
		dir := "·"
		if f.Dir != wire.NoDir {
			dir = string(rune(f.Dir))
		}
		kind := ""
		if f.Kind != wire.KindLine {
			kind = f.Kind.String() + " "
		}
		for line := range bytes.SplitSeq(bytes.TrimRight(f.Data, "\r\n"), []byte("\n")) {
			if !yield(dir+" "+kind) || !rawLine(bytes.TrimSuffix(line, []byte("\r")), yield) {
				return
			}
		}
	}
}

// rawLine writes a line of any length, in pieces.
func rawLine(line []byte, yield func(text string) bool) bool {
	const most = 64 << 10
	for len(line) > most {
		piece := words.Clip(line, most)
		if !yield(safe.Whole(string(piece))) {
			return false
		}
		line = line[len(piece):]
	}
	return yield(safe.Whole(string(line)) + "\n")
}

// peer names a peer; "?" when it gave no name.
func peer(p session.Peer) string { return cmp.Or(describe.Peer(p), "?") }
