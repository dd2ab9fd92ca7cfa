package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var integerRounded = &diagnose.Rule{
	ID:      "integer-rounded",
	On:      diagnose.Requests | diagnose.Results,
	Methods: []string{mcp.ToolsCall, mcp.PromptsGet},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Dir != wire.ToServer {
			return
		}
		s := diagnose.State[integers](c)
		if c.Message.Kind == wire.MsgResult {
			eachLarge(c.Message.Result, func(digits string) { s.add(digits, c.N) })
			return
		}
		eachLarge(c.Call.Args, func(digits string) {
			f, _ := strconv.ParseFloat(digits, 64)
			if was, known := s.byFloat[f]; known && was.digits != digits && !s.exact[digits] {
				c.Say("", "A result held the integer "+was.digits+" ("+frame(was.n)+"). "+c.Client()+" sends "+digits+" in "+about(c.Call)+
					": the same number after it was rounded to a floating point number, which is exact up to 2^53 only.", c.N, was.n)
			}
		})
	},
}

// integers are the large ones of the results of a session, as floating point numbers.
type integers struct {
	byFloat map[float64]large
	exact   map[string]bool
}

type large struct {
	digits string
	n      uint64
}

const (
	maxIntegers   = 4096
	maxLargeBytes = 1 << 20 // of a message
)

func (s *integers) add(digits string, n uint64) {
	if len(s.exact) >= maxIntegers || s.exact[digits] {
		return
	}
	f, _ := strconv.ParseFloat(digits, 64)
	made(&s.exact)[digits] = true
	if _, known := s.byFloat[f]; !known {
		made(&s.byFloat)[f] = large{digits, n}
	}
}

// eachLarge calls do with each run of 16 to 20 digits that is an integer beyond what a
// floating point number has exactly.
func eachLarge(raw []byte, do func(digits string)) {
	raw = raw[:min(len(raw), maxLargeBytes)]
	isDigit := func(i int) bool { return raw[i]-'0' <= 9 }
	for i := 0; i+16 <= len(raw); i++ { // raw[i-1] is no digit
		if !isDigit(i + 15) { // none that begins up to here is long enough
			i += 15
			continue
		}
		start := i + 15
		for start > i && isDigit(start-1) {
			start--
		}
		i += 16
		for i < len(raw) && isDigit(i) {
			i++
		}
		more := i < len(raw) && (raw[i] == '.' || raw[i]|0x20 == 'e')
		inside := start > 0 && (raw[start-1] == '.' || isWordByte(raw[start-1]))
		n := i - start
		if n < 16 || n > 20 || raw[start] == '0' || more || inside || n == 16 && string(raw[start:i]) <= "9007199254740992" {
			continue
		}
		do(string(raw[start:i]))
	}
}
