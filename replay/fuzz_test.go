package replay

import (
	"encoding/json"
	"reflect"
	"testing"

	"midwire/session/handle"
	"midwire/session/jsonpath"
	"midwire/session/wire"
	"midwire/session/words/wordstest"
)

// Whatever is substituted, the payload stays JSON, the place holds the new
// value, and nothing else changes.
func FuzzSubstitute(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"params":{"a":"x","b":["[session: ab12cd34]",7]}}`), "new\"\n", uint(0))
	f.Add([]byte(`[{"a":"\u0041\\"},{"a":1}]`), "", uint(3))
	for _, s := range wordstest.JSON() {
		f.Add([]byte(`{"İ":[`+s+`,"[session: ab12cd34]"]}`), s, uint(0))
	}
	f.Fuzz(func(t *testing.T, payload []byte, text string, at uint) {
		if !json.Valid(payload) {
			return
		}
		var paths []jsonpath.Path
		jsonpath.Leaves(payload, nil, func(p jsonpath.Path, _ []byte) bool {
			paths = append(paths, append(jsonpath.Path(nil), p...))
			return true
		})
		if len(paths) == 0 || len(paths[0]) == 0 || countMembers(payload) != countMembers(encoded(payload)) {
			return // of members that occur twice only one can be named
		}
		p := paths[at%uint(len(paths))]
		from, to, ok := p.Find(payload)
		if !ok {
			t.Fatalf("%s is not found in %q", p, payload)
		}
		out := substitute(payload, []change{{path: p, raw: jsonpath.Quote(nil, text)}})
		if !wire.Valid(out) || string(out[:from]) != string(payload[:from]) || string(out[len(out)-(len(payload)-to):]) != string(payload[to:]) {
			t.Fatalf("%q became %q", payload, out)
		}
		var was, now any
		if json.Unmarshal([]byte(jsonpath.Quote(nil, text)), &was) == nil && json.Unmarshal(p.Get(out), &now) == nil && !reflect.DeepEqual(was, now) {
			t.Fatalf("%q instead of %q", now, was)
		}
		// A token inside a text is cut out again where it was put.
		value := wire.Text(p.Get(payload))
		handle.Tokens(value, func(from int, token string, c handle.Class) {
			k := newCut(value, from, token, c)
			if got := k.take(value); got != token {
				t.Fatalf("%q in %q: took %q by %+v", token, value, got, k)
			}
		})
	})
}

func encoded(raw []byte) []byte {
	out, _ := json.Marshal(decode(raw))
	return out
}

func countMembers(raw []byte) int {
	n := 0
	wire.Each(raw, func(_, v []byte) bool { n += 1 + countMembers(v); return true })
	wire.Items(raw, func(_ int, v []byte) bool { n += 1 + countMembers(v); return true })
	return n
}

func FuzzMask(f *testing.F) {
	f.Add("took 12ms [session: a1b2c3d4] at 2026-01-01T00:00:00Z é")
	for _, s := range wordstest.Texts() {
		f.Add(s + " took 12ms " + s + " [session: a1b2c3d4]")
	}
	f.Fuzz(func(t *testing.T, text string) {
		same := replaceTokens(text, func(int, string) (string, bool) { return "", false })
		if same != text {
			t.Fatalf("%q became %q", text, same)
		}
		if once := mask(nil, text); (&Masks{}).sameText(nil, "x", text, text) == "" || len(once) > 0 && text == "" {
			t.Fatalf("%q differs from itself", text)
		}
	})
}
