package detail

import (
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// writeNotMCP says so when an answer looks as if no MCP endpoint were behind the
// URL: a page or an error where JSON-RPC belongs, in a conversation that never
// got going. It names what it judges by.
func writeNotMCP(d *document.Doc, sc *library.Scene, rec *library.Recording, row *session.Row, got Frames) {
	h := rec.Heads[row.X]
	reply, asked := got[h.Resp].Data, got[h.Req].Data
	if row.Conn == 0 || row.Dir != wire.ToServer || reply == nil || talks(rec, row) {
		return
	}
	if answer(rec, row, got).Kind != wire.MsgInvalid {
		return
	}
	media, _, _ := strings.Cut(words.Fold(wire.HeadValue(reply, "Content-Type")), ";")
	media = strings.TrimSpace(media)
	if !strangerTo(row.Status, media) {
		return
	}
	head, _ := wire.ParseHead(asked)
	if head.Method != "POST" {
		return
	}
	if media == "" {
		media = "no content type"
	}
	d.Add(term.S(sc.Theme.Warn, sc.Glyphs.Warn+" "), term.S(term.Bold, "This does not look like an MCP endpoint: check the path of the URL."))
	d.Add(term.S(term.Plain, "  The response to POST "), term.S(term.Bold, safe.Line(head.Target)),
		term.S(term.Plain, " has status "+safe.Int(int(row.Status))+" and "),
		term.S(term.Plain, safe.Line(media)), term.S(term.Plain, " where JSON-RPC belongs."))
	d.Add(term.S(sc.Theme.Dim, "  Many servers listen at /mcp, or at /sse with the older transport."))
}

// talks says whether a call of the row's session was answered as it should be.
func talks(r *library.Recording, row *session.Row) bool {
	s := r.Session(int(row.Session))
	return s != nil && s.Calls > s.Errors+s.Pending
}

// strangerTo says whether an answer with this status and media type comes from
// something that does not know MCP. Refusals that an endpoint may well give
// (401, 403, 429, 5xx as JSON) are not counted.
func strangerTo(status uint16, media string) bool {
	switch {
	case status == 401 || status == 403 || status == 407 || status == 429:
		return false
	case status == 404 || status == 405 || status == 501 || status >= 301 && status <= 308:
		return true
	case status >= 500 || media == "" && status < 400:
		return false
	}
	return media != "application/json" && media != "text/event-stream"
}
