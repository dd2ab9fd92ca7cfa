package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
	"midwire/session/words"
)

// onReasons is when it shows why an operation failed.
const onReasons = diagnose.Refusals | diagnose.OddResponses | diagnose.Ends

// reasons are those of the operations of a recording, by row.
type reasons map[int32]reason

const maxReasons = 4096

func (r *reasons) note(c *diagnose.Case) {
	why, row := reason{}, c.Row
	if c.Refusal != nil {
		why = reasonOf(c)
	} else {
		why, _ = lossOf(c)
	}
	if c.Call != nil {
		row = c.Call.Row
	}
	if row >= 0 && why.cause != "" && len(*r) < maxReasons {
		made((*map[int32]reason)(r))[row] = why
	}
}

var sessionFailed = rule("session-failed", diagnose.Failures|diagnose.Stderr|diagnose.Processes|onReasons,
	func(c *diagnose.Case) {
		p, how := hear(c), c.Failure
		switch {
		case c.Refusal != nil || c.Kind == responseKind && how == nil || c.Kind == endKind && how == nil:
			diagnose.Shared[reasons](c).note(c)
			return
		case how == nil:
			return
		}
		f := diagnose.Finding{Frames: []uint64{how.Frame}}
		for _, one := range how.Asked {
			f.About = append(f.About, c.Heads(one.Row.X)...)
			f.Frames = append(f.Frames, uint64(one.Row.Request))
			if one.Row.Response != 0 {
				f.Frames = append(f.Frames, uint64(one.Row.Response))
			}
		}
		f.Frames, f.About = distinct(f.Frames), append(f.About, how.Meanwhile...)
		switch {
		case how.LastOK == nil:
			f.Message += " Nothing was served before."
		default:
			f.Served = framesOf(c, how.LastOK.Row)
			for _, one := range how.Alike { // a formal fault that others survive explains nothing
				f.Served = append(f.Served, framesOf(c, one.Row)...)
			}
			f.Message += " The last request that was served is " + aboutAsked(how.LastOK) + "."
		}
		f.Message += waitingFor(c, how, &f) + neverCame(c, &f)
		why(c, &f, how, p)
		known := f.Brief
		if f.Unknown {
			known = ""
		}
		f.Message = failedHow(c, how, known) + f.Message + differences(c)
		c.ReportAs("", f)
	})

// why adds what is known of the cause: of the operation that failed, and what was said on
// standard error about then.
func why(c *diagnose.Case, f *diagnose.Finding, how *diagnose.Failure, p *lastWords) {
	var a reason
	asked := slices.Clone(how.Asked)
	if len(asked) > 0 && asked[0].Row.Status == 401 {
		slices.Reverse(asked) // the most is known of a login at the last one
	}
	for _, one := range asked {
		if a = (*diagnose.Shared[reasons](c))[int32(one.Index)]; a.cause != "" {
			break
		}
	}
	if said := p.tail(); said != "" {
		f.Message += " The last lines on stderr: " + quoteLong(said) + "."
		f.Frames = append(f.Frames, p.told)
		b := p.explain(said, exit{code: int64(how.Code)})
		if a.cause == "" || a.sure == diagnose.Possible && b.cause != "" {
			a = reason{advice: b, sure: diagnose.Likely}
			if b.side == diagnose.Unclear && b.cause != "" {
				a.side = ownSide(said, how.LastOK != nil)
			}
		}
	}
	if a.cause == "" {
		a, _ = unheardReason(c, how)
	}
	if how.How == diagnose.SessionDead && len(how.Pending) > 0 && how.Pending[0].End.Lost() {
		a, _ = reasonNamed("lost in a call") // the call is the failure, and the session its circumstance
	}
	f.Cause, f.Remedies, f.Side, f.Brief = a.cause, a.fix, a.side, a.brief
	if f.Confidence = a.sure; a.sure == diagnose.Possible {
		f.Side = diagnose.Unclear // that blames nobody
	}
	if f.Unknown = a.brief == "" || a.sure == diagnose.Possible; f.Unknown {
		f.Brief = how.Brief()
	}
}

// framesOf are the frames of a call, and over HTTP those of its heads.
func framesOf(c *diagnose.Case, r *session.Row) []uint64 {
	return append([]uint64{uint64(r.Request), uint64(r.Response)}, c.Heads(r.X)...)
}

// failedHow says how a session failed, and in brief why, where that is known of what was
// never answered.
func failedHow(c *diagnose.Case, f *diagnose.Failure, brief string) string {
	what := ""
	if len(f.Asked) > 0 {
		what = aboutAsked(&f.Asked[0]) + more(f.Asked)
	}
	if by := gaveUpAfter(c, f); by != "" && brief == "" {
		return by + " for the response to " + what + ". None came."
	}
	switch f.How {
	case diagnose.HandshakeFailed:
		return "The handshake failed: " + what + " " + endedHow(f) + "."
	case diagnose.ProcessDied:
		s := "The process of the server ended with code " + number(int64(f.Code)) + " (" + frame(f.Frame) + ")"
		if what != "" {
			s += " while " + what + " waited for a response"
		}
		return s + "."
	case diagnose.SessionDead:
		return "The server no longer knew the session at " + what + ", and the client began no new one."
	case diagnose.LastRefused:
		return "The last " + strings.TrimPrefix(words.Count(len(f.Asked), "request"), "1 ") + " failed: " + what + " " + endedHow(f) + "."
	case diagnose.NothingServed:
		return "Every request of its method was refused: " + what + " " + endedHow(f) + "."
	}
	what += " had no response"
	if brief != "" {
		return what + ": " + brief + "."
	}
	if d, known := c.Ledger.Of(f.Asked[0].Index); known && d.Wait(c.Until()) >= 1e9 {
		return what + " in " + seconds(d.Wait(c.Until())) + "."
	}
	return what + " when the session ended."
}

// gaveUpAfter says how long the client waited for what failed and what it did then, as far as
// that was seen; "" for neither.
func gaveUpAfter(c *diagnose.Case, f *diagnose.Failure) string {
	waiting := f.How == diagnose.HandshakeFailed || f.How == diagnose.LastUnanswered
	if !waiting || len(f.Asked) == 0 || f.Asked[0].End.Denied() {
		return ""
	}
	row := f.Asked[0].Row
	waited, did := c.Waited(row.X), "closed the connection"
	if c.Session.Transport == session.TransportSSE {
		for _, i := range c.Session.Rows() {
			if get := c.Tracker().Row(int(i)); get.Kind == session.RowHTTP && c.Waited(get.X) > 0 {
				waited, did = get.T+c.Waited(get.X)-row.T, "closed the stream ("+frame(get.Request)+")"
			}
		}
	}
	if p := c.Ledger.Pipes(); overStdio(c) && p.Stdin != 0 && p.StdinBy == wire.ByClient {
		waited, did = p.StdinT-row.T, "closed stdin ("+frame(p.Stdin)+")"
	}
	if waited < 1e9 {
		return ""
	}
	return c.Client() + " " + did + " after it had waited " + seconds(waited)
}

func aboutAsked(one *diagnose.Asked) string { return one.Method + " (" + frame(one.Row.Request) + ")" }

func more(list []diagnose.Asked) string {
	if len(list) < 2 {
		return ""
	}
	return " and " + words.Count(len(list)-1, "more request")
}

func endedHow(f *diagnose.Failure) string {
	if f.Said != "" {
		bare := *f
		bare.Said = ""
		return endedHow(&bare) + ", " + quoteLong(f.Said)
	}
	was := "was"
	if len(f.Asked) > 1 {
		was = "were"
	}
	switch {
	case !f.Asked[0].End.Denied():
		return "had no response"
	case f.Asked[0].End == session.Unreadable:
		return "got a response that is not whole, or no JSON-RPC"
	case f.Code != 0 && f.Status != 0:
		return was + " refused with " + httpStatus(f.Status) + " and the error " + number(int64(f.Code))
	case f.Code != 0:
		return was + " refused with the error " + number(int64(f.Code))
	case f.Status != 0:
		return was + " refused with " + httpStatus(f.Status)
	}
	return was + " refused"
}

// distinct lists each once, in order, without those that stand for none.
func distinct[T comparable](list []T) (out []T) {
	seen := map[T]bool{*new(T): true}
	for _, one := range list {
		if !seen[one] {
			seen[one] = true
			out = append(out, one)
		}
	}
	return out
}

// waitingFor says what was pending, and what it was waiting for, "" for nothing.
func waitingFor(c *diagnose.Case, how *diagnose.Failure, f *diagnose.Finding) string {
	if len(how.Pending) == 0 {
		return ""
	}
	first := &how.Pending[0]
	if chain := c.Ledger.Chain(first.Index); len(chain) > 1 {
		for _, debt := range chain {
			f.Beside = append(f.Beside, debt.N)
		}
		return " " + ledger.Words(chain) + "."
	}
	if how.How == diagnose.LastUnanswered {
		return "" // that is what it begins with
	}
	f.Beside = append(f.Beside, uint64(first.Row.Request))
	if len(how.Asked) > 0 && how.Asked[0].Index == first.Index {
		return "" // likewise
	}
	return " " + aboutAsked(first) + more(how.Pending) + " had no response."
}

// neverCame says what the specification made due in the session and nobody did, "" for
// nothing: responses are what failed.
func neverCame(c *diagnose.Case, f *diagnose.Finding) (text string) {
	for _, d := range c.Ledger.Missing(c.Session.Index, c.Until()) {
		if row := d.About(); row.Force == ledger.Must && d.Kind != ledger.Response && (d.Times > 0 || row.Within > 0) {
			f.Beside = append(f.Beside, d.N)
			text += " Due since " + frame(d.N) + " (" + seconds(d.Wait(c.Until())) + "), after " + row.After + ": " + row.What + ". It never came."
		}
	}
	return text
}

// differences says how another session of the same client or server that was
// served differs, "" when there is none.
func differences(c *diagnose.Case) string {
	works := c.Works()
	if works == nil {
		return ""
	}
	var parts []string
	s := c.Session
	differ := func(what, here, there string) {
		if here != there {
			parts = append(parts, what+" ("+quoteOr(there, "unknown")+" there, "+quoteOr(here, "unknown")+" here)")
		}
	}
	differ("protocol version", string(s.ProtocolVersion), string(works.ProtocolVersion))
	differ("transport", s.Transport.String(), works.Transport.String())
	differ("origin of the session id", s.IDSource.String(), works.IDSource.String())
	// The words of another session stay there: this one may be given away alone.
	unlike := func(what string, is bool) {
		if is {
			parts = append(parts, what)
		}
	}
	unlike("client", s.Client != works.Client)
	unlike("server", s.Server != works.Server)
	unlike("endpoint", s.Endpoint != works.Endpoint)
	if a, b := c.FactsOf(s.Index), c.FactsOf(works.Index); a != nil && b != nil && a.Init != nil && b.Init != nil {
		unlike("capabilities of the client", string(a.Init.ClientCaps) != string(b.Init.ClientCaps))
		unlike("capabilities of the server", string(a.Init.ServerCaps) != string(b.Init.ServerCaps))
	}
	text := " Session " + number(int64(works.Index+1)) + " of this recording was served"
	if len(parts) == 0 {
		return text + "; it began in the same way."
	}
	return text + "; what differs: " + strings.Join(parts, ", ") + "."
}

func quoteOr(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return quote(s)
}
