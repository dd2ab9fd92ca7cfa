package resilience

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"midwire/replay/checks"
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Trial is a run of a client, with a fault or without.
type Trial struct {
	Fault
	Tapes   []*Tape // in the order in which they began
	Started int64   // nanoseconds of the clock, as in Tape
	End     End
}

// End is how a client ended.
type End struct {
	Took   time.Duration
	Code   int
	Signal string // that it died of, "" for none
	Killed bool   // by midwire, because its time was over
	Lines  []Line // of what it printed
}

// Line is a line of a client's output.
type Line struct {
	After time.Duration // since it was started
	Text  string
}

// tooLate is what a recovery may take beyond the time of the fault itself.
const tooLate = 5 * time.Second

// Judge says what a client made of the fault of a trial. base is a trial without a
// fault; the tapes of both are finished.
func Judge(t, base *Trial) *checks.Check {
	j := &judging{Trial: t, base: base, Check: t.Check()}
	if !j.began() {
		j.Outcome, j.Text = checks.NotApplicable, j.idle()
		return j.Check
	}
	said, _ := j.words()
	j.spoilt = j.Trial.spoilt(said != "")
	j.count()
	j.notes()
	for _, rule := range []func() bool{j.broken, j.hung, j.recovered, j.told} {
		if rule() {
			return j.Check
		}
	}
	why := "it ended as if nothing had happened: " + j.lacks() + ", and nobody was told"
	if j.Trial.looksGood() {
		why = "it took for good what does not fit the output schema: " + strings.Join(j.missing, ", ")
	}
	j.After = j.ended()
	j.decide(checks.Wrong, why)
	return j.Check
}

type judging struct {
	*Trial
	*checks.Check
	base    *Trial
	first   int64 // when the fault acted first, by the clock
	kept    int64 // nanoseconds that it kept messages waiting
	missing []string
	reached int64 // when the last call was served, by the clock
	asks    int   // attempts
	cancels bool  // the client cancels what it was served
	spoilt  bool  // what the gate edits of responses cannot be used
}

// began finds the first thing that the fault did.
func (j *judging) began() bool {
	for _, tape := range j.Tapes {
		acts := tape.did()
		if len(acts) == 0 {
			continue
		}
		j.kept += tape.waits()
		if at := tape.Started + acts[0].t; j.first == 0 || at < j.first {
			j.first = at
			j.show(tape, cmp.Or(acts[0].Gate.Frame, uint64(acts[0].n)), "the fault: "+acts[0].What)
		}
	}
	return j.first != 0
}

func (j *judging) idle() string {
	if j.Trial.Offer != nil {
		return j.absent()
	}
	for _, tape := range j.Tapes {
		for _, a := range tape.acts {
			if a.What == wire.GatePass {
				j.show(tape, uint64(a.n), "passed")
				return "nothing was done: " + a.Why
			}
		}
	}
	if len(j.Tapes) == 0 {
		return "the client did not connect"
	}
	return "the fault found nothing to act on"
}

// count compares what was served with what is served without the fault.
func (j *judging) count() {
	got, want := map[string]int{}, map[string]int{}
	for _, c := range j.base.calls() {
		j.cancels = j.cancels || c.reached(false) && c.cancelled() != 0
		switch {
		case !c.reached(false):
		case strings.HasSuffix(c.what, "/list"):
			want[c.what] = 1 // how often is up to notifications that came, or did not
		default:
			want[c.what]++
		}
	}
	for _, c := range j.calls() {
		j.asks++
		if !j.served(&c) {
			j.unserved(&c)
			continue
		}
		if got[c.what]++; want[c.what] >= got[c.what] {
			j.reached = max(j.reached, c.tape.Started+c.arrived())
		}
	}
	for _, what := range slices.Sorted(maps.Keys(want)) {
		if n := want[what] - got[what]; n > 0 {
			j.missing = append(j.missing, what)
		}
	}
}

// served says whether a call was: one that the fault touched and the client gave up was
// not, unless that client cancels what it was served, too.
func (j *judging) served(c *call) bool {
	return c.reached(j.spoilt) && (c.cancelled() == 0 || !c.touched() || j.cancels)
}

// unserved adds a call that was not served to the evidence, of the first ones.
func (j *judging) unserved(c *call) {
	const most = 3
	if len(j.Evidence) <= most {
		j.show(c.tape, uint64(c.Request), c.what+" was not served")
		j.show(c.tape, uint64(c.Response), "what came of it")
	}
}

func (j *judging) lacks() string { return words.List(j.missing, 3) + " did not come" }

func (j *judging) show(tape *Tape, frame uint64, what string) {
	e := checks.Evidence{Recording: tape.ID, Frame: frame, Shows: what}
	same := func(o checks.Evidence) bool { return o.Recording == e.Recording && o.Frame == e.Frame }
	if frame != 0 && !slices.ContainsFunc(j.Evidence, same) {
		j.Evidence = append(j.Evidence, e)
	}
}

func (j *judging) decide(v checks.Outcome, why string) {
	j.Outcome, j.Text = v, why
	if j.Said == "" {
		j.Said, _ = j.words()
	}
}

// broken looks for what breaks the protocol, and for a crash.
func (j *judging) broken() bool {
	if f, tape := broke(j.Trial, j.base); f != nil {
		for _, n := range f.Frames {
			j.show(tape, n, f.Rule.ID)
		}
		j.Rule, j.After = f.Rule.ID, j.since(tape.Started+f.T)
		j.decide(checks.Wrong, f.Message)
		return true
	}
	if why, at := j.Trial.demands(j.Trial); why != "" {
		j.Evidence = append(j.Evidence, at)
		j.decide(checks.Wrong, why)
		return true
	}
	crashed := j.Trial.End.Signal
	for _, line := range j.Trial.End.Lines {
		if strings.HasPrefix(line.Text, "panic: ") || strings.HasPrefix(line.Text, "fatal error: ") {
			crashed = line.Text
		}
	}
	if crashed == "" || j.Trial.End.Killed {
		return false
	}
	j.After = j.ended()
	j.decide(checks.Wrong, "it crashed: "+crashed)
	return true
}

// hung looks for a client that came to no end.
func (j *judging) hung() bool {
	if !j.Trial.End.Killed {
		return false
	}
	waited := fmt.Sprintf(" in %.0f s", j.Trial.End.Took.Seconds())
	why := "it did not end" + waited
	if c := j.waits(); c != nil {
		why = "it waits for " + c.what + " and gives no sign" + waited
		j.show(c.tape, uint64(c.Request), "never answered")
	}
	if len(j.missing) == 0 {
		why = "all was served, and it did not end" + waited
	}
	j.After = j.ended()
	j.decide(checks.Hung, why)
	return true
}

// waits is the call that a client may wait for that does not end: the last one that
// was not served, or that the fault changed.
func (j *judging) waits() (last *call) {
	unserved := false
	for _, c := range j.calls() {
		lost := c.Ending.Open() || c.Ending.Lost() || !j.served(&c)
		if lost || !unserved && c.touched() {
			last, unserved = &c, unserved || lost
		}
	}
	return last
}

// recovered looks for all that is served without the fault.
func (j *judging) recovered() bool {
	code := j.Trial.End.Code != 0 && j.base.End.Code == 0
	if len(j.missing) > 0 || code {
		return false
	}
	if j.Trial.Offer != nil {
		j.kept += int64(j.Slow) * int64(len(j.calls()))
		if j.Taken != "" && !j.taken(j.Trial) {
			j.Outcome, j.Text = checks.NotApplicable, "not taken up: the client does not "+j.Taken
			return true
		}
	}
	j.After = max(j.since(j.reached), 0)
	extra := j.After - j.span(j.base) - time.Duration(j.kept)
	v, how := checks.Recovered, j.how()
	if extra > tooLate && !j.paced() {
		v, how = checks.RecoveredLate, fmt.Sprintf("%s, %s later than without the fault", how, extra.Round(100*time.Millisecond))
	}
	j.decide(v, how)
	return true
}

func (j *judging) how() string {
	began := func(t *Trial) (n int) {
		for _, tape := range t.Tapes {
			for i := range tape.tracker.Rows() {
				r := tape.tracker.Row(i)
				if r.Kind == session.RowCall && tape.tracker.Name(r.Name) == mcp.Initialize {
					n++
				}
			}
		}
		return n
	}
	switch {
	case len(j.Tapes) > len(j.base.Tapes):
		return "it started the server again"
	case began(j.Trial) > began(j.base):
		return "it began a new session"
	case j.asks > len(j.base.calls()):
		return "it asked again"
	case j.resumed():
		return "it resumed the stream"
	}
	return "it went on, and all was served"
}

// resumed says whether a response came on another exchange than its request's.
func (j *judging) resumed() bool {
	for _, c := range j.calls() {
		if a := c.resumed(); c.X != 0 && a.n != 0 {
			j.show(c.tape, a.n, "resumed")
			return true
		}
	}
	return false
}

// paced says whether the fault was a slow network.
func (j *judging) paced() bool {
	for _, tape := range j.Tapes {
		if slices.ContainsFunc(tape.acts, func(a act) bool { return a.What == wire.GatePace }) {
			return true
		}
	}
	return false
}

func (j *judging) told() bool {
	var at time.Duration
	j.Said, at = j.words()
	code := j.Trial.End.Code
	if j.Said == "" && (code == 0 || code == j.base.End.Code) {
		return false
	}
	if j.After = j.ended(); j.Said != "" {
		j.After = max(j.since(j.Trial.Started+int64(at)), 0)
	}
	var why []string
	if len(j.missing) > 0 {
		why = append(why, j.lacks())
	}
	switch {
	case code != j.base.End.Code:
		why = append(why, fmt.Sprintf("it exited with %d", code))
	case j.Said != "":
		why = append(why, "it said so")
	}
	j.decide(checks.Told, strings.Join(why, "; "))
	return true
}

func (j *judging) notes() {
	for _, c := range j.calls() {
		if n := c.cancelled(); n != 0 {
			j.Notes = append(j.Notes, fmt.Sprintf("it cancelled %s (#%d)", c.what, n))
			j.show(c.tape, n, "cancelled")
		}
	}
	for _, tape := range j.Tapes {
		for _, f := range tape.findings() {
			if f.Side == diagnose.Client && f.Severity > diagnose.Error && slices.Contains(conduct, f.Rule.ID) {
				j.Notes = append(j.Notes, f.Rule.ID+": "+f.Message)
			}
		}
	}
}

// since is how long after the fault a moment is.
func (j *judging) since(at int64) time.Duration { return time.Duration(at - j.first) }

// ended is how long after the fault the client ended.
func (j *judging) ended() time.Duration {
	return max(j.since(j.Trial.Started+int64(j.Trial.End.Took)), 0)
}

// span is the time from the first call of a trial to the response that came last.
func (j *judging) span(t *Trial) time.Duration {
	from, last := int64(0), int64(0)
	for _, tape := range t.Tapes {
		if tape.tracker.Rows() > 0 {
			if at := tape.Started + tape.tracker.Row(0).T; from == 0 || at < from {
				from = at
			}
		}
	}
	for _, c := range t.calls() {
		if c.Ending == session.Served {
			last = max(last, c.tape.Started+c.End)
		}
	}
	return time.Duration(max(last-from, 0))
}
