package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var integerRounded = &diagnose.Rule{
	ID:         "integer-rounded",
	Title:      "A large integer comes back rounded",
	Brief:      "large integer rounded",
	Severity:   diagnose.Warning,
	Side:       diagnose.Client,
	Confidence: diagnose.Likely,
	On:         diagnose.Requests | diagnose.Results,
	Methods:    []string{mcp.ToolsCall, mcp.PromptsGet},
	Covers:     []string{"tool-failed*", "request-refused*", "session-failed*"},
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
	for i := 0; i < len(raw); i++ {
		if raw[i] < '1' || raw[i] > '9' {
			continue
		}
		end := i
		for end < len(raw) && raw[end] >= '0' && raw[end] <= '9' {
			end++
		}
		more := end < len(raw) && (raw[end] == '.' || raw[end]|0x20 == 'e')
		inside := i > 0 && (raw[i-1] == '.' || isWordByte(raw[i-1]))
		if n := end - i; n >= 16 && n <= 20 && !more && !inside && !(n == 16 && string(raw[i:end]) <= "9007199254740992") {
			do(string(raw[i:end]))
		}
		i = end
	}
}
