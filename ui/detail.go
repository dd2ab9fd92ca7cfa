package ui

import (
	"strconv"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

type tab uint8

const (
	tabSummary tab = iota
	tabRequest
	tabResponse
	tabRaw
	tabHeaders
	tabTiming
	tabFindings
	tabCount
)

// words says whether a tab has words of ours and no bytes of a message.
func (t tab) words() bool { return t == tabSummary || t == tabTiming || t == tabFindings }

// tabNames are the names of the tabs in a pane of w cells, for a message with so
// many findings.
func tabNames(w, findings int) [tabCount]safe.Text {
	names := [tabCount]safe.Text{"Summary", "Request", "Response", "Raw", "Headers", "Timing", "Findings"}
	switch {
	case w < 58:
		names = [tabCount]safe.Text{"Sum", "Req", "Res", "Raw", "Hd", "Tm", "Fnd"}
	case w < 78:
		names = [tabCount]safe.Text{"Sum", "Req", "Resp", "Raw", "Head", "Time", "Find"}
	case w < 90:
		names[tabHeaders], names[tabTiming] = "Head", "Time"
	}
	if findings > 0 {
		names[tabFindings] += "(" + term.Number(findings) + ")"
	}
	return names
}

// shown identifies what the detail pane shows, and in which state.
type shown struct {
	rec      *library.Recording
	id       uint32
	frames   bool
	tab      tab
	width    int
	live     bool
	look     int // changes with the theme
	version  rowVersion
	complete bool // every frame was at hand
	wide     bool // lines are not broken
	hex      bool
}

// rowVersion changes when a row does.
type rowVersion struct {
	response uint32
	count    uint16
	verdict  session.Verdict
	end      int64
	status   uint16
	client   string
	id       string
	notes    int // the stamp of the notes, likewise
	findings int // the stamp of the findings, of a tab that shows them
}

// wanted lists the frames a tab needs.
func wanted(rec *library.Recording, row *session.Row, t tab) []uint64 {
	h := rec.Heads[row.X]
	req, resp := uint64(row.Request), uint64(row.Response)
	respHeads := h
	if m := rec.Frame(resp); m != nil {
		respHeads = rec.Heads[m.X]
	}
	switch t {
	case tabRequest:
		return compactNumbers(requestHead(row, h), req)
	case tabResponse:
		return compactNumbers(responseHead(row, h, respHeads), resp)
	case tabHeaders:
		return compactNumbers(h.Req, h.Resp, respHeads.Req, respHeads.Resp)
	}
	return compactNumbers(h.Req, req, respHeads.Resp, h.Resp, resp)
}

// requestHead is the head that a row's request came with: an answer of the
// client travels in a request too, and a request of the server in a response.
func requestHead(row *session.Row, h library.Heads) uint64 {
	if row.Dir == wire.ToClient {
		return h.Resp
	}
	return h.Req
}

func responseHead(row *session.Row, h, answer library.Heads) uint64 {
	if row.Dir == wire.ToClient {
		return answer.Req
	}
	if answer.Resp == 0 {
		return h.Resp
	}
	return answer.Resp
}

// compactNumbers drops zeros and repetitions.
func compactNumbers(ns ...uint64) []uint64 {
	var out []uint64
next:
	for _, n := range ns {
		for _, o := range out {
			if n == o {
				continue next
			}
		}
		if n != 0 {
			out = append(out, n)
		}
	}
	return out
}

// parts arranges the frames of a row for a tab other than the summary.
func parts(rec *library.Recording, row *session.Row, t tab, got loadedFrames) []document.Part {
	numbers := wanted(rec, row, t)
	var out []document.Part
	for _, n := range numbers {
		f := got[n]
		head := f.Kind == wire.KindRequest || f.Kind == wire.KindResponse
		if t == tabRaw || t == tabHeaders {
			out = append(out, document.Part{Title: rawTitle(&f), Data: f.Data, Head: t == tabHeaders})
			continue
		}
		p := document.Part{Head: head, Pretty: !head, Data: f.Data}
		if !head {
			p.Data = rec.Tracker.Payload(&f)
		}
		out = append(out, p)
	}
	if len(out) > 0 || t == tabRaw {
		return out
	}
	absent := safe.Text("There is no answer.")
	switch {
	case t == tabHeaders && row.Conn == 0:
		absent = "There are no HTTP headers: the pipes of a process (stdio) have none."
	case t == tabHeaders:
		absent = "No HTTP head of this is in the recording."
	case t == tabRequest:
		absent = "Nothing was asked."
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		absent = "No answer is expected to this."
	case row.Verdict == session.VerdictPending && rec.Live:
		absent = "No answer yet."
	}
	return []document.Part{{Absent: absent}}
}

// rawTitle names a frame above its bytes.
func rawTitle(f *wire.Frame) safe.Text {
	t := safe.Text("#"+strconv.Itoa(int(f.N))+" "+f.Kind.String()+", ") + term.Size(int64(f.Len)) + " bytes"
	if f.Len < 1000 {
		t = safe.Text("#" + strconv.Itoa(int(f.N)) + " " + f.Kind.String() + ", " + strconv.Itoa(f.Len) + " bytes")
	}
	switch f.EOL {
	case "\r\n":
		t += ", ends in CR LF"
	case "":
		if f.Kind == wire.KindLine || f.Kind == wire.KindStderr {
			t += ", no line end"
		}
	}
	if f.Masked {
		t += ", secrets masked"
	}
	return t
}
