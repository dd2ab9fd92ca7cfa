package filter

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"midwire/session/words"
)

// mean finds out what the value of a term means.
func (n *Node) mean(l Language, w *written) *Error {
	k := l.named(n.Key)
	switch {
	case n.Key == "":
		if n.Value == "" && !w.open {
			return &Error{At: w.valueAt, Text: "the search text is empty"}
		}
		return n.compile(w)
	case k == nil:
		e := &Error{At: w.at, Text: "no such key; there are " + l.names()}
		if near := Nearest(n.Key, strings.Fields(l.names())); near != "" {
			e.Fix = near + strings.TrimPrefix(n.Key+w.op, n.Key) + n.Value
			e.Text = "no such key; did you mean " + near + w.op + "?"
		}
		return e
	case n.Value == "":
		return &Error{At: w.valueAt, Text: k.valueHelp(), More: true}
	}
	if e := n.operator(k, w); e != nil {
		return e
	}
	if why, more := n.typed(k); why != "" {
		e := &Error{At: w.valueAt, Text: why, More: more}
		n.correct(k, e)
		return e
	}
	return n.compile(w)
}

// operator reports whether the key can be compared like that.
func (n *Node) operator(k *Key, w *written) *Error {
	ok := false
	switch n.Op {
	case ":", "=":
		ok = true
	case "~":
		if ok = k.Type == Text; !ok {
			return &Error{At: w.valueAt, Text: k.Name + " takes no regular expression: " + k.valueHelp()}
		}
	default:
		ok = k.Type == Latency || k.Type == Size || k.Type == Status || k.Type == Integer ||
			k.Name == "time" || k.Name == "after" && n.Op[0] == '>' || k.Name == "before" && n.Op[0] == '<'
	}
	if ok {
		return nil
	}
	fix := k.Name + ":" + quote(n.Value, false)
	return &Error{At: w.valueAt, Text: k.Name + " takes a colon: " + fix, Fix: fix}
}

// typed reads the value by its type; it says what is wrong with it, and
// whether that is only its end.
func (n *Node) typed(k *Key) (why string, more bool) {
	ok := true
	switch k.Type {
	case Choice:
		return n.choose(k)
	case Latency:
		ok = n.latency()
	case Size:
		ok = n.size()
	case Status:
		ok = n.status()
	case Integer:
		ok = n.number(n.Value, n.Value)
	case Message:
		v := strings.TrimPrefix(n.Value, "#")
		ok = n.number(v, v) && n.Low >= 0
	case Moment:
		ok = n.moment()
	case Past:
		return n.past(k)
	}
	if !ok {
		return k.valueHelp(), false
	}
	return "", false
}

// correct adds the correction where there is an obvious one.
func (n *Node) correct(k *Key, e *Error) {
	_, err := strconv.ParseFloat(n.Value, 64)
	switch {
	case k.Type == Latency && err == nil:
		e.Fix = k.Name + n.Op + n.Value + "ms"
	case k.Type == Moment && err == nil:
		e.Fix = k.Name + n.Op + n.Value + "s"
	case k.Type == Choice && !e.More:
		if near := Nearest(words.Fold(n.Value), k.Words); near != "" {
			e.Fix = k.Name + ":" + near
			e.Text = "did you mean " + e.Fix + "? " + e.Text
		}
		return
	}
	if e.Fix != "" {
		e.Text = "needs a unit: " + e.Fix
	}
}

// choose finds the word that is meant. Beginnings are good for kinds and
// severities.
func (n *Node) choose(k *Key) (why string, more bool) {
	want := words.Fold(n.Value)
	if k.Name == "severity" {
		want = strings.TrimSuffix(want, "s")
	}
	if k.Name == "dir" {
		for i, d := range []string{"c2s", "s2c"} {
			if want == d || want == []string{">", "<"}[i] || want == []string{"out", "in"}[i] || want == []string{"server", "client"}[i] {
				n.Word = d
				return "", false
			}
		}
	}
	begins := false
	for _, all := range [][]string{k.Words, k.Also} {
		for _, w := range all {
			begins = begins || strings.HasPrefix(w, want)
			if k.Name == "dir" || n.Word != "" {
				continue
			}
			if w == want || (k.Name == "kind" || k.Name == "severity") && strings.HasPrefix(w, want) {
				n.Word = w
			}
		}
	}
	if n.Word != "" {
		return "", false
	}
	return k.valueHelp(), begins
}

func (n *Node) latency() bool {
	d, err := time.ParseDuration(n.Value)
	n.Low, n.High = int64(d), int64(d)
	if n.Op == ":" || n.Op == "=" {
		n.High = 1<<63 - 1 // at least
	}
	return err == nil
}

func (n *Node) size() bool {
	v := strings.TrimSuffix(strings.TrimSuffix(words.Fold(n.Value), "b"), "i")
	unit := 1.0
	for name, u := range map[string]float64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30} {
		if rest, ok := strings.CutSuffix(v, name); ok {
			v, unit = rest, u
		}
	}
	f, err := strconv.ParseFloat(v, 64)
	n.Low = int64(f * unit)
	n.High = n.Low
	if n.Op == ":" || n.Op == "=" {
		n.High = 1<<63 - 1
	}
	return err == nil && f >= 0 && f < 1e15
}

func (n *Node) status() bool {
	v := words.Fold(n.Value)
	if len(v) != 3 || v[0] == 'x' {
		return n.number(v, v)
	}
	return n.number(strings.ReplaceAll(v, "x", "0"), strings.ReplaceAll(v, "x", "9"))
}

func (n *Node) number(low, high string) bool {
	var err error
	if n.Low, err = strconv.ParseInt(low, 10, 32); err != nil {
		return false
	}
	n.High, err = strconv.ParseInt(high, 10, 32)
	return err == nil
}

// moment reads a time since the beginning, a time of the day in nanoseconds
// since midnight, or the number of a frame.
func (n *Node) moment() bool {
	if v, ok := strings.CutPrefix(n.Value, "#"); ok {
		n.Frame = true
		return n.number(v, v)
	}
	unit := int64(time.Second)
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, n.Value); err == nil {
			if layout == "15:04" {
				unit = int64(time.Minute)
			}
			n.Clock = true
			n.Low = int64(t.Sub(t.Truncate(24 * time.Hour)))
			n.High = n.Low
			if strings.Count(n.Value, ".") == 0 {
				n.High += unit - 1
			}
			return true
		}
	}
	d, err := time.ParseDuration(n.Value)
	n.Low, n.High = int64(d), int64(d)
	return err == nil
}

// past reads a time before now: a day in Word, or in Low how long ago.
func (n *Node) past(k *Key) (why string, more bool) {
	want := words.Fold(n.Value)
	for _, w := range k.Words {
		if w == want {
			n.Word = w
			return "", false
		}
		more = more || strings.HasPrefix(w, want)
	}
	if _, err := time.Parse(time.DateOnly, want); err == nil {
		n.Word = want
		return "", false
	}
	unit := time.Duration(1)
	for name, u := range map[string]time.Duration{"d": 24, "w": 7 * 24} {
		if days, ok := strings.CutSuffix(want, name); ok {
			want, unit = days+"h", u
		}
	}
	d, err := time.ParseDuration(want)
	if n.Low = int64(d * unit); err == nil && d >= 0 && d <= 100*365*24*time.Hour/unit {
		return "", false
	}
	return k.valueHelp(), more || isDigits(want)
}

// isDigits reports whether what may become a duration or a day has begun.
func isDigits(s string) bool { return strings.Trim(s, "0123456789-") == "" }

// compile makes a matcher of what is a program.
func (n *Node) compile(w *written) *Error {
	if n.Op == "~" {
		re, err := regexp.Compile("(?i)" + n.Value)
		if err != nil {
			e := &Error{At: w.offset(0), Text: "not a regular expression: " + err.Error(), More: w.open}
			var bad *syntax.Error
			if errors.As(err, &bad) {
				e.Text = "not a regular expression: " + bad.Code.String()
				if i := strings.LastIndex(n.Value, bad.Expr); i >= 0 && bad.Expr != "" {
					e.At = w.offset(i)
				}
			}
			return e
		}
		n.Match = re
	}
	if n.Key != "jq" {
		return nil
	}
	q, err := gojq.Parse(n.Value)
	if err != nil {
		e := &Error{At: w.offset(0), Text: "not a jq program: " + err.Error(), More: w.open}
		var bad *gojq.ParseError
		if errors.As(err, &bad) {
			e.At = w.offset(bad.Offset - len(bad.Token))
		}
		return e
	}
	if n.Code, err = gojq.Compile(q); err != nil {
		return &Error{At: w.offset(0), Text: "not a jq program: " + err.Error(), More: w.open}
	}
	return nil
}

// Holds says whether the results of a program mean yes: one of them is neither null nor
// false.
func Holds(results gojq.Iter) (bool, error) {
	for {
		v, more := results.Next()
		if err, bad := v.(error); bad || !more {
			return false, err
		}
		if v != nil && v != false {
			return true, nil
		}
	}
}
