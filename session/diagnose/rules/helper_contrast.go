package rules

import (
	"bytes"
	"slices"
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// contrast compares the arguments of calls that failed with those of calls that worked.
type contrast struct {
	calls  [2]int // that worked, that failed
	traits map[string]*[2]int
	sizes  map[string]*[2]extent // of texts, lists and objects in the arguments
}

type extent struct{ least, most int }

const maxTraits = 64

// add takes the arguments of a call.
func (t *contrast) add(args []byte, failed bool) {
	at := 0
	if failed {
		at = 1
	}
	t.calls[at]++
	wire.Each(args, func(key, value []byte) bool {
		name := quote(string(key))
		t.count(name, at)
		value = bytes.TrimSpace(value)
		switch s := text(value); {
		case string(value) == "null":
			t.count(name+" as null", at)
		case string(value) == `""` || string(value) == "[]" || string(value) == "{}":
			t.count(name+" empty", at)
		default:
			if strings.IndexFunc(s, func(r rune) bool { return r > 126 }) >= 0 {
				t.count("letters beyond ASCII in "+name, at)
			}
			if strings.ContainsAny(s, "\r\n") {
				t.count("several lines in "+name, at)
			}
			if strings.Contains(s, `\`) {
				t.count("a backslash in "+name, at)
			}
		}
		t.size(name, len(value), at)
		return true
	})
}

func (t *contrast) count(trait string, at int) {
	n := made(&t.traits)[trait]
	if n == nil {
		if len(t.traits) >= maxTraits {
			return
		}
		n = new([2]int)
		t.traits[trait] = n
	}
	n[at]++
}

func (t *contrast) size(name string, size, at int) {
	n := made(&t.sizes)[name]
	if n == nil {
		if len(t.sizes) >= maxTraits {
			return
		}
		n = new([2]extent)
		t.sizes[name] = n
	}
	if n[at].most == 0 {
		n[at].least = size
	}
	n[at] = extent{min(n[at].least, size), max(n[at].most, size)}
}

// String is a sentence on what separates the two, "" when nothing does, or when they are
// too few to say so.
func (t *contrast) String() string {
	worked, failed := t.calls[0], t.calls[1]
	if worked < 2 || failed < 2 {
		return ""
	}
	var all []string
	for _, name := range sortedKeys(t.traits) {
		switch n := *t.traits[name]; {
		case n == [2]int{0, failed}:
			all = append(all, "have "+name)
		case n == [2]int{worked, 0}:
			all = append(all, "lack "+name)
		}
	}
	if len(all) == 0 {
		for _, name := range sortedKeys(t.sizes) {
			n := t.sizes[name]
			always := t.traits[name] != nil && *t.traits[name] == t.calls
			if always && n[1].least > max(2*n[0].most, 256) {
				all = append(all, "have "+words.Size(n[1].least)+" and more in "+name+", the others at most "+words.Size(n[0].most))
			}
		}
	}
	if len(all) == 0 || len(all) > 3 {
		return ""
	}
	return " What sets them apart: all " + number(failed) + " that failed " + strings.Join(slices.Compact(all), ", and ") +
		"; of the " + number(worked) + " that worked none did."
}
