package replay

import (
	"encoding/json"
	"strconv"
	"strings"

	"midwire/session/wire"
)

// meansSame reports whether a recorded value of a request and another one mean the same: 1 is
// 1.0, and a mask stands for any text.
func meansSame(recorded, other any) bool {
	switch a := recorded.(type) {
	case json.Number:
		b, ok := other.(json.Number)
		return ok && number(a) == number(b)
	case string:
		b, ok := other.(string)
		return ok && fits(a, b)
	}
	return false
}

// number is how a number is written that means the same as others.
func number(n json.Number) string {
	text := n.String()
	if f, err := strconv.ParseFloat(text, 64); err == nil && !isWhole(n) {
		if f == float64(int64(f)) && f < 1<<53 && f > -1<<53 {
			return strconv.FormatInt(int64(f), 10)
		}
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// fits reports whether a text may be what a recorded one was before it was masked.
func fits(recorded, text string) bool {
	first := true
	for {
		mask := FindMask([]byte(recorded))
		if mask == "" {
			return !first && strings.HasSuffix(text, recorded)
		}
		before, after, _ := strings.Cut(recorded, mask)
		at := strings.Index(text, before)
		if at < 0 || first && at > 0 {
			return false
		}
		text = text[at+len(before):]
		recorded, first = after, false
	}
}

func isEmpty(raw []byte) bool {
	empty := len(raw) > 0 && raw[0] == '{'
	return empty && wire.Each(raw, func(_, _ []byte) bool { empty = false; return false }) && empty
}

// meaning is a decoded scalar as all spellings of it have it.
func meaning(v any) any {
	if n, ok := v.(json.Number); ok {
		return json.Number(number(n))
	}
	return v
}

// eachScalar replaces every scalar within a decoded value.
func eachScalar(v any, by func(any) any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = eachScalar(v[i], by)
		}
		return v
	case map[string]any:
		for k := range v {
			v[k] = eachScalar(v[k], by)
		}
		return v
	}
	return by(v)
}
