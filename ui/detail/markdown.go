package detail

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
)

// RowText is a row in a line.
func RowText(rec *library.Recording, row *session.Row, w library.Texts) string {
	s := rec.Tracker.Name(row.Name)
	if w.Target != "" {
		s += " " + w.Target
	}
	if w.Result != "" {
		s += " → " + w.Result
	}
	return safe.Clean(s)
}

// RowMarkdown writes a row with its two payloads, as far as their frames are at
// hand. What it returns may be called by any goroutine.
func RowMarkdown(rec *library.Recording, row *session.Row, w library.Texts, got Frames) func() string {
	text := "### " + RowText(rec, row, w) + "\n"
	request, response := uint64(row.Request), uint64(row.Response)
	asked, answer := payloadOf(rec, got, row.Request), payloadOf(rec, got, row.Response)
	return func() string {
		text += fenced("Request", request, asked)
		if answer != nil {
			text += fenced("Answer", response, answer)
		}
		return text
	}
}

// payloadOf is what a frame carried; nil for none.
func payloadOf(r *library.Recording, got Frames, n uint32) []byte {
	f, ok := got[uint64(n)]
	if !ok {
		return nil
	}
	return r.Tracker.Payload(&f)
}

func fenced(what string, n uint64, data []byte) string {
	text, kind := string(data), ""
	if b, ok := wire.Indent(data, ""); ok {
		text, kind = string(b), "json"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n" + what + " (#" + strconv.FormatUint(n, 10) + "):\n\n" + fence + kind + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}
