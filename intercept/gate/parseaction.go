package gate

import (
	"math"
	"strconv"
	"strings"
	"time"

	"midwire/session/filter"
	"midwire/session/jsonpath"
	"midwire/session/wire"
	"midwire/session/words"
)

// Bounds of what an action may ask for.
const (
	maxDelay  = time.Hour
	maxCount  = 100_000
	maxHuge   = 64 << 20
	maxStatus = 599
)

// parse reads an action and its arguments.
func (a *Action) parse(p *wordReader) *filter.Error {
	name := p.next()
	a.Verb = verbCount
	for v, f := range forms {
		if f.name == name {
			a.Verb = Verb(v)
		}
	}
	if a.Verb == verbCount {
		var all []string
		for _, f := range forms {
			all = append(all, f.name)
		}
		return p.fail("no such action; there are " + strings.Join(all, " "))
	}
	if err := a.arguments(p); err != nil {
		return err
	}
	if p.peek() != "" {
		p.rest()
		return p.fail(strings.TrimSpace("nothing more can follow; it is written "+name+" "+forms[a.Verb].args) + ", without more")
	}
	return nil
}

func (a *Action) arguments(p *wordReader) (err *filter.Error) {
	switch a.Verb {
	case Delay, Reorder:
		return a.times(p)
	case Duplicate:
		a.Count, err = p.optional(1, 1, 1000)
	case Fail:
		if a.Code, err = p.code(); err == nil {
			a.Text, err = p.quoted()
		}
	case ToolError, Garbage, Noise:
		a.Text, err = p.quoted()
	case Answer, Inject:
		a.JSON, err = p.json()
	case Status:
		return a.status(p)
	case ExpireSession:
		a.Status, err = p.optional(404, 100, maxStatus)
	case NoResume:
		a.Status, err = p.optional(405, 100, maxStatus)
	case Cut:
		return a.cut(p)
	case Set, Remove:
		return a.member(p)
	case SetHeader:
		var f Field
		f, err = p.field(p.rest())
		a.Fields = []Field{f}
	case RemoveHeader:
		if a.Name = p.next(); !goodName(a.Name) {
			return p.fail("the name of a header field must follow")
		}
	case Truncate, Slice:
		least := 0
		if a.Verb == Slice {
			least = 1
		}
		a.Count, err = p.optional(0, least, maxHuge)
		if err == nil && a.Count < least {
			err = p.fail("a number of bytes must follow")
		}
	case Exit:
		a.Count, err = p.optional(1, 0, 255)
	case Storm:
		return a.storm(p)
	case Huge:
		a.Bytes, err = p.size("")
	case Bandwidth:
		a.Bytes, err = p.size("/s")
	}
	return err
}

func (a *Action) times(p *wordReader) (err *filter.Error) {
	if a.Verb == Reorder {
		a.For = time.Second
		if !p.takes("within") {
			return nil
		}
	}
	if a.For, err = p.duration(); err != nil {
		return err
	}
	if a.Verb == Delay && p.takes("jitter") {
		a.Jitter, err = p.duration()
	}
	return err
}

func (a *Action) member(p *wordReader) *filter.Error {
	path, err := jsonpath.Parse(p.next())
	if err != nil || len(path) == 0 {
		return p.fail("a place must follow, like params.arguments.path")
	}
	for _, s := range path {
		if s.Kind != jsonpath.Member && s.Kind != jsonpath.Element {
			return p.fail("one place must follow and not a pattern")
		}
	}
	a.Path = path
	if a.Verb == Remove {
		return nil
	}
	var bad *filter.Error
	a.JSON, bad = p.json()
	return bad
}

func (a *Action) cut(p *wordReader) (err *filter.Error) {
	a.Events = -1
	if p.takes("after") {
		n, err := p.optional(-1, 0, math.MaxInt32)
		if err != nil || n < 0 {
			return p.fail("how many events or bytes? Like cut after 2 events")
		}
		switch p.next() {
		case "events", "event":
			a.Events = n
		case "bytes", "byte":
			a.Bytes = int64(n)
		default:
			return p.fail("events or bytes must follow")
		}
	}
	w := p.peek()
	for i, name := range howNames {
		if name == w {
			p.next()
			a.How = How(i)
		}
	}
	return nil
}

// status reads 429 Retry-After: 2 & body "text".
func (a *Action) status(p *wordReader) (err *filter.Error) {
	if a.Status, err = p.optional(0, 200, maxStatus); err != nil || a.Status == 0 {
		return p.fail("a status must follow, like 429")
	}
	for p.peek() != "" {
		if p.takes("body") {
			if a.Text, err = p.quoted(); err != nil {
				return err
			}
		} else {
			from := p.at
			end := strings.Index(p.text[from:], " & ")
			if end < 0 {
				end = len(p.text) - from
			}
			p.last, p.at = from, from+end
			f, err := p.field(p.text[from : from+end])
			if err != nil {
				return err
			}
			a.Fields = append(a.Fields, f)
		}
		if p.peek() != "" && !p.takes("&") {
			p.next()
			return p.fail("& must stand between fields and body")
		}
	}
	return nil
}

func (a *Action) storm(p *wordReader) (err *filter.Error) {
	if a.Method = p.next(); a.Method == "" || strings.ContainsAny(a.Method, "\"\\") {
		return p.fail("a method must follow, like notifications/tools/list_changed")
	}
	a.Rate = 100
	if a.Count, err = p.optional(50, 1, maxCount); err != nil || !p.takes("at") {
		return err
	}
	rate, bad := strconv.ParseFloat(strings.TrimSuffix(p.next(), "/s"), 64)
	if bad != nil || !(rate > 0) || rate > maxCount {
		return p.fail("a rate must follow, like 100/s")
	}
	a.Rate = rate
	return nil
}

func (p *wordReader) duration() (time.Duration, *filter.Error) {
	d, err := time.ParseDuration(p.next())
	switch {
	case err != nil:
		return 0, p.fail("a time must follow, like 500ms or 3s")
	case d <= 0 || d > maxDelay:
		return 0, p.fail("a time is more than 0 and at most " + maxDelay.String())
	}
	return d, nil
}

// optional reads a number if one is next.
func (p *wordReader) optional(otherwise, low, high int) (int, *filter.Error) {
	w := p.peek()
	if w == "" || w[0] < '0' || w[0] > '9' {
		return otherwise, nil
	}
	p.next()
	n, err := strconv.Atoi(w)
	if err != nil || n < low || n > high {
		return 0, p.fail("the number must be from " + strconv.Itoa(low) + " to " + strconv.Itoa(high))
	}
	return n, nil
}

func (p *wordReader) code() (int64, *filter.Error) {
	n, err := strconv.ParseInt(p.next(), 10, 32)
	if err != nil {
		return 0, p.fail("a code must follow, like -32603")
	}
	return n, nil
}

func (p *wordReader) json() ([]byte, *filter.Error) {
	text := p.rest()
	if !wire.Valid([]byte(text)) {
		return nil, p.fail("JSON must follow")
	}
	return []byte(text), nil
}

// size reads 20MB or 16kB/s.
func (p *wordReader) size(unit string) (int64, *filter.Error) {
	w := words.Fold(p.next())
	number := strings.TrimSuffix(strings.TrimSuffix(w, unit), "b")
	factor := 1.0
	switch {
	case strings.HasSuffix(number, "k"):
		factor = 1 << 10
	case strings.HasSuffix(number, "m"):
		factor = 1 << 20
	}
	f, err := strconv.ParseFloat(strings.TrimRight(number, "km"), 64)
	if err != nil || !(f*factor >= 1) || f*factor > maxHuge {
		return 0, p.fail("a size must follow, from 1 byte to 64MB, like 20MB" + unit)
	}
	return int64(f * factor), nil
}

func (p *wordReader) field(text string) (Field, *filter.Error) {
	name, value, ok := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	if name = strings.TrimSpace(name); !ok || !goodName(name) || strings.ContainsAny(value, "\r\n\x00") {
		return Field{}, p.fail("a header field must follow, like Retry-After: 2")
	}
	return Field{name, value}, nil
}

// goodName says whether a text can be the name of a field (RFC 9110 5.6.2).
func goodName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"(),/:;<=>?@[\\]{}", c) >= 0 {
			return false
		}
	}
	return name != ""
}
