package wire

import (
	"bytes"
	"cmp"
	"slices"
)

// maxMembers bounds how many members of objects that lie in each other
// Duplicate looks at.
const maxMembers = 1 << 16

// Duplicate returns the name of a member that some object in a JSON value, at
// any depth, has more than once. Such a value means one thing to a peer that
// takes the last, and another to one that takes the first. It is false when
// there is none, and for objects of more than 65,536 members.
func Duplicate(value []byte) (name string, ok bool) {
	d := duplicates{b: value, seen: make([]memberAt, 0, 8), begins: make([]int, 0, 4)}
	for i := 0; ; {
		if i = skipSpace(value, i); i >= len(value) {
			return "", false
		}
		if c := value[i]; c == '{' || c == '[' {
			key := skipSpace(value, i+1)
			at, inside := d.open(value, i)
			if inside && c == '{' {
				d.begins = append(d.begins, len(d.seen))
				d.add(key, at)
			}
			i = at
			if inside {
				continue
			}
		} else {
			i = skipValue(value, i)
		}
		var found string
		if i, found = d.next(i); found != "" || i < 0 {
			return found, found != ""
		}
	}
}

// duplicates is a search under way.
type duplicates struct {
	nest
	b      []byte
	seen   []memberAt // of the objects that are open, innermost last
	begins []int      // where in seen each of them begins
}

// memberAt is a name and where its JSON string stands.
type memberAt struct {
	hash     uint64
	from, to int
}

// add takes the name that begins at from; colon is behind its colon.
func (d *duplicates) add(from, colon int) {
	if len(d.seen) == maxMembers {
		return
	}
	to := bytes.LastIndexByte(d.b[from:colon], '"') + from + 1
	d.seen = append(d.seen, memberAt{Hash(memberName(d.b[from:to])), from, to})
}

// next continues behind a value until another one must begin. It returns -1 at
// the end, and the name that an object which ended on the way has twice.
func (d *duplicates) next(i int) (at int, name string) {
	for i >= 0 && d.depth > 0 {
		if i = skipSpace(d.b, i); i >= len(d.b) {
			return -1, ""
		}
		object := d.bits&1 == 1
		switch c := d.b[i]; {
		case c == ',' && object:
			key := skipSpace(d.b, i+1)
			if i = skipKey(d.b, i+1); i > 0 {
				d.add(key, i)
			}
			return i, ""
		case c == ',':
			return i + 1, ""
		case c == '}' && object:
			if name := d.twice(); name != "" {
				return -1, name
			}
		case c != ']' || object:
			return -1, ""
		}
		d.pop()
		i++
	}
	return -1, ""
}

// twice ends an object, and returns a name that it has twice, "" for none.
func (d *duplicates) twice() string {
	last := len(d.begins) - 1
	members := d.seen[d.begins[last]:]
	d.seen, d.begins = d.seen[:d.begins[last]], d.begins[:last]
	if len(members) <= 8 {
		for i := range members {
			for j := range i {
				if members[i].hash == members[j].hash && d.order(members[i], members[j]) == 0 {
					return string(d.name(members[i]))
				}
			}
		}
		return ""
	}
	slices.SortFunc(members, d.order)
	for i := range members[1:] {
		if d.order(members[i], members[i+1]) == 0 {
			return string(d.name(members[i]))
		}
	}
	return ""
}

func (d *duplicates) name(m memberAt) []byte { return memberName(d.b[m.from:m.to]) }

func (d *duplicates) order(a, b memberAt) int {
	if c := cmp.Compare(a.hash, b.hash); c != 0 {
		return c
	}
	return bytes.Compare(d.name(a), d.name(b))
}
