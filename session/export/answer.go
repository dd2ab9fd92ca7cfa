package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
)

// answerWidth is how wide the text of check is.
const answerWidth = 80

// maxCards is how many causes have their own card; the rest have a line.
const maxCards = 3

// FindingsText answers for people whether it worked, and if not, why: the cause in a
// sentence with proof and fix, what else is wrong in a line each, then the sessions
// that work together. With whole, all that was found is printed in full. It is safe for
// a terminal.
func FindingsText(all []Found, checked []Checked, whole bool) string {
	var b strings.Builder
	account, _ := AccountOf(checked)
	n, shown, rules := 0, map[*diagnose.Finding]bool{}, map[string]bool{}
	for i := range all {
		e := &all[i]
		switch {
		case whole:
			e.full(&b)
		case (e.Fails || e.Level <= diagnose.Warning) && n < maxCards && !e.ByGate && !rules[e.Rule]:
			n++
			rules[e.Rule] = true
			e.card(&b, len(checked) > 1 || len(checked[0].Sessions) > 1)
		default:
			continue
		}
		shown[e.of] = true
	}
	if n == 0 && !whole && len(all) > 0 && !all[0].ByGate { // what is only noted may be what the user looks for
		all[0].sums = all[0].of == account.Noted
		all[0].card(&b, len(checked) > 1 || len(checked[0].Sessions) > 1)
		shown[all[0].of] = true
	}
	var lines strings.Builder
	for i := range all {
		if e := &all[i]; !shown[e.of] {
			lines.WriteString(cut(e.line(), answerWidth) + "\n")
		}
	}
	verdicts := verdictLines(checked, shown, rules)
	parts := []string{strings.TrimSuffix(b.String(), "\n"), verdicts, lines.String(), total(all, checked) + "\n"}
	if told := shown[account.Noted] || shown[account.Cause] && account.Sentence() == account.Message; !told {
		parts[0], parts[1] = parts[1], parts[0] // what the sessions come to is the answer
	}
	out := ""
	for _, p := range parts {
		if p != "" {
			if out != "" {
				out += "\n"
			}
			out += p
		}
	}
	return out
}

// card is a cause in a sentence, with its proof and what to do.
func (e *Found) card(b *strings.Builder, several bool) {
	who := e.Confidence + " · " + e.Responsible
	if several && e.Session > 0 {
		who += " · session " + strconv.Itoa(e.Session) + " of " + e.Recording
	}
	lines := strings.Split(ansi.WordwrapWc(safe.Clean(e.Message), answerWidth-2, ""), "\n")
	who = safe.Clean(who + " · " + e.Rule)
	if last := len(lines) - 1; ansi.StringWidthWc(lines[last])+ansi.StringWidthWc(who)+4 <= answerWidth {
		gap := answerWidth - 2 - ansi.StringWidthWc(lines[last]) - ansi.StringWidthWc(who)
		lines[last] += strings.Repeat(" ", gap) + who
	} else {
		lines = append(lines, strings.Repeat(" ", max(answerWidth-2-ansi.StringWidthWc(who), 0))+who)
	}
	sign := severitySign(e.Level)
	if e.Fails {
		sign = verdictSign(diagnose.Failed)
	} else if e.sums {
		sign = verdictSign(diagnose.Impaired)
	}
	b.WriteString(sign + " " + strings.Join(lines, "\n  ") + "\n")
	if len(e.Proof) > 0 {
		b.WriteByte('\n')
		for _, line := range e.Proof {
			b.WriteString("  " + cut(line, answerWidth-2) + "\n")
		}
	}
	e.code(b)
	b.WriteByte('\n')
	if e.of.Rule.Fallback > 0 && e.Cause != e.of.Rule.Help().Cause { // its message says only what happened
		label(b, "cause", e.Cause)
	}
	label(b, "fix", e.Fix)
	if e.ByGate {
		label(b, "note", byGate)
	}
	// In one line, to be pasted; an id is a peer's word.
	ref := safe.Clean(ShellWord(e.ref))
	if ask := e.of.Rule.Ask; ask != "" {
		b.WriteString("  more  midwire " + ask + " " + ref + "\n")
	} else if e.asked > 0 && !e.ByGate {
		b.WriteString("  sure? midwire probe " + ref + " --call " + strconv.FormatUint(e.asked, 10) + "\n")
	}
	if e.good && !e.ByGate && e.Confidence != diagnose.Certain.String() {
		b.WriteString("  why?  midwire compare " + ref + "\n")
	}
	n := 0
	e.below(func(*Found, int) { n++ })
	if n > 0 {
		label(b, "then", words.Count(n, "more finding")+" of the same cause: --verbose prints all")
	}
	b.WriteByte('\n')
}

// code writes where in the server's code it comes from, and the lines there.
func (e *Found) code(b *strings.Builder) {
	p := e.Source
	if p == nil {
		return
	}
	b.WriteString("\n  " + cut(safe.Clean(p.String()), answerWidth-2) + "\n")
	for i, line := range p.Lines {
		sign := "  "
		if p.First+i == p.Line {
			sign = "✗ "
		}
		b.WriteString(cut(fmt.Sprintf("  %s%5d  %s", sign, p.First+i, safe.Clean(strings.ReplaceAll(line, "\t", "    "))), answerWidth) + "\n")
	}
	if p.Compiled != nil {
		b.WriteString("  " + cut("by the source map of "+safe.Clean(p.Compiled.String()), answerWidth-2) + "\n")
	}
}

// LinkPlaces has the places of code in a text of FindingsText lead to their files, for a terminal
// (OSC 8): those files that were read on this machine.
func LinkPlaces(text string, checked []Checked) string {
	for _, c := range checked {
		for _, p := range c.Source {
			if p == nil || p.URL() == "" {
				continue
			}
			line := cut(safe.Clean(p.String()), answerWidth-2)
			linked := ansi.SetHyperlink(p.URL()) + line + ansi.ResetHyperlink()
			text = strings.ReplaceAll(text, "\n  "+line+"\n", "\n  "+linked+"\n")
		}
	}
	return text
}

// label writes a text behind a word in its own column.
func label(b *strings.Builder, name, text string) {
	const column = 8
	for line := range strings.SplitSeq(ansi.WordwrapWc(safe.Clean(text), answerWidth-column, ""), "\n") {
		b.WriteString(strings.TrimRight("  "+pad(name, column-2)+line, " ") + "\n")
		name = ""
	}
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
		sign = verdictSign(diagnose.OnPurpose)
	}
	return sign + " " + e.Rule + times + first + "  " + e.Message
}

// verdictLines are the sessions that no card speaks of, neither of their cause nor of
// its rule, the worst first: what went wrong in a line, said once, and those that work
// together.
func verdictLines(checked []Checked, shown map[*diagnose.Finding]bool, rules map[string]bool) string {
	type line struct {
		diagnose.Verdict
		who string
		n   int
	}
	var all, lines []line
	for _, c := range checked {
		for i, v := range c.Verdicts {
			name := c.ID
			if len(c.Verdicts) > 1 {
				name += " session " + strconv.Itoa(i+1)
			}
			all = append(all, line{v, name, 1})
		}
	}
	slices.SortStableFunc(all, func(a, b line) int { return cmp.Compare(a.Weight(), b.Weight()) })
	works, more := 0, 0
	for i, l := range all {
		same := slices.IndexFunc(lines, func(k line) bool { return k.String() == l.String() })
		switch {
		case l.Cause != nil && shown[l.Cause] && l.Sentence() == l.Message, rules[l.Rule], shown[l.Noted]:
		case l.Outcome == diagnose.Unseen && l.Known && i > 0: // another session tells it
		case l.Outcome == diagnose.Works && l.Why == "" && (len(all) > 1 || len(shown) > 0):
			works++
		case same >= 0:
			lines[same].n++
		case len(lines) >= maxVerdicts:
			more++
		default:
			lines = append(lines, l)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		if l.n > 1 {
			l.who = strconv.Itoa(l.n) + " sessions:"
		}
		text := ansi.WordwrapWc(safe.Clean(l.who+" "+l.String()), answerWidth-2, "")
		b.WriteString(verdictSign(l.Outcome) + " " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
	}
	other := "other "
	if len(lines) == 0 && len(shown) == 0 {
		other = ""
	}
	if works > 0 {
		b.WriteString("✓ " + words.CountOf(works, other+"session works", other+"sessions work") + ".\n")
	}
	if more > 0 {
		b.WriteString("  " + words.Count(more, "more session") + ": midwire ls lists them.\n")
	}
	return b.String()
}

// maxVerdicts is how many lines there are before sessions are counted.
const maxVerdicts = 24

// accountSign is the sign of what is said first.
func accountSign(v diagnose.Verdict) string {
	if v.Outcome == diagnose.Failed || v.Severity == 0 || v.Outcome == diagnose.Works {
		return verdictSign(v.Outcome)
	}
	return severitySign(v.Severity)
}

func verdictSign(o diagnose.Outcome) string { return [...]string{"?", "✓", "✗", "!", "·"}[o] }

// rowOf is the row that a frame belongs to, the head of its exchange too; -1 for none.
func rowOf(t *session.Tracker, load Load, n uint64) int {
	if i := t.RowAt(n); i >= 0 {
		return i
	}
	f := load(n)
	if f == nil || f.X == 0 {
		return -1
	}
	const near = 8 // frames between a head and the message of its body
	for k := n + 1; k <= n+near; k++ {
		if i := t.RowAt(k); i >= 0 && t.Row(i).X == f.X {
			return i
		}
	}
	return -1
}

// Asked is the frame of a request that asking the server again may explain: of a finding
// that is not certain, the first of its frames that a client's request failed by. It is
// 0 for none.
func Asked(t *session.Tracker, load Load, f *diagnose.Finding) uint64 {
	if f.Confidence == diagnose.Certain {
		return 0
	}
	for _, n := range slices.Concat(f.Frames, f.About) {
		i := rowOf(t, load, n)
		if i < 0 {
			continue
		}
		r := t.Row(i)
		failed := r.Kind == session.RowCall && r.Dir == wire.ToServer && r.Ending.IsError() && r.Session >= 0
		if failed && !challenged(r, load) {
			return uint64(r.Request)
		}
	}
	return 0
}

// challenged says whether a request came without a credential and was refused for it: so a
// login begins, which asking the same again does not explain.
func challenged(r *session.Row, load Load) bool {
	const near = 8 // frames between a head and the message of its body
	for n := uint64(r.Request); r.Status == 401 && n > 0 && n+near > uint64(r.Request); n-- {
		if f := load(n); f != nil && f.X == r.X && f.Kind == wire.KindRequest {
			return wire.HeadValue(f.Data, "Authorization") == ""
		}
	}
	return false
}

// Proof describes some frames in words, a line each: what the rows that they belong to
// are about, and how those ended.
func Proof(t *session.Tracker, load Load, frames []uint64, most int) (lines []string) {
	seen := map[int]bool{}
	for _, n := range frames {
		i := rowOf(t, load, n)
		if i < 0 || seen[i] || len(lines) >= most {
			continue
		}
		seen[i] = true
		r := t.Row(i)
		req := load(uint64(r.Request))
		resp := req
		if r.Response != 0 {
			resp = load(uint64(r.Response))
		}
		target, result := describe.Row(t, r, req, resp)
		line := pad("#"+strconv.FormatUint(uint64(r.Request), 10), 5) + " "
		if name := t.Name(r.Name); !strings.HasPrefix(target, name) {
			line += name
		}
		if target != "" {
			line += " " + words.Line(target, 60)
		}
		if s := strings.TrimSpace(Sign(r.Ending)); s != "" {
			line += "  " + s
		}
		if result != "" {
			line += " " + words.Line(result, 200)
		}
		if n != uint64(r.Request) {
			line += " (#" + strconv.FormatUint(n, 10) + ")"
		}
		lines = append(lines, safe.Clean(line))
	}
	return lines
}
