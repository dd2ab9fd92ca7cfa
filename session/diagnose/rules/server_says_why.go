package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var serverSaysWhy = rule("server-says-why",
	diagnose.Refusals|diagnose.Results|diagnose.Settled|diagnose.Stderr|diagnose.Processes|diagnose.Finish,
	func(c *diagnose.Case) {
		s := diagnose.State[failures](c)
		switch {
		case c.Refusal != nil:
			s.refused(c)
		case c.Kind == stderrKind:
			s.hear(c)
		case c.Kind == session.EventProcess:
			s.lines = s.lines[:0]
		case c.N == 0:
			s.report(c)
		case c.Call != nil && c.Call.Dir == wire.ToServer && c.Kind == session.EventSettled:
			s.lost(c)
		case c.Call != nil && c.Call.Dir == wire.ToServer && c.Kind == messageKind:
			s.served(c)
		}
	})

// failures are the requests of a session that were refused or lost, with the words
// around them.
type failures struct {
	list   []*outage
	lines  []outcry // on standard error, the latest
	latest []*outage
	good   *servedCalls
}

// servedCalls are the latest calls that were served, by session, method and target.
type servedCalls map[servedKey]servedCall

type servedKey struct {
	session        int
	method, target string
}

type servedCall struct {
	n    uint64 // frame of the result
	took int64
}

// servedOf is the latest call like that that was served before.
func servedOf(c *diagnose.Case, call *diagnose.Call) servedCall {
	return (*diagnose.Shared[servedCalls](c))[servedKey{c.Session.Index, call.Method, call.Target}]
}

type outcry struct {
	n    uint64
	t    int64
	text string
}

// outage is what failed several times in the same way.
type outage struct {
	op           [2]string
	key          string
	count        int
	t            int64
	last         uint64 // frame of the latest
	frames       []uint64
	about        []uint64
	how, said    string // what was seen, and the words for it
	from         *outcry
	wordy, asked bool // the words are those of the refusal; it asks for a header
}

const maxFailures, maxSpoken = 64, 48

// around is how long before and after a failure standard error speaks of it.
const before, after = 50e6, 1e9

func (s *failures) served(c *diagnose.Case) {
	if s.good == nil {
		s.good = diagnose.Shared[servedCalls](c)
	}
	if len(*s.good) < 1<<14 {
		at := servedKey{c.Session.Index, c.Call.Method, c.Call.Target}
		made((*map[servedKey]servedCall)(s.good))[at] = servedCall{c.N, c.T - c.Call.T}
	}
}

// refused takes a refusal that no rule of the protocol is about.
func (s *failures) refused(c *diagnose.Case) {
	r, x := c.Refusal, c.Exchange
	if c.Call == nil || c.Call.Dir != wire.ToServer || diagnose.Optional(c.Call.Method, r.Code) ||
		r.Code == mcp.CodeMethodNotFound || r.Code == mcp.CodeParseError || r.Means(sdkwords.MidwireRejected) ||
		!r.RPC && r.Status != 400 && r.Status < 500 {
		return
	}
	if c.Call.Method == mcp.ToolsCall {
		contrastOf(c).add(c, callRefused)
	}
	said := strings.TrimSpace(words.Clip(r.Text, 2048) + " " + r.Data)
	f := s.add(c, said)
	if f == nil {
		return
	}
	f.frames = append(f.frames, c.N, c.Call.N)
	if x != nil {
		f.about = append(f.about, headFrames(x)...)
	}
	if f.count > 1 {
		return
	}
	f.how = about(c.Call) + " was refused with "
	switch {
	case r.RPC:
		f.how += "the error " + number(r.Code) + " (" + frame(c.N) + ")"
	default:
		f.how += httpStatus(r.Status) + " (" + frame(c.N) + ")"
	}
	if said != "" {
		f.how += ": " + quoteLong(words.Line(said, 400))
	}
	if words.Holds(words.Fold(said), "<html", "<!doctype") {
		return // a page is written for people, by whatever stands before the server
	}
	_, known := adviceOn(said)
	own := r.Words().Own() && !slices.Equal(r.Words().Meanings(), []sdkwords.Meaning{sdkwords.Internal})
	switch f.asked = x != nil && !r.RPC && demanded(x, r.Text) != ""; {
	case f.asked:
		f.said, f.wordy = demanded(x, r.Text), true
	case known && (isBroken(said) || r.Code == mcp.CodeInternalError || r.Status >= 500) && !own:
		f.said, f.wordy = said, true
	default:
		f.said = ""
	}
	s.look(f, c.T-before)
}

// lost takes a request that nobody responded to: what the server said since it was sent
// may be why.
func (s *failures) lost(c *diagnose.Case) {
	if f := s.add(c, ""); f != nil {
		f.frames = append(f.frames, c.Call.N)
		f.how = about(c.Call) + " got no response"
		f.t = c.Call.T
		s.look(f, c.Call.T)
	}
}

// add counts a failure, nil when there are too many.
func (s *failures) add(c *diagnose.Case, said string) *outage {
	op := [2]string{c.Call.Method, c.Call.Target}
	key := c.Call.Method + diagnose.Shape(said)
	if said == "" || c.Call.Method != mcp.ToolsCall {
		key += op[0] + " " + op[1]
	}
	i := slices.IndexFunc(s.list, func(f *outage) bool { return f.key == key })
	switch {
	case i >= 0:
	case len(s.list) >= maxFailures:
		return nil
	default:
		i, s.list = len(s.list), append(s.list, &outage{op: op, key: key})
	}
	f := s.list[i]
	f.count++
	f.t, f.last = c.T, c.N
	if len(f.frames) >= diagnose.MaxFrames {
		f.frames = f.frames[:diagnose.MaxFrames-2]
	}
	if len(f.about) >= 4*diagnose.MaxFrames {
		f.about = f.about[:0]
	}
	s.latest = kept(s.latest, 8, f)
	return f
}

// hear takes a line on standard error: it may be about what failed just before.
func (s *failures) hear(c *diagnose.Case) {
	text := strings.TrimSpace(words.Line(string(words.Clip(c.Data, maxWords)), maxWords))
	if _, known := adviceOn(text); !known {
		return
	}
	s.lines = kept(s.lines, maxSpoken, outcry{c.N, c.T, text})
	for _, f := range s.latest {
		if f.from == nil && !f.wordy && c.T-f.t <= after {
			s.look(f, f.t)
		}
	}
}

func (s *failures) look(f *outage, since int64) {
	for i := len(s.lines) - 1; i >= 0 && f.from == nil && !f.wordy; i-- {
		if line := s.lines[i]; line.t >= since && line.t <= max(f.t+after, since+after) {
			f.from, f.said = &line, line.text
		}
	}
}

func (s *failures) report(c *diagnose.Case) {
	for _, f := range s.list {
		a, known := adviceOn(f.said)
		if f.said == "" || !known && !f.asked {
			continue
		}
		if f.asked {
			a = advice{
				"The server, or what stands before it, wants a header that MCP does not know: a key, a tenant or a version of its own.",
				fixes(inClient("in its configuration, add the header " + f.said + " for this server, with the value that the server's documentation names.")),
				diagnose.Client,
			}
		}
		out := diagnose.Finding{
			Frames: distinct(f.frames), About: f.about, Cause: a.cause, Remedies: a.fix, Side: a.side,
			Seen: !f.asked && !(f.wordy && variableName().MatchString(f.said) && lacksWords().MatchString(f.said)),
		}
		switch good := (*diagnose.Shared[servedCalls](c))[servedKey{c.Session.Index, f.op[0], f.op[1]}].n; {
		case good > f.last && f.count < 3:
			out.Severity, out.Seen = diagnose.Note, true
		case good == 0:
			out.Severity = diagnose.Error
		}
		out.Message = f.how
		if f.from != nil {
			out.Message += "; on standard error the server said at that time " + quoteLong(f.said) + " (" + frame(f.from.n) + ")"
			out.Frames = append(out.Frames[:min(len(out.Frames), diagnose.MaxFrames-1)], f.from.n)
		}
		if f.count > 1 {
			out.Message += ", " + words.CountOf(f.count, "time", "times") + " in all"
		}
		out.Message += "."
		if f.op[0] == mcp.ToolsCall {
			out.Message += (*diagnose.Common[contrasts](c))[f.op[1]].of(callRefused)
		}
		c.ReportAs(f.key, out)
	}
	s.list = nil
}

// demanded is a header that a refusal asks for and that was not sent, "" for none: one
// that is no header of HTTP or MCP, for which there are other rules.
func demanded(x *session.Exchange, said string) string {
	if !words.Holds(words.Fold(said), "missing", "required", "must ", "expected", "no ") {
		return ""
	}
	for word := range strings.FieldsFuncSeq(said, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) {
		fold := words.Fold(word)
		if !strings.HasPrefix(fold, "x-") && !strings.HasSuffix(fold, "-key") && !strings.HasSuffix(fold, "-token") || len(word) < 4 {
			continue
		}
		if x.Header(word) == "" && !strings.HasPrefix(fold, "mcp-") {
			return word
		}
	}
	return ""
}
