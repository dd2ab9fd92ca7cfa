package gate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"midwire/session/filter"
)

// Scenario is a list of rules with what a file of them says of all.
type Scenario struct {
	Rules []*Rule
	Seed  uint64 // 0: none was given
}

// LineError says what is wrong in which line of a scenario, counted from 1.
type LineError struct {
	Line int
	Err  *filter.Error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Err.Text) }

// ParseScenario reads a file of rules: one a line, or the name of a preset, or
// "seed N". Empty lines and lines that begin with # are left out, unless # begins
// an occurrence like #2.
func ParseScenario(text string) (Scenario, error) {
	var s Scenario
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' && !occurrence().MatchString(line) {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "seed "); ok {
			if seed, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 64); err == nil {
				s.Seed = seed
				continue
			}
		}
		rules, err := Parse(line)
		if err != nil {
			return s, &LineError{n, err}
		}
		s.Rules = append(s.Rules, rules...)
	}
	return s, nil
}

var occurrence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#(\d|every )`) })

// Parse reads one line: a rule, or the name of a preset with its argument, which
// stands for several.
func Parse(line string) ([]*Rule, *filter.Error) {
	if p, args, ok := presetOf(line); ok {
		return p.rules(line, args)
	}
	r, err := ParseRule(line)
	if err != nil {
		return nil, err
	}
	return []*Rule{r}, nil
}

// ParseRule reads a rule:
//
//	rule = [filter] [#n | #n+ | #n-m | #every n] [~p%] [seed n] => action
func ParseRule(line string) (*Rule, *filter.Error) {
	at := arrow(line)
	if at < 0 {
		e := &filter.Error{At: len(line), From: 0, To: len(line), More: true, Text: "=> and what to do must follow, like => delay 3s"}
		if near := nearPreset(line); near != "" {
			e.Text, e.Fix, e.More = "no such preset; did you mean "+near+"? A rule has => and what to do in it", near, false
		}
		return nil, e
	}
	r := new(Rule)
	when, err := r.qualify(line[:at])
	if err != nil {
		return nil, err
	}
	if r.When, err = filter.ParseAtGate(when); err != nil {
		return nil, err
	}
	p := &wordReader{text: line, at: at + len("=>")}
	if err := r.Do.parse(p); err != nil {
		return nil, err
	}
	return r, nil
}

// arrow is where => stands outside of quotes, -1 for nowhere.
func arrow(line string) int {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'' && (i == 0 || strings.IndexByte(" \t(:=~", line[i-1]) >= 0):
			quote = c
		case c == '=' && i+1 < len(line) && line[i+1] == '>' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return i
		}
	}
	return -1
}

var qualifiers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[ \t])(#every[ \t]+(\d+)|#(\d+)(\+|-(\d+))?|~(\d+(?:\.\d+)?)%|seed[ \t]+(\d+))[ \t]*$`)
})

// qualify takes what stands behind the filter and returns the filter.
func (r *Rule) qualify(text string) (string, *filter.Error) {
	for {
		m := qualifiers().FindStringSubmatchIndex(text)
		if m == nil {
			return text, nil
		}
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		bad := func(why string) *filter.Error {
			return &filter.Error{At: m[4], From: m[4], To: m[5], Text: why}
		}
		number := func(s string) int { n, _ := strconv.Atoi(s); return n }
		twice := false
		switch {
		case part(3) != "":
			if number(part(3)) < 1 {
				return "", bad("messages are counted from 1")
			}
			twice, r.Nth = r.Nth != Nth{}, Nth{Every: number(part(3))}
		case part(4) != "":
			n := Nth{First: number(part(4))}
			if n.First < 1 {
				return "", bad("messages are counted from 1")
			}
			n.Last = n.First
			if part(5) == "+" {
				n.Last = 0
			} else if part(5) != "" {
				n.Last = number(part(6))
			}
			if n.Last != 0 && n.Last < n.First {
				return "", bad("it ends before it begins")
			}
			twice, r.Nth = r.Nth != Nth{}, n
		case part(7) != "":
			p, _ := strconv.ParseFloat(part(7), 64)
			if p <= 0 || p > 100 {
				return "", bad("a probability is between 0% and 100%")
			}
			twice, r.Chance = r.Chance != 0, p
		default:
			seed, err := strconv.ParseUint(part(8), 10, 64)
			if err != nil {
				return "", bad("a seed is a number")
			}
			twice, r.Seed, r.Seeded = r.Seeded, seed, true
		}
		if twice {
			return "", bad("this is said twice")
		}
		text = text[:m[0]]
	}
}

// wordReader reads an action word by word.
type wordReader struct {
	text string
	at   int
	last int // where the last word began
}

func (p *wordReader) skip() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// peek is the next word, which stays.
func (p *wordReader) peek() string {
	p.skip()
	end := strings.IndexAny(p.text[p.at:], " \t")
	if end < 0 {
		return p.text[p.at:]
	}
	return p.text[p.at : p.at+end]
}

func (p *wordReader) next() string {
	w := p.peek()
	p.last = p.at
	p.at += len(w)
	return w
}

// rest is all that follows.
func (p *wordReader) rest() string {
	p.skip()
	p.last, p.at = p.at, len(p.text)
	return strings.TrimSpace(p.text[p.last:])
}

// takes takes the next word if it is this one.
func (p *wordReader) takes(w string) bool {
	if p.peek() != w {
		return false
	}
	p.next()
	return true
}

func (p *wordReader) fail(why string) *filter.Error {
	return &filter.Error{At: p.last, From: p.last, To: max(p.at, p.last), Text: why, More: p.last >= len(p.text)}
}

// quoted reads a text in quotes with the escapes of Go and JSON, or what is left
// without quotes.
func (p *wordReader) quoted() (string, *filter.Error) {
	p.skip()
	if p.at >= len(p.text) || p.text[p.at] != '"' {
		return p.rest(), nil
	}
	p.last = p.at
	q, err := strconv.QuotedPrefix(p.text[p.at:])
	if err != nil {
		p.at = len(p.text)
		return "", p.fail("the quote is not closed")
	}
	p.at += len(q)
	s, err := strconv.Unquote(q)
	if err != nil {
		return "", p.fail("not a text in quotes")
	}
	return s, nil
}

// nearPreset is the preset that was meant, "" for none.
func nearPreset(line string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	for _, p := range Presets() {
		same := 0
		for same < min(len(name), len(p.Name)) && name[same] == p.Name[same] {
			same++
		}
		if same >= 4 && 2*same > len(p.Name) {
			return p.Name
		}
	}
	return ""
}
