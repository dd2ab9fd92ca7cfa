package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/evidence"
	"midwire/session/safe"
	"midwire/session/words"
)

// Text says how findings are written for people.
type Text struct {
	Width int  // in columns, 0 for PipeWidth
	Whole bool // everything that was found, in full
}

// PipeWidth is how wide texts are that no terminal shows.
const PipeWidth = 80

// FindingsText answers for people what the recordings come to: the first line, who must act or
// that the cause is not known, the fix, and the evidence; then what else was found in a line
// each, and the sessions. It is safe for a terminal.
func FindingsText(all []Found, checked []Checked, how Text) string {
	t := &answer{width: cmp.Or(how.Width, PipeWidth), all: all, checked: checked}
	t.account, t.of = AccountOf(checked)
	if t.whole = how.Whole; how.Whole {
		t.head(t.pick())
		for i := range all {
			all[i].full(&t.Builder)
		}
	} else {
		head := t.pick()
		t.head(head)
		rest := 0
		for i := range all {
			if e := &all[i]; e != head {
				rest++
				t.WriteString(cut(e.line(), t.width) + "\n")
			}
		}
		if rest > 0 {
			t.WriteByte('\n')
		}
		t.sessions()
	}
	t.WriteString(t.total() + "\n")
	return t.String()
}

// answer is a text in the making.
type answer struct {
	strings.Builder
	width   int
	whole   bool
	all     []Found
	checked []Checked
	account diagnose.Account
	of      *Checked
}

// pick is the finding that the first line is of, or the one that stands below it; nil for none.
func (t *answer) pick() *Found {
	for i := range t.all {
		if t.account.Cause != nil && t.all[i].of == t.account.Cause {
			return &t.all[i]
		}
	}
	if len(t.all) > 0 && !t.all[0].ByGate && t.account.Cause == nil {
		return &t.all[0]
	}
	return nil
}

// head is the first line with who must act, the fix and the evidence.
func (t *answer) head(e *Found) {
	leads := e != nil && e.of == t.account.Cause
	if t.of != nil && (len(t.of.Verdicts) > 0 || t.account.Cause != nil) {
		t.first(e, leads)
	}
	if leads {
		t.fixes(e)
	}
	t.evidence(e, leads)
	if e != nil && !leads && !t.whole { // what is only noted may be what the user looks for
		t.said(severitySign(e.Level), e.Message, t.writeSide(e))
		t.fixes(e)
		t.proof(e)
	}
}

// first is the first line, and behind it who must act.
func (t *answer) first(e *Found, leads bool) {
	v := &t.account.Verdict
	who := ""
	switch {
	case leads:
		who = t.writeSide(e)
	case v.Outcome == diagnose.Failed || v.Outcome == diagnose.Impaired:
		who = diagnose.NotKnown
	}
	t.said(v.Sign(), strings.TrimRight(v.Line, " .")+".", who)
}

// writeSide must act on a finding.
func (t *answer) writeSide(e *Found) string {
	if !e.Known {
		return diagnose.NotKnown
	}
	var s *session.Session
	for i := range t.checked {
		if c := &t.checked[i]; c.ID == e.Recording && e.Session > 0 && e.Session <= len(c.Sessions) {
			s = c.Sessions[e.Session-1]
		}
	}
	who := diagnose.Act(e.of.Rule, e.of.Side, s) + " · " + e.Rule
	if sessions(t.checked) > 1 && e.Session > 0 {
		who = "session " + strconv.Itoa(e.Session) + " of " + e.Recording + " · " + who
	}
	return who
}

// said writes a sentence behind its sign, and at the right who must act.
func (t *answer) said(sign, text, who string) {
	lines := strings.Split(ansi.WordwrapWc(safe.Clean(text), t.width-2, ""), "\n")
	if who = safe.Clean(who); who != "" {
		last := len(lines) - 1
		room := t.width - 2 - ansi.StringWidthWc(lines[last])
		if room < ansi.StringWidthWc(who)+4 {
			lines, last, room = append(lines, ""), last+1, t.width-2
		}
		lines[last] += strings.Repeat(" ", max(room-ansi.StringWidthWc(who), 0)) + who
	}
	t.WriteString(sign + " " + strings.Join(lines, "\n  ") + "\n")
}

// fixes are what to do: what is most important first.
func (t *answer) fixes(e *Found) {
	name := "fix"
	for _, text := range e.of.Fixes() {
		t.label(name, 8, text)
		name = "or"
	}
	if e.ByGate {
		t.label("note", 8, byGate)
	}
	e.code(&t.Builder, t.width)
}

func (t *answer) proof(e *Found) {
	if len(e.Proof) == 0 {
		return
	}
	t.WriteByte('\n')
	for _, line := range e.Proof {
		t.WriteString("  " + cut(line, t.width-2) + "\n")
	}
}

// evidence is the block of what was seen in the session of the account.
func (t *answer) evidence(e *Found, leads bool) {
	if t.of == nil || t.account.Session < 0 {
		if leads {
			t.proof(e)
		}
		if t.writeHints(e, leads); t.Len() > 0 {
			t.WriteByte('\n')
		}
		return
	}
	t.WriteByte('\n')
	most := evidence.MaxLines
	lines := t.of.Evidence[t.account.Session]
	if leads && e.Known && !slices.ContainsFunc(lines, failed) {
		for _, line := range e.Proof {
			t.WriteString("  " + cut(line, t.width-2) + "\n")
			most--
		}
	}
	if t.whole {
		most = 1000
	}
	if t.account.Outcome == diagnose.Served && !slices.ContainsFunc(lines, tells) {
		where := "outside what passes here"
		if slices.ContainsFunc(lines, func(l evidence.Line) bool { return l.Label == evidence.Served }) {
			where = "in the results below or " + where
		}
		client := safe.Clean(evidence.Name(t.of.Sessions[t.account.Session].Client, "the client"))
		t.said(" ", "Nothing failed on the wire: if "+client+" shows an error, its cause is "+where+".", "")
	}
	rows := func(l evidence.Line) int { return strings.Count(t.row(l), "\n") }
	b := evidence.Fit(lines, most, rows)
	for _, l := range b.Lines {
		t.WriteString(t.row(l))
	}
	if len(b.Left) > 0 {
		t.WriteString("  and " + strings.Join(b.Left, ", ") + ": --verbose\n")
	}
	t.writeHints(e, leads)
	t.WriteByte('\n')
}

// failed reports whether a line is about what was not served.
func failed(l evidence.Line) bool {
	return slices.Contains([]string{evidence.Refused, evidence.Failed, evidence.Silent, evidence.Odd}, l.Label)
}

// tells reports whether a line of a session that was served tells of anything odd.
func tells(l evidence.Line) bool {
	return l.Label != evidence.Version && l.Label != evidence.InAll && l.Label != evidence.Ended &&
		l.Label != evidence.Silence && l.Label != evidence.Stderr && l.Label != evidence.Served
}

// row is a line of the block as it is printed: cut in its quotes to two rows, and broken at blanks.
func (t *answer) row(l evidence.Line) string {
	var b answer
	b.width = t.width
	b.label(l.Label, 2+evidence.LabelWidth, l.Fit(2*(t.width-2-evidence.LabelWidth)-8))
	return b.String()
}

// writeHints stands below the evidence: what to do next.
func (t *answer) writeHints(e *Found, leads bool) {
	if !leads {
		return
	}
	column := 2 + evidence.LabelWidth
	var b answer
	b.width = t.width
	ref := safe.Clean(ShellWord(e.ref))
	name := evidence.Next
	next := func(command string) {
		b.WriteString("  " + pad(name, column-2) + command + "\n") // in one line, to be pasted
		name = ""
	}
	if ask := e.of.Rule.Ask; ask != "" {
		next("midwire " + ask + " " + ref)
	} else if e.asked > 0 && !e.ByGate {
		next("midwire probe " + ref + " --call " + strconv.FormatUint(e.asked, 10))
	}
	if e.good && !e.ByGate && !e.Known {
		next("midwire compare " + ref)
	}
	n := 0
	e.walkBelow(func(*Found, int) { n++ })
	if n > 0 {
		b.label("then", column, words.Count(n, "more finding")+" of the same cause: --verbose prints all")
	}
	if b.Len() > 0 {
		t.WriteString("\n" + b.String())
	}
}

// label writes a text behind a word in its own column.
func (t *answer) label(name string, column int, text string) {
	for line := range strings.SplitSeq(ansi.WordwrapWc(safe.Clean(text), t.width-column, ""), "\n") {
		t.WriteString(strings.TrimRight("  "+pad(name, column-2)+line, " ") + "\n")
		name = ""
	}
}

// code writes where in the server's code it comes from, and the lines there.
func (e *Found) code(b *strings.Builder, width int) {
	p := e.Source
	if p == nil {
		return
	}
	b.WriteString("\n  " + cut(safe.Clean(p.String()), width-2) + "\n")
	for i, line := range p.Lines {
		sign := "  "
		if p.First+i == p.Line {
			sign = "✗ "
		}
		b.WriteString(cut(fmt.Sprintf("  %s%5d  %s", sign, p.First+i, safe.Clean(strings.ReplaceAll(line, "\t", "    "))), width) + "\n")
	}
	if p.Compiled != nil {
		b.WriteString("  " + cut("by the source map of "+safe.Clean(p.Compiled.String()), width-2) + "\n")
	}
}

// LinkPlaces has the places of code in a text of FindingsText lead to their files, for a terminal
// (OSC 8): those files that were read on this machine.
func LinkPlaces(text string, checked []Checked, width int) string {
	for _, c := range checked {
		for _, p := range c.Source {
			if p == nil || p.URL() == "" {
				continue
			}
			line := cut(safe.Clean(p.String()), width-2)
			linked := ansi.SetHyperlink(p.URL()) + line + ansi.ResetHyperlink()
			text = strings.ReplaceAll(text, "\n  "+line+"\n", "\n  "+linked+"\n")
		}
	}
	return text
}

// line is an entry in a line.
func (e *Found) line() string {
	times := ""
	if e.Count > 1 {
		times = " ×" + strconv.Itoa(e.Count)
	}
	first := ""
	if len(e.Frames) > 0 {
		first = " #" + strconv.FormatUint(e.Frames[0], 10)
	}
	sign := severitySign(e.Level)
	if e.ByGate {
		sign = "·"
	}
	return sign + " " + e.Rule + times + first + "  " + e.Message
}
