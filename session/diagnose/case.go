package diagnose

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/oauth"
	"midwire/session/operation"
	"midwire/session/outline"
	"midwire/session/words"
)

// Case is what a rule is asked about. It and what it points to are valid
// during the call only; a rule that keeps bytes copies them.
type Case struct {
	*session.Event
	Facts   *Facts         // of the session; nil when it is not known whose it is
	Call    *Call          // the request, or what the response responses, or what was settled; nil for none
	Parent  *Call          // of a notification: the call it belongs to, while that is pending; nil for none
	Refusal *Refusal       // of Refusals
	Pair    *Pair          // of Pairs
	Flow    *Flow          // of Pairs and Flows
	Failure *Failure       // of Failures
	Defect  *defect.Defect // of Defects

	Ledger *ledger.Ledger // who owes what, the event in hand included

	checker *Checker
	asked   *asked // the rule in hand
}

// Refusal is a request that a server, or what stands before it, turned down.
type Refusal struct {
	Status int    // HTTP, 0 on stdio
	Code   int64  // JSON-RPC, 0 when there is none
	Text   string // of the JSON-RPC error, or else the beginning of the body
	Data   string // of the JSON-RPC error, the beginning of it; "" when it has none
	RPC    bool   // it was said in JSON-RPC

	found *sdkwords.Found
}

// Words are what the text and the data say, in the words of the known SDKs.
func (r *Refusal) Words() *sdkwords.Found {
	if r.found == nil {
		found := sdkwords.Find(r.Code, r.Text, r.Data)
		r.found = &found
	}
	return r.found
}

// Means reports whether the refusal says one of these, in the words of whatever SDK.
func (r *Refusal) Means(one ...sdkwords.Meaning) bool { return r.Words().Means(one...) }

// SDKs names those whose words the refusal has: none when that is not known.
func (r *Refusal) SDKs() []string { return r.Words().SDKs(r.Status, r.Code, r.RPC) }

// Says reports whether the text or the data of the refusal holds one of the words,
// without regard to case.
func (r *Refusal) Says(one ...string) bool {
	return slices.ContainsFunc(one, func(w string) bool {
		return words.Contains(r.Text, w) || words.Contains(r.Data, w)
	})
}

// Logins is what is known of the logins in the recording, the event in hand included.
func (c *Case) Logins() *oauth.Book { return c.checker.logins }

// Operations is what either side wanted, the event in hand included.
func (c *Case) Operations() *operation.Book { return c.checker.book }

// Rule is the rule in hand.
func (c *Case) Rule() *Rule { return c.asked.Rule }

// Pending is the request of a row as long as it waits for its response, nil for any
// other row.
func (c *Case) Pending(row int32) *Call { return c.checker.Pending(int(row)) }

// Report adds a finding. What is not set is taken from the rule and the case;
// without Frames the evidence is the frame in hand. Findings of the same rule,
// session and message are one that is counted.
func (c *Case) Report(f Finding) { c.ReportAs(f.Message, f) }

// Say is ReportAs of a message and its evidence, with all else as the rule has it.
func (c *Case) Say(key, message string, frames ...uint64) {
	c.ReportAs(key, Finding{Message: message, Frames: frames})
}

// ReportAs is Report with a key by which findings are taken for the same: for
// messages that differ in no more than a number.
func (c *Case) ReportAs(key string, f Finding) {
	f.Rule, f.key = c.asked.Rule, key
	f.Severity = cmp.Or(f.Severity, c.asked.Rule.Severity)
	byOthers := f.Side == Unclear && c.asked.Rule.Side == Server && c.perhapsBetween()
	f.Side = cmp.Or(f.Side, c.asked.Rule.Side)
	if len(f.Frames) == 0 && c.N != 0 {
		f.Frames = []uint64{c.N}
	}
	f.Seen = f.Seen || byOthers
	f.Session = c.sessionOf(f.Frames)
	f.T, f.ProtocolVersion = c.T, c.ProtocolVersion()
	c.checker.told = c.checker.told || c.asked.Alike
	if f.Message == "" && len(f.Rule.Says) > 0 && c.checker.byKey[findingKey{f.Rule, f.Session, key}] == nil {
		f.Message = c.Sentence(f.Says, f.With)
	}
	f.With = nil
	c.checker.add(f)
}

// perhapsBetween reports whether what is between client and server may have made the refusal in
// hand: it left its marks, and the words are of no server.
func (c *Case) perhapsBetween() bool {
	r, x := c.Refusal, c.Exchange
	return r != nil && !r.RPC && x != nil && x.Status >= 400 && len(r.Words().Phrases) == 0 &&
		operation.Between(x.ResponseHeader) != ""
}

// sessionOf is the session where the evidence shows, which may be another than
// the one in which the rule made up its mind; -1 for none.
func (c *Case) sessionOf(evidence []uint64) int {
	if len(evidence) > 0 && evidence[0] != c.N && (c.Call == nil || evidence[0] != c.Call.N) {
		t, n := c.checker.tracker, evidence[0]
		i := sort.Search(t.Rows(), func(i int) bool { return uint64(t.Row(i).Request) >= n })
		if i < t.Rows() && uint64(t.Row(i).Request) == n && t.Row(i).Session >= 0 {
			return int(t.Row(i).Session)
		}
	}
	if c.Session != nil {
		return c.Session.Index
	}
	return -1
}

// ProtocolVersion is the protocol version in force for the message in hand, "" when
// it is not known.
func (c *Case) ProtocolVersion() mcp.Version {
	switch {
	case c.Call != nil && c.Call.Version != "":
		return c.Call.Version
	case c.Session != nil:
		return c.Session.ProtocolVersion
	}
	return ""
}

// IsModern says whether the message in hand is of the era without sessions.
func (c *Case) IsModern() bool {
	return c.Modern || c.Call != nil && c.Call.Modern || c.Session != nil && c.Session.Modern
}

// Blind says that something before the message in hand was not recorded: what
// seems to be missing may have been there.
func (c *Case) Blind() bool { return c.checker.blind }

// Count is how many events there were, the one in hand included: what a rule reads of
// that may be kept until there is another.
func (c *Case) Count() uint64 { return c.checker.count }

// Clock is when the event in hand was, nanoseconds since 1970; 0 when nobody knows.
func (c *Case) Clock() int64 {
	if c.checker.opt.Started == 0 {
		return 0
	}
	return c.checker.opt.Started + c.T
}

// Until is when the latest event was: in the end, how long the recording lasted.
func (c *Case) Until() int64 { return c.checker.until }

// Method is the method of the message in hand, of a response that of its call; "" for none.
func (c *Case) Method() string {
	if c.Call != nil {
		return c.Call.Method
	}
	return string(c.Message.Method)
}

// Tracker is what the recording means so far. It may be read only. A rule that
// looks at all sessions or rows asks Sessions or Latest: the tracker may know
// those of other taps.
func (c *Case) Tracker() *session.Tracker { return c.checker.tracker }

// Sessions are those of the tap that saw the case, in order.
func (c *Case) Sessions() []*session.Session {
	all := c.checker.tracker.Sessions()
	c.checker.work += len(all)
	return all
}

// Standing is what rules see in the sessions as they stand: it is made once, and holds
// until the next event.
func Standing[T any](c *Case, see func(*T)) *T {
	kept := Shared[standing[T]](c)
	if kept.seen == nil || kept.at != c.Count() {
		kept.seen, kept.at = new(T), c.Count()
		see(kept.seen)
	}
	return kept.seen
}

type standing[T any] struct {
	seen *T
	at   uint64
}

// Responded are those of them in which the server has responded with a result.
func (c *Case) Responded() []*session.Session { return c.checker.responded }

// Latest are the latest rows of the tap that saw the case, at most so many, the
// latest first.
func (c *Case) Latest(most int) iter.Seq2[int, *session.Row] {
	return func(yield func(int, *session.Row) bool) {
		t := c.Tracker()
		for i := t.Rows() - 1; i >= 0 && most > 0; i-- {
			r := t.Row(i)
			c.checker.work++
			if most--; !yield(i, r) {
				return
			}
		}
	}
}

// FactsOf returns what is remembered of another session, nil when there is
// none.
func (c *Case) FactsOf(session int) *Facts { return c.checker.facts[session] }

// State is what the rule in hand remembers of the session in hand. It begins
// as the zero value. A case without a session has the memory of the recording.
func State[T any](c *Case) *T {
	if c.Facts == nil {
		return Memory[T](c)
	}
	slot := &c.checker.slots[c.asked.place]
	if *slot == 0 {
		c.checker.held++
		*slot = c.checker.held
	}
	if missing := int(*slot) - len(c.Facts.state); missing > 0 {
		c.Facts.state = append(c.Facts.state, make([]any, missing)...)
	}
	return remembered[T](&c.Facts.state[*slot-1])
}

// Memory is what the rule in hand remembers of the whole recording.
func Memory[T any](c *Case) *T { return remembered[T](&c.checker.memory[c.asked.place]) }

// ByOutline is what find says of the message in hand, for the rule in hand. It is asked
// once for all messages of an outline, so it must not look at what texts and numbers say,
// nor at anything else.
func ByOutline[T any](c *Case, find func() T) T {
	o := c.Outline()
	if o == nil {
		return find()
	}
	known := remembered[map[*outline.Outline]T](&c.checker.outlined[c.asked.place])
	found, ok := (*known)[o]
	if ok {
		return found
	}
	if *known == nil || len(*known) >= maxOutlines {
		*known = map[*outline.Outline]T{}
	}
	found = find()
	(*known)[o] = found
	return found
}

// maxOutlines bounds what a rule remembers of outlines.
const maxOutlines = 1024

// remembered is the T of a place, made when it is first asked for.
func remembered[T any](at *any) *T {
	s, ok := (*at).(*T)
	if !ok {
		s = new(T)
		*at = s
	}
	return s
}

// Common is what several rules remember of the session in hand together.
func Common[T any](c *Case) *T {
	all := Shared[map[int]*T](c)
	if *all == nil {
		*all = map[int]*T{}
	}
	in := -1
	if c.Session != nil {
		in = c.Session.Index
	}
	if (*all)[in] == nil {
		(*all)[in] = new(T)
	}
	return (*all)[in]
}

// Shared is what several rules remember of the whole recording together: there
// is one T for all of them.
func Shared[T any](c *Case) *T {
	for _, kept := range c.checker.shared {
		if s, ok := kept.(*T); ok {
			return s
		}
	}
	s := new(T)
	c.checker.shared = append(c.checker.shared, s)
	return s
}
