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
	d := duplicates{b: value, seen: make([]memberAt, 0, 8), open: make([]int, 0, 8)}
	for i := 0; ; {
		if i = skipSpace(value, i); i >= len(value) {
			return "", false
		}
		c := value[i]
		switch inside := skipSpace(value, i+1); {
		case c != '{' && c != '[':
			i = skipValue(value, i)
		case inside < len(value) && value[inside] == c+2: // the closing one
			i = inside + 1
		case c == '[':
			d.open = append(d.open, inArray)
			i = inside
			continue
		default:
			d.open = append(d.open, len(d.seen))
			if i = d.key(inside); i < 0 {
				return "", false
			}
			continue
		}
		var found string
		if i, found = d.next(i); found != "" || i < 0 {
			return found, found != ""
		}
	}
}

// duplicates is a search under way.
type duplicates struct {
	b    []byte
	seen []memberAt // of the objects that are open, innermost last
	open []int      // for each open level where in seen it begins, or inArray
}

const inArray = -1

// memberAt is a name and where its JSON string stands.
type memberAt struct {
	hash     uint64
	from, to int
}

// key takes the name that begins at or behind i. It returns what is behind its colon, -1
// for none.
func (d *duplicates) key(i int) int {
	from := skipSpace(d.b, i)
	if i = skipKey(d.b, from); i > 0 && len(d.seen) < maxMembers {
		to := bytes.LastIndexByte(d.b[from:i], '"') + from + 1
		d.seen = append(d.seen, memberAt{Hash(memberName(d.b[from:to])), from, to})
	}
	return i
}

// next continues behind a value until another one must begin. It returns -1 at
// the end, and the name that an object which ended on the way has twice.
func (d *duplicates) next(i int) (at int, name string) {
	for i >= 0 && len(d.open) > 0 {
		if i = skipSpace(d.b, i); i >= len(d.b) {
			return -1, ""
		}
		begin := d.open[len(d.open)-1]
		switch c := d.b[i]; {
		case c == ',' && begin == inArray:
			return i + 1, ""
		case c == ',':
			return d.key(i + 1), ""
		case c == '}' && begin != inArray:
			if name := d.twice(begin); name != "" {
				return -1, name
			}
		case c != ']' || begin != inArray:
			return -1, ""
		}
		d.open = d.open[:len(d.open)-1]
		i++
	}
	return -1, ""
}

// twice ends an object, and returns a name that it has twice, "" for none.
func (d *duplicates) twice(begin int) string {
	members := d.seen[begin:]
	d.seen = d.seen[:begin]
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
