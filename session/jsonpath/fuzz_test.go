package jsonpath

import (
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"

	"midwire/session/wire"
	"midwire/session/words/wordstest"
)

// A path reads as it is written, and is a pattern of itself.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"result.content[0].text", `_meta."a/b".*`, "**.x[*]", `"*"`, "a..b", "[01]"} {
		f.Add(s, "result.x[1]")
	}
	for _, s := range wordstest.JSON() {
		f.Add(s, "a."+s)
		f.Add("İ."+Name([]byte(s))+"[1]", Name([]byte(s)))
	}
	f.Fuzz(func(t *testing.T, pattern, place string) {
		p, err := Parse(pattern)
		if err != nil {
			return
		}
		again, err := Parse(p.String())
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Fatalf("%q: %q, %v", pattern, p, err)
		}
		literal := true
		for _, s := range p {
			literal = literal && (s.Kind == Member || s.Kind == Element)
		}
		if literal && !p.Matches(p) {
			t.Fatalf("%s does not match itself", p)
		}
		if at, err := Parse(place); err == nil && p.Matches(at) && !p.Matches(append(at, Seg{Name: "deeper"})) {
			t.Fatalf("%s covers %s and not what is in it", p, at)
		}
	})
}

// Every leaf is found where it stands, by its path and by what that is read as.
func FuzzLeaves(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b c":null}],"":{}}`, `[[[]],"x"]`, `{"":[{}],"":{}}`, `{"a\u0062":1}`, "7"} {
		f.Add([]byte(s))
	}
	for _, s := range wordstest.JSON() {
		f.Add([]byte("{" + s + ":[" + s + "],\"İ\":{" + s + ":1}}"))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) || !wire.Valid(raw) || !utf8.Valid(raw) {
			return // a name that is not UTF-8 cannot be written as a path
		}
		seen, twice := map[string]bool{}, hasTwice(raw)
		Leaves(raw, nil, func(p Path, v []byte) bool {
			text := p.String()
			if seen[text] || len(p) == 0 {
				return true // of members that occur twice only one can be named
			}
			seen[text] = true
			from, to, ok := p.Find(raw)
			again, err := Parse(text)
			if !ok && twice {
				return true // what is in the earlier of two members cannot be named
			}
			if !ok || len(text) <= maxPath && (err != nil || !reflect.DeepEqual(Path(again), append(Path(nil), p...))) {
				t.Fatalf("%s in %q: %v; read as %s, %v", text, raw, ok, again, err)
			}
			if same := &raw[from] == &v[0] && to-from == len(v); !same && !twice {
				t.Fatalf("%s in %q is %q, and found was %q", text, raw, v, raw[from:to])
			}
			return true
		})
	})
}

// hasTwice says whether an object in a value has two members of one name.
func hasTwice(raw []byte) bool {
	twice, names := false, map[string]bool{}
	wire.Each(raw, func(k, v []byte) bool {
		twice = twice || names[string(k)] || hasTwice(v)
		names[string(k)] = true
		return true
	})
	wire.Items(raw, func(_ int, v []byte) bool { twice = twice || hasTwice(v); return true })
	return twice
}
