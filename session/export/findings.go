package export

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/safe"
	"midwire/session/stack"
	"midwire/session/words"
)

// Found is a finding with where it was found, as `midwire check --format json`
// prints it. Its JSON names are stable.
type Found struct {
	Rule            string   `json:"rule"`
	Severity        string   `json:"severity"`
	Known           bool     `json:"known"` // it knows the cause; else it says what was seen, and has no side, cause and fix
	Recording       string   `json:"recording"`
	Session         int      `json:"session"` // from 1 within its recording; 0 when it is about none
	SessionID       string   `json:"session_id,omitempty"`
	Frames          []uint64 `json:"frames"` // the evidence, the most important one first
	Message         string   `json:"message"`
	Cause           string   `json:"cause,omitempty"`
	Fix             string   `json:"fix,omitempty"`
	Remedies        []Remedy `json:"remedies,omitempty"` // what Fix says, by side
	Responsible     string   `json:"responsible"`
	Versions        string   `json:"protocol_versions"` // the rule holds for
	ProtocolVersion string   `json:"protocol_version,omitempty"`
	Spec            string   `json:"specification,omitempty"` // the URL of the section for the negotiated version
	Count           int      `json:"count"`
	Verdict         string   `json:"verdict,omitempty"` // of its session, as diagnose.Outcome has it
	ByGate          bool     `json:"by_gate,omitempty"` // the gate of the tap touched its evidence: it may be our own doing
	Fails           bool     `json:"fails,omitempty"`   // it is why its session failed, or that it did
	Follows         []Found  `json:"follows,omitempty"` // what it explains

	Evidence []Seen `json:"evidence,omitempty"` // of its session, on the first finding of that

	Source  *stack.Place      `json:"source,omitempty"` // where in the server's code, nil where no stack trace says
	Proof   []string          `json:"-"`                // some of Frames in words, a line each
	Level   diagnose.Severity `json:"-"`
	Excused bool              `json:"-"` // ByGate: it is no failure
	rule    *diagnose.Rule
	of      *diagnose.Finding
	ref     string // of the recording, for commands
	weight  int    // how bad it is, see diagnose.Finding.Weight
	asked   uint64 // frame of a request to ask again, 0 for none
	good    bool   // there is a session that works to compare with
}

// Seen is a line of evidence.
type Seen struct {
	Text   string   `json:"text"`
	Frames []uint64 `json:"frames"`
}

// seenBytes is how long a line of evidence is in JSON and for agents.
const seenBytes = 400

// SeenOf are lines of evidence as JSON and agents have them.
func SeenOf(lines []evidence.Line) (all []Seen) {
	b := evidence.Fit(lines, evidence.MaxLines, func(evidence.Line) int { return 1 })
	for _, l := range b.Lines {
		all = append(all, Seen{l.Label + ": " + l.Fit(seenBytes), append([]uint64{}, l.Frames...)})
	}
	return all
}

// Remedy is a fix for one side.
type Remedy struct {
	Side string `json:"side"` // as diagnose.Side has it, or "anyone"
	Text string `json:"text"`
}

func remedies(of []diagnose.Remedy) (all []Remedy) {
	for _, r := range of {
		all = append(all, Remedy{r.Who(), r.Text})
	}
	return all
}

// Rewrite puts every text of the finding itself through a function, such as one that
// masks.
func (e *Found) Rewrite(do func(string) string) {
	e.Message, e.Cause, e.Fix = do(e.Message), do(e.Cause), do(e.Fix)
	for i := range e.Evidence {
		e.Evidence[i].Text = do(e.Evidence[i].Text)
	}
	for i := range e.Remedies {
		e.Remedies[i].Text = do(e.Remedies[i].Text)
	}
	if e.Source != nil {
		p := *e.Source
		p.Func, p.File, p.Lines = do(p.Func), do(p.File), slices.Clone(p.Lines)
		for i := range p.Lines {
			p.Lines[i] = do(p.Lines[i])
		}
		e.Source = &p
	}
}

// Checked is a checked recording, as input of Findings.
type Checked struct {
	ID, Label string
	Ref       string // what commands take for it, where that is not its id: its file
	Sessions  []*session.Session
	Findings  []*diagnose.Finding
	Verdicts  []diagnose.Verdict // of Sessions
	Trouble   string             // "" or what is wrong with the recording
	// Proof has the frames that prove the gravest findings in words.
	Proof map[*diagnose.Finding][]string
	// Asked is the frame of a request that failed, of a finding that asking the server
	// again may decide.
	Asked map[*diagnose.Finding]uint64
	// Source is the line of the server's code that a stack trace names.
	// Folders are the folders of the server's program, for reading lines of code.
	Source  map[*diagnose.Finding]*stack.Place
	Folders []string
	// Evidence is what was seen, by index of the session, whole.
	Evidence map[int][]evidence.Line
	Calls    []int // of tools, by session
	// Good says that the library has a session of the same two that works.
	Good bool
	// Tokens counts texts that look like tokens, under an innocent name, by
	// what it looks like.
	Tokens map[string]int
	// ByGate reports whether the gate of the tap touched one of the frames; nil for never.
	ByGate func(frames []uint64) bool
}

// HoldsTokens says that a recording holds what looks like tokens, "" when it
// does not. Recordings keep such texts: they are data.
func (c Checked) HoldsTokens() string {
	if len(c.Tokens) == 0 {
		return ""
	}
	places := 0
	for _, n := range c.Tokens {
		places += n
	}
	return "it holds what looks like " + strings.Join(slices.Sorted(maps.Keys(c.Tokens)), ", ") + " (" + words.Count(places, "place") + "). midwire export masks such texts; the recording itself is confidential"
}

// AccountOf is what recordings that were checked together come to: the account of the
// worst of them, and which that is.
func AccountOf(checked []Checked) (worst diagnose.Account, of *Checked) {
	for i := range checked {
		c := &checked[i]
		if a := diagnose.AccountOf(c.Verdicts, c.Findings); of == nil || a.Weight() < worst.Weight() {
			worst, of = a, c
		}
	}
	return worst, of
}

// Findings makes the entries of recordings that were checked together, the worst first:
// the roots, each with what follows from it. What was made on purpose comes last.
func Findings(checked ...Checked) (all []Found) {
	for _, c := range checked {
		for _, f := range c.Findings {
			all = append(all, c.found(f))
		}
	}
	slices.SortStableFunc(all, func(a, b Found) int { return cmp.Compare(a.weight, b.weight) })
	for i := range checked {
		c, given := &checked[i], map[int]bool{}
		for k := range all {
			if e := &all[k]; e.Recording == c.ID && !given[e.Session] {
				given[e.Session] = true
				e.Evidence = SeenOf(c.Evidence[e.Session-1])
			}
		}
	}
	return all
}

func (c *Checked) found(f *diagnose.Finding) Found {
	e := Found{
		Rule: f.Rule.ID, Severity: f.Severity.String(), Known: f.Known(),
		Recording: c.ID, Session: f.Session + 1, Frames: f.Frames,
		Message: f.Message, Cause: f.Cause, Fix: f.Fix(), Remedies: remedies(f.Remedies), Responsible: f.Side.String(),
		Versions: f.Rule.Versions(), ProtocolVersion: string(f.ProtocolVersion), Count: f.Count,
		Spec: f.SpecURL(), Level: f.Severity, rule: f.Rule, of: f, Proof: c.Proof[f],
		ref: cmp.Or(c.Ref, c.ID), asked: c.Asked[f], good: c.Good, Source: c.Source[f],
	}
	if f.Session >= 0 && f.Session < len(c.Sessions) {
		e.SessionID = c.Sessions[f.Session].ID
	}
	if f.Session >= 0 && f.Session < len(c.Verdicts) {
		e.Verdict = c.Verdicts[f.Session].Outcome.String()
	}
	e.Fails = slices.ContainsFunc(c.Verdicts, func(v diagnose.Verdict) bool {
		return v.Outcome == diagnose.Failed && v.Cause == f
	})
	e.weight = f.Weight(c.Verdicts)
	if e.ByGate = c.ByGate != nil && c.ByGate(f.Frames); e.ByGate {
		e.weight += byGateWeighs
	}
	for _, g := range f.Follows {
		e.Follows = append(e.Follows, c.found(g))
	}
	if e.Excused = e.ByGate; e.ByGate {
		e.Each(func(f *Found) { f.ByGate = true })
	}
	return e
}

// textWidth is where lines of text for people are broken.
const textWidth = 100

// full writes an entry with all there is to say of it.
func (e *Found) full(b *strings.Builder) {
	b.WriteString(e.head() + "\n")
	paragraph(b, "", e.Message)
	for _, line := range e.Proof {
		b.WriteString("    " + line + "\n")
	}
	for _, part := range findingParts(e) {
		paragraph(b, part[0]+": ", part[1])
	}
	if e.ByGate {
		paragraph(b, "", byGate)
	}
	if e.Spec != "" {
		b.WriteString("    " + safe.Clean(e.Spec) + "\n") // an address is not broken
	}
	follows(b, e)
	b.WriteByte('\n')
}

// byGateWeighs is more than any finding weighs.
const byGateWeighs = 1000

const byGate = "Made on purpose: the gate held, changed, answered or ended a message of this evidence. This finding is the result"

// head is the first line of an entry.
func (e *Found) head() string {
	head := severitySign(e.Level) + " " + e.Severity + "  " + e.Rule
	if e.Count > 1 {
		head += "  ×" + strconv.Itoa(e.Count)
	}
	head += "  " + e.Recording
	if e.Session > 0 {
		head += " session " + strconv.Itoa(e.Session)
	}
	return safe.Clean(head) + "  " + FrameList(e.Frames)
}

// follows writes what follows from an entry, directly or not.
func follows(b *strings.Builder, e *Found) {
	n := 0
	e.walkBelow(func(*Found, int) { n++ })
	if n == 0 {
		return
	}
	b.WriteString("    " + words.CountOf(n, "consequence", "consequences") + ":\n")
	e.walkBelow(func(f *Found, depth int) {
		lead := strings.Repeat("  ", depth+2)
		times := ""
		if f.Count > 1 {
			times = " ×" + strconv.Itoa(f.Count)
		}
		line := lead + severitySign(f.Level) + " " + f.Rule + times + "  " + FrameList(f.Frames)
		b.WriteString(safe.Clean(line) + "\n")
		paragraph(b, lead, f.Message)
		for _, part := range findingParts(f) {
			paragraph(b, lead+part[0]+": ", part[1])
		}
	})
}

// Leave leaves out what follows from an entry by some rules.
func (e *Found) Leave(rules []string) {
	e.Follows = slices.DeleteFunc(e.Follows, func(f Found) bool { return slices.Contains(rules, f.Rule) })
	for i := range e.Follows {
		e.Follows[i].Leave(rules)
	}
}

// Each calls do with an entry and all that follows from it.
func (e *Found) Each(do func(f *Found)) {
	do(e)
	e.walkBelow(func(f *Found, _ int) { do(f) })
}

// walkBelow calls do with what follows from an entry; depth is 1 for what follows
// directly.
func (e *Found) walkBelow(do func(f *Found, depth int)) { e.walk(1, do) }

func (e *Found) walk(depth int, do func(*Found, int)) {
	for i := range e.Follows {
		do(&e.Follows[i], depth)
		e.Follows[i].walk(depth+1, do)
	}
}

// The headings of what a finding and a rule say, in the order of reading. The
// screen has the same.
const (
	headMeaning = "Meaning"
	headCause   = "Cause"
	headSide    = "Responsible side"
	headFix     = "How to fix it"
	headSpec    = "Specification"
)

// findingParts is what a finding says beside its message.
func findingParts(e *Found) (all [][2]string) {
	for _, part := range [][2]string{
		{headMeaning, e.rule.Help().Means},
		{headCause, e.Cause},
		{headSide, e.Responsible},
		{headFix, e.Fix},
		{headSpec, e.rule.Help().Spec},
	} {
		if part[1] != "" {
			all = append(all, part)
		}
	}
	return all
}

// paragraph writes a text, made safe, indented and broken at textWidth.
func paragraph(b *strings.Builder, lead, text string) {
	for line := range strings.SplitSeq(ansi.WordwrapWc(safe.Clean(lead+text), textWidth-4, ""), "\n") {
		b.WriteString("    " + line + "\n")
	}
}

func severitySign(s diagnose.Severity) string {
	return [...]string{" ", "✗", "!", "i"}[s]
}

// FrameList writes numbers of frames: #1 #2.
func FrameList(frames []uint64) string {
	var parts []string
	for _, n := range frames {
		parts = append(parts, "#"+strconv.FormatUint(n, 10))
	}
	return strings.Join(parts, " ")
}
