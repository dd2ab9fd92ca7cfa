package replay

import (
	"cmp"
	"time"

	"midwire/session/jsonpath"
	"midwire/session/mcp"
)

// Verdict is what came of comparing two responses to one call.
type Verdict uint8

// The verdicts.
const (
	Same Verdict = iota
	Changed
	Missing // there is no such call on the other side
	Extra   // there was none on the first side
	Broken  // it fails now
	Fixed   // it failed before
	Slower  // otherwise the same
	Skipped
	Verdicts // how many there are
)

// String is the verdict for people, and in a report.
func (v Verdict) String() string {
	return [Verdicts]string{"same", "changed", "missing", "extra", "error now", "fixed now", "slower", "skipped"}[v]
}

// MarshalText writes the verdict as String does.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Differs reports whether the verdict is a difference.
func (v Verdict) Differs() bool { return v != Same && v != Skipped }

// Change is one difference between two responses.
type Change struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // "changed", "added" or "removed"
	Was  string `json:"was,omitempty"`
	Now  string `json:"now,omitempty"`
}

// String is the change in one line. It holds text from the wire.
func (c Change) String() string {
	switch c.Kind {
	case "added":
		return c.Path + " added: " + c.Now
	case "removed":
		return c.Path + " removed: " + c.Was
	}
	return c.Path + ": " + c.Was + " → " + c.Now
}

// MaxChanges bounds what is said of one call.
const MaxChanges = 50

// Slow says from when on a call counts as slower. The zero value never does.
type Slow struct {
	Factor float64       // so many times the recorded time, and
	Least  time.Duration // so much more than it
}

// DefaultSlow is three times and a quarter of a second more.
func DefaultSlow() Slow { return Slow{Factor: 3, Least: 250 * time.Millisecond} }

func (s Slow) slower(was, now time.Duration) bool {
	return s.Factor > 0 && now > time.Duration(float64(was)*s.Factor) && now > was+s.Least
}

// Compare fills in what came of comparing the two responses to the call of an
// outcome. What is firm in it does not differ from run to run.
func (m *Masks) Compare(o *Outcome, was, now *Response, slow Slow) {
	o.Was, o.Now = *was, *now
	o.Verdict, o.Changes, o.Note = Same, nil, ""
	why, wasBad := was.Failure(o.Method)
	failure, isBad := now.Failure(o.Method)
	// The first response of a server takes as long as the machine does to start it.
	first := o.Method == mcp.Initialize || o.Method == mcp.Discover
	o.Slower = !first && was.None == "" && now.None == "" && slow.slower(was.Took, now.Took)
	switch {
	case was.None == Cancelled || now.None == Cancelled && was.None != "":
		// Whether the response comes before the cancellation is chance.
		if was.None != now.None {
			o.Note = "recorded: " + was.None + ", now: " + cmp.Or(now.None, "a response before that")
		}
		return
	case wasBad && !isBad:
		o.Verdict, o.Note = Fixed, why
	case isBad && !wasBad:
		o.Verdict, o.Note = Broken, failure
	case was.None != "" && now.None != "":
		return
	case was.None+now.None != "": // an error is not the same as silence
		o.Verdict, o.Note = Changed, failure+"; recorded: "+why
	}
	o.Changes = m.changes(o, was, now)
	o.firm.runs = nil
	switch {
	case o.Verdict != Same:
	case len(o.Changes) > 0:
		o.Verdict = Changed
	case o.Slower:
		o.Verdict = Slower
	}
}

// changes lists what is different between two responses, but for what does not count.
func (m *Masks) changes(o *Outcome, was, now *Response) []Change {
	if was.None != "" || now.None != "" {
		return nil
	}
	w := walk{masks: m, rules: m.rulesFor(o.Method, o.Target), firm: &o.firm}
	w.responses(was, now)
	return w.found
}

// Differences lists how two requests' values of that name differ in what they mean, but for what
// rules cover. A mask in the first stands for any text.
func Differences(rules []Rule, name string, a, b []byte) []Change {
	w := walk{masks: &Masks{}, rules: rules, strict: true}
	w.pair(place{at: jsonpath.Path{{Name: name}}}, a, b)
	return w.found
}

// Differences lists how two values of that name differ, but for what rules
// cover; either may be nil for none.
func (m *Masks) Differences(rules []Rule, name string, a, b []byte) []Change {
	w := walk{masks: m, rules: rules}
	w.pair(place{at: jsonpath.Path{{Name: name}}}, a, b)
	return w.found
}
