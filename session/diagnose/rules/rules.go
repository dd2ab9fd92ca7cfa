// Package rules is the catalogue of what midwire can find: rules that explain something, in
// files by topic; rows of conformance tables, one for each
// formal check of the specification; and a page for either in help: its title, severity, side and so on,
// the sentences of its findings, what it means, how it looks, its cause and its fix. That is
// what a user reads; keep it plain.
//
// A sentence is "says: {sender} sent “{method}” (#{n}) with an id.", or "says NAME: …" where a rule
// has several. What it names stands in Finding.With, or is known of the case (Case.value).
package rules

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

// rule is one that is asked about messages of every method. What else there is to say
// of it stands in its page.
func rule(id string, on diagnose.On, check func(*diagnose.Case)) *diagnose.Rule {
	return &diagnose.Rule{ID: id, On: on, Check: check}
}

// All returns every rule, by id.
func All() []*diagnose.Rule { return slices.Clone(all()) }

// all reads the data of the pages when rules are first asked for.
var all = sync.OnceValue(func() []*diagnose.Rule {
	list := slices.Concat(explaining, conformance)
	slices.SortFunc(list, func(a, b *diagnose.Rule) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range list {
		_ = load(r, pageOf) // TestPages: every page is right
	}
	return list
})

// Find returns the rule of that id; nil when there is none.
func Find(id string) *diagnose.Rule {
	list := all()
	i, found := slices.BinarySearchFunc(list, id, func(r *diagnose.Rule, id string) int {
		return strings.Compare(r.ID, id)
	})
	if !found {
		return nil
	}
	return list[i]
}

// Brief is what the rule of that id finds, in the few words of its Brief; the words of
// the id when there is no such rule.
func Brief(id string) string {
	if r := Find(id); r != nil {
		return r.Brief
	}
	return strings.ReplaceAll(id, "-", " ")
}

// Nearest returns the ids that a mistyped one may have meant.
func Nearest(id string) []string {
	var near []string
	for _, r := range all() {
		if strings.Contains(r.ID, id) || words.Contains(r.Title, id) {
			near = append(near, r.ID)
		}
	}
	return near
}

// quote shows a text from the wire within a sentence.
func quote(s string) string {
	const most = 80
	return "“" + strings.TrimSpace(words.Ellipsis(s, most)) + "”"
}

// made returns a map that a rule keeps, made when it is first needed.
func made[M ~map[K]V, K comparable, V any](m *M) M {
	if *m == nil {
		*m = M{}
	}
	return *m
}

// kept is a list with one more at its end; the oldest is dropped where there are most.
func kept[T any](list []T, most int, one T) []T {
	if len(list) >= most {
		list = append(list[:0], list[1:]...)
	}
	return append(list, one)
}

// number shows a number within a sentence.
func number[N int | int32 | int64 | uint16 | uint32 | uint64](n N) string {
	return strconv.FormatInt(int64(n), 10)
}

// quoteJSON quotes a value: a string without the quotes that it has in JSON.
func quoteJSON(raw []byte) string {
	if s := text(raw); s != "" {
		return quote(s)
	}
	return quote(string(raw))
}

// frame shows the number of a frame within a sentence.
func frame[N uint32 | uint64](n N) string { return "#" + strconv.FormatUint(uint64(n), 10) }

func text(raw []byte) string { return wire.Said(raw) }

// hashOf is the hash of several texts, each apart from the next.
func hashOf[T string | []byte](parts ...T) uint64 {
	h := uint64(wire.HashSeed)
	for _, p := range parts {
		h = wire.HashOn(wire.HashOn(h, []byte(p)), []byte{0})
	}
	return h
}

// often says how long a streak went on: "3 times within 12 s".
func often(s *diagnose.Streak) string {
	return number(s.Count) + " times within " + seconds(max(s.LastT-s.T, 1e8))
}

func listItems(c *diagnose.Case) []byte {
	for _, name := range [...]string{"tools", "prompts", "resources", "resourceTemplates", "tasks"} {
		if list := c.Result(name); list != nil {
			return list
		}
	}
	return nil
}
