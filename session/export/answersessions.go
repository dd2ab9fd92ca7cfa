package export

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/words"
)

func sessions(checked []Checked) (n int) {
	for _, c := range checked {
		n += len(c.Sessions)
	}
	return n
}

// maxSessions is how many sessions have a line before they are counted.
const maxSessions = 24

// sessions are all of them where there are several, the worst first, equal ones as one.
func (t *answer) sessions() {
	type line struct {
		who, calls string
		v          diagnose.Verdict
		n          int
	}
	var lines []line
	total := 0
	for k := range t.checked {
		c := &t.checked[k]
		for i, v := range c.Verdicts {
			total++
			who := c.ID
			if i < len(c.Sessions) {
				s := c.Sessions[i]
				who = cmp.Or(peerName(s.Client), "?") + " → " + cmp.Or(peerName(s.Server), c.Label, c.ID)
			}
			lines = append(lines, line{who: safe.Clean(who), calls: c.callsOf(i), v: v, n: 1})
		}
	}
	if total < 2 {
		return
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.v.Weight(), b.v.Weight()) })
	rows := [][]string{{"  SESSION", "CALLS", ""}}
	var kept []line
	for _, l := range lines {
		if k := slices.IndexFunc(kept, func(k line) bool { return k.who == l.who && k.v.Short == l.v.Short }); k >= 0 {
			kept[k].n++
			continue
		}
		kept = append(kept, l)
	}
	for _, l := range kept[:min(len(kept), maxSessions)] {
		short := safe.Clean(l.v.Short)
		if l.n > 1 {
			short += "  ×" + strconv.Itoa(l.n)
		}
		rows = append(rows, []string{l.v.Sign() + " " + cut(l.who, 44), pad("", 5-len(l.calls)) + l.calls, short})
	}
	for line := range strings.Lines(align(rows)) {
		t.WriteString(cut(strings.TrimSuffix(line, "\n"), t.width) + "\n")
	}
	if more := len(kept) - maxSessions; more > 0 {
		t.WriteString("  " + words.Count(more, "more session") + ": midwire ls lists them.\n")
	}
	t.WriteByte('\n')
}

func peerName(p session.Peer) string { return strings.TrimSpace(p.Name + " " + p.Version) }

// callsOf is how many tools were called in a session, · for none.
func (c *Checked) callsOf(i int) string {
	if i >= len(c.Calls) || c.Calls[i] == 0 {
		return "·"
	}
	return strconv.Itoa(c.Calls[i])
}

// total counts sessions and calls, and says what else to do.
func (t *answer) total() string {
	failed, silent, impaired, calls := 0, 0, 0, 0
	for _, c := range t.checked {
		for i := range c.Verdicts {
			switch v := &c.Verdicts[i]; {
			case v.HasFailed():
				failed++
			case v.IsSilent():
				silent++
			case v.Outcome == diagnose.Impaired:
				impaired++
			}
		}
		for _, n := range c.Calls {
			calls += n
		}
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{failed, " failed"}, {silent, " unanswered"}, {impaired, " with problems"}} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+p.what)
		}
	}
	out := cmp.Or(strings.Join(parts, ", "), "0 failed")
	out += " in " + words.Count(sessions(t.checked), "session")
	if len(t.checked) > 1 {
		out += " of " + words.Count(len(t.checked), "recording")
	}
	if out += ", no calls."; calls > 0 {
		out = strings.TrimSuffix(out, "no calls.") + words.Count(calls, "call") + "."
	}
	if t.of != nil && (failed > 0 || silent > 0) {
		out += "  midwire open " + safe.Clean(ShellWord(cmp.Or(t.of.Ref, t.of.ID)))
	}
	return out
}
