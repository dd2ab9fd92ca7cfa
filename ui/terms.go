package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

type hold = func(subject) bool

// filterKeys is what can stand before the colon; help and messages list it.
const filterKeys = "method tool kind dir id status code is lat size session client flow finding severity"

// parseTerm reads one word: key:value, key>value, or free text, which it
// returns besides the test of the row.
func parseTerm(w word) (h hold, text string, err *queryError) {
	i := strings.IndexAny(w.s, ":<>=")
	if w.quoted || i <= 0 || !letters(w.s[:i]) {
		return freeText(w.s), w.s, nil
	}
	key, op, value := w.s[:i], w.s[i:i+1], w.s[i+1:]
	if !strings.Contains(" "+filterKeys+" ", " "+key+" ") {
		if op == ":" && !strings.HasPrefix(value, "/") {
			return nil, "", &queryError{at: w.at, text: "no such key; there are " + filterKeys}
		}
		return freeText(w.s), w.s, nil // file:///src, a=b
	}
	if (op == "<" || op == ">") && strings.HasPrefix(value, "=") {
		op, value = op+"=", value[1:]
	}
	at := w.at + i + len(op)
	if value == "" {
		return nil, "", &queryError{at: at, text: valueHelp(key)}
	}
	h, why := keyTerm(key, op, value)
	if why != "" {
		return nil, "", &queryError{at: at, text: why}
	}
	return h, "", nil
}

func letters(s string) bool {
	for _, r := range s {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return true
}

func valueHelp(key string) string {
	switch key {
	case "is":
		return "is: error pending ok warn cancelled lost modern marked"
	case "kind":
		return "kind: call notification response noise stderr http process tap"
	case "dir":
		return "dir: c2s or s2c"
	case "lat":
		return "needs a time: lat>500ms"
	case "size":
		return "needs a size: size>1k"
	case "status":
		return "needs a status: status:404, status:4xx, status>=400"
	case "flow":
		return "needs the number of a message: flow:12"
	case "finding":
		return "finding: any, or a rule"
	case "severity":
		return "severity: error warning note"
	case "code":
		return "needs an error code: code:-32602"
	}
	return "a value must follow " + key + ":"
}

func keyTerm(key, op, value string) (hold, string) {
	switch key {
	case "lat", "size", "status", "code":
		return numberTerm(key, op, value)
	}
	if op != ":" && op != "=" {
		return nil, key + " takes a colon: " + key + ":" + value
	}
	want := strings.ToLower(value)
	switch key {
	case "is":
		return isTerm(want)
	case "kind":
		return kindTerm(want)
	case "dir":
		return dirTerm(want)
	case "finding":
		return findingTerm(want), ""
	case "severity":
		return severityTerm(want)
	case "flow":
		n, err := strconv.ParseUint(strings.TrimPrefix(want, "#"), 10, 32)
		if err != nil {
			return nil, valueHelp(key)
		}
		return flowTerm(int64(n)), ""
	}
	return textTerm(key, want), ""
}

// textTerm compares text that a row has; frames without a row never match.
func textTerm(key, want string) hold {
	return func(s subject) bool {
		if key == "session" || key == "client" {
			ses := s.session()
			if ses == nil {
				return false
			}
			if key == "session" {
				return contains(ses.ID, want)
			}
			return contains(ses.Client.Name+" "+ses.Client.Version, want)
		}
		if s.row == nil {
			return false
		}
		name := s.rec.t.Name(s.row.Name)
		switch key {
		case "method":
			return contains(name, want)
		case "tool":
			tool, _, _ := strings.Cut(s.rec.words[s.index].target, " ")
			return name == "tools/call" && contains(tool, want)
		}
		return strings.Trim(s.rec.t.Name(s.row.ID), `"`) == strings.Trim(want, `"`)
	}
}

// findingTerm holds for the evidence of a rule, or of any that is not muted.
func findingTerm(want string) hold {
	return func(s subject) bool {
		x, fs := s.findings()
		if want == "any" {
			return len(x.loud(fs)) > 0
		}
		whole := x.rules[want]
		return slices.ContainsFunc(fs, func(f *diagnose.Finding) bool {
			return f.Rule.ID == want || !whole && contains(f.Rule.ID, want)
		})
	}
}

func severityTerm(want string) (hold, string) {
	for at := diagnose.Error; at <= diagnose.Note; at++ {
		if strings.HasPrefix(at.String(), strings.TrimSuffix(want, "s")) {
			return func(s subject) bool {
				x, fs := s.findings()
				return slices.ContainsFunc(fs, func(f *diagnose.Finding) bool { return f.Severity == at && !x.muted[f.Rule.ID] })
			}, ""
		}
	}
	return nil, valueHelp("severity")
}

// findings are those that the row, or the frame, is evidence of.
func (s subject) findings() (*findings, []*diagnose.Finding) {
	x := &s.rec.finds
	if s.frame != nil {
		return x, x.byFrame[s.frame.N]
	}
	return x, x.of(s.index)
}

func isTerm(want string) (hold, string) {
	verdicts := map[string]session.Verdict{
		"error": session.VerdictError, "pending": session.VerdictPending, "ok": session.VerdictOK,
		"warn": session.VerdictWarning, "cancelled": session.VerdictCancelled, "lost": session.VerdictLost,
	}
	if want == "marked" {
		return func(s subject) bool { return s.rec.marked(s.index) }, ""
	}
	if want == "modern" {
		return func(s subject) bool { return s.row != nil && s.row.Modern }, ""
	}
	v, ok := verdicts[want]
	if !ok {
		return nil, valueHelp("is")
	}
	return func(s subject) bool { return s.row != nil && s.row.Verdict == v }, ""
}

func kindTerm(want string) (hold, string) {
	for k, name := range rowKindNames() {
		if strings.HasPrefix(name, want) {
			return func(s subject) bool { return s.row != nil && s.row.Kind == session.RowKind(k) }, ""
		}
	}
	if k := wire.ParseKind(want); k != wire.KindNone {
		return func(s subject) bool { return s.frame != nil && s.frame.Kind == k }, ""
	}
	return nil, valueHelp("kind")
}

// rowKindNames are the names of session.RowKind, in its order.
func rowKindNames() [8]string {
	return [8]string{"call", "notification", "response", "noise", "stderr", "http", "process", "tap"}
}

func dirTerm(want string) (hold, string) {
	d := wire.NoDir
	switch want {
	case "c2s", ">", "out", "server":
		d = wire.ToServer
	case "s2c", "<", "in", "client":
		d = wire.ToClient
	default:
		return nil, valueHelp("dir")
	}
	return func(s subject) bool { return (s.row != nil || s.frame != nil) && s.dir() == d }, ""
}

// numberTerm compares a number. A row that has none (no latency yet, no
// status) matches no comparison.
func numberTerm(key, op, value string) (hold, string) {
	low, high, ok := numberRange(key, value)
	if !ok {
		return nil, valueHelp(key)
	}
	if (key == "lat" || key == "size") && (op == ":" || op == "=") {
		op = ">="
	}
	return func(s subject) bool {
		n, has := numberOf(s, key)
		if !has {
			return false
		}
		switch op {
		case ">":
			return n > high
		case ">=":
			return n >= low
		case "<":
			return n < low
		case "<=":
			return n <= high
		}
		return n >= low && n <= high
	}, ""
}

func numberOf(s subject, key string) (n int64, has bool) {
	if key == "size" && s.frame != nil {
		return int64(s.frame.Len), true
	}
	if s.row == nil {
		return 0, false
	}
	switch key {
	case "lat":
		n = s.row.Latency()
	case "size":
		return int64(s.row.Len) + int64(s.row.RLen), true
	case "status":
		n = int64(s.row.Status)
	case "code":
		n = int64(s.row.Code)
	}
	return n, n != 0
}

// numberRange reads a value: a time with a unit, a size with k or m, a status
// of which the last digits may be x.
func numberRange(key, value string) (low, high int64, ok bool) {
	switch key {
	case "lat":
		d, err := time.ParseDuration(value)
		return int64(d), int64(d), err == nil
	case "size":
		value = strings.ToLower(strings.TrimSuffix(strings.ToLower(value), "b"))
		unit := int64(1)
		if rest, ok := strings.CutSuffix(value, "k"); ok {
			value, unit = rest, 1<<10
		} else if rest, ok := strings.CutSuffix(value, "m"); ok {
			value, unit = rest, 1<<20
		}
		f, err := strconv.ParseFloat(value, 64)
		n := int64(f * float64(unit))
		return n, n, err == nil
	}
	from, to := value, value
	if key == "status" && value[0] != 'x' {
		from, to = strings.ReplaceAll(value, "x", "0"), strings.ReplaceAll(value, "x", "9")
	}
	low, err := strconv.ParseInt(from, 10, 32)
	if err != nil {
		return 0, 0, false
	}
	high, err = strconv.ParseInt(to, 10, 32)
	return low, high, err == nil
}
