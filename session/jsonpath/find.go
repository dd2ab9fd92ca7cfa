package jsonpath

import "midwire/session/wire"

// Find returns where in a JSON value the value at the path begins and ends. Of
// duplicate members the last counts, as for wire.Get.
func (p Path) Find(raw []byte) (from, to int, ok bool) {
	value := raw
	for _, s := range p {
		var found []byte
		take := func(is bool, v []byte) bool {
			if is {
				found = v
			}
			return true
		}
		if s.Kind == Element {
			wire.Items(value, func(i int, v []byte) bool { return take(i == s.Index, v) && i < s.Index })
		} else {
			wire.Each(value, func(k, v []byte) bool { return take(string(k) == s.Name, v) })
		}
		if found == nil {
			return 0, 0, false
		}
		value = found
	}
	// Every value shares the memory of the one it lies in, up to its end.
	from = cap(raw) - cap(value)
	return from, from + len(value), true
}

// Get returns the raw value at the path, nil when there is none.
func (p Path) Get(raw []byte) []byte {
	if from, to, ok := p.Find(raw); ok {
		return raw[from:to]
	}
	return nil
}

// MaxDepth bounds how deep a value is looked into: only hostile ones go deeper.
const MaxDepth = 64

// Leaves calls yield with every string, number, truth and null in a JSON value,
// and with empty objects and arrays, until yield returns false. The path is
// valid during the call only.
func Leaves(raw []byte, at Path, yield func(p Path, value []byte) bool) bool {
	if cap(at) == 0 {
		at = make(Path, 0, 16) // which the levels below share
	}
	inside, goOn := false, true
	child := func(s Seg, v []byte) bool {
		inside = true
		goOn = Leaves(v, append(at, s), yield)
		return goOn
	}
	switch {
	case len(raw) == 0 || len(at) >= MaxDepth:
		return true
	case raw[0] == '{':
		wire.Each(raw, func(k, v []byte) bool { return child(Seg{Name: string(k)}, v) })
	case raw[0] == '[':
		wire.Items(raw, func(i int, v []byte) bool { return child(Seg{Index: i, Kind: Element}, v) })
	}
	if !inside {
		return yield(at, raw)
	}
	return goOn
}
