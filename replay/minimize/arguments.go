package minimize

import (
	"maps"
	"slices"

	"midwire/replay"
)

// arguments leaves out members of the arguments that the failure does not need: at first
// those of the arguments themselves, then those of the objects in them. The longest go first.
func (m *minimizer) arguments() error {
	params := replay.Object(m.params)
	args, ok := params["arguments"].(map[string]any)
	if !ok || len(args) == 0 {
		return nil
	}
	m.r.OfMembers = len(args)
	defer func() { m.r.Members = slices.Sorted(maps.Keys(args)) }()
	var inner []map[string]any
	err := m.members(params, args)
	for _, v := range args {
		if o, ok := v.(map[string]any); ok {
			inner = append(inner, o)
		}
	}
	for _, o := range inner {
		if err == nil {
			err = m.members(params, o)
		}
	}
	return err
}

// members leaves out members of one object of the parameters. Afterwards the object has those
// that are left, and the parameters of the search are with them.
func (m *minimizer) members(params, object map[string]any) error {
	whole := maps.Clone(object)
	names := slices.SortedFunc(maps.Keys(whole), func(a, b string) int {
		return len(replay.Encode(whole[a])) - len(replay.Encode(whole[b]))
	})
	with := func(some []string) []byte {
		clear(object)
		for _, name := range some {
			object[name] = whole[name]
		}
		return replay.Encode(params)
	}
	fails := func(some []string) (bool, error) {
		if len(some) == len(whole) {
			return true, nil // as it was recorded, but for spaces
		}
		return m.try(m.others, with(some))
	}
	left, err := search(names, fails)
	if err == nil {
		left, err = shrink(left, fails)
	}
	text := with(left)
	if len(left) < len(whole) {
		m.params, m.r.Params = text, string(text)
	}
	return err
}
