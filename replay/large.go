package replay

import (
	"bytes"
	"fmt"

	"midwire/session/jsonpath"
	"midwire/session/wire"
)

const (
	// maxDecoded is how long a value may be, in bytes, to be decoded: that takes
	// many times its length.
	maxDecoded = 4 << 20
	// maxParts is how many members or elements of a longer one are looked at.
	maxParts = 1 << 16
)

// large compares two values one of which is too long to be decoded: part by
// part, each of which is decoded when it is short enough. What has too many
// parts is compared as a whole, as is a long text.
func (d *differ) large(at jsonpath.Path, a, b []byte) {
	switch {
	case bytes.Equal(a, b) || len(d.found) >= MaxChanges:
		return
	case len(a)+len(b) <= maxDecoded:
		d.value(at, decode(a), decode(b))
		return
	case len(a) > 0 && len(b) > 0 && a[0] == '{' && b[0] == '{':
		x, names, ok := membersOf(a)
		y, others, ok2 := membersOf(b)
		if ok && ok2 {
			for _, name := range names {
				d.part(append(at, jsonpath.Seg{Name: name}), x[name], y[name])
			}
			for _, name := range others {
				if x[name] == nil {
					d.part(append(at, jsonpath.Seg{Name: name}), nil, y[name])
				}
			}
			return
		}
	case len(a) > 0 && len(b) > 0 && a[0] == '[' && b[0] == '[':
		x, y := partsOf(a), partsOf(b)
		if len(x) <= maxParts && len(y) <= maxParts {
			for i := range max(len(x), len(y)) {
				d.part(append(at, jsonpath.Seg{Index: i, Kind: jsonpath.Element}), elementOf(x, i), elementOf(y, i))
			}
			return
		}
	}
	if !d.masks.ignores(d.rules, at, nil, nil) {
		d.note(at, "changed", size(a), size(b))
	}
}

// part compares two parts, of which one may be missing.
func (d *differ) part(at jsonpath.Path, a, b []byte) {
	switch {
	case a != nil && b != nil:
		d.large(at, a, b)
	case a == nil && b == nil || comesAndGoes(at) || d.masks.ignores(d.rules, at, nil, nil):
	case a == nil:
		d.note(at, "added", "", size(b))
	default:
		d.note(at, "removed", size(a), "")
	}
}

// size shows a value that is too long to be shown.
func size(raw []byte) string {
	if len(raw) <= 160 {
		return string(raw)
	}
	return digest(raw)
}

// digest stands for bytes that are too many.
func digest(raw []byte) string {
	return fmt.Sprintf("%d bytes with the hash %016x", len(raw), wire.Hash(raw))
}

func elementOf(list [][]byte, i int) []byte {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// partsOf returns the elements of an array, of too many one more than maxParts.
func partsOf(raw []byte) (all [][]byte) {
	wire.Items(raw, func(_ int, v []byte) bool { all = append(all, v); return len(all) <= maxParts })
	return all
}

// membersOf returns the members of an object and their names in order; false
// when there are too many.
func membersOf(raw []byte) (members map[string][]byte, names []string, ok bool) {
	members = map[string][]byte{}
	wire.Each(raw, func(k, v []byte) bool {
		if name := string(k); members[name] == nil {
			names = append(names, name)
		}
		members[string(k)] = v
		return len(names) <= maxParts
	})
	return members, names, len(names) <= maxParts
}
