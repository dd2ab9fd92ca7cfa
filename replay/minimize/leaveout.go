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

// search returns the fewest of the items that fails still is true with, and asks as seldom
// as it can: of n items of which k matter about k times the logarithm of n. Each round finds
// by halves the latest item without which it is not true any more. What is returned is minimal
// where fails of more items is never false when it is true of fewer; shrink makes sure of the
// rest. fails is known to be true of all items. An error of fails ends the search with what is
// known to be enough.
func search[T any](items []T, fails func([]T) (bool, error)) (needed []T, err error) {
	for len(items) > 0 {
		if enough, err := fails(needed); err != nil || enough {
			if err != nil {
				needed = slices.Concat(items, needed)
			}
			return needed, err
		}
		// All from enough on are, with what is needed; all from tooFew on are not.
		enough, tooFew := 0, len(items)
		for tooFew-enough > 1 {
			middle := (enough + tooFew) / 2
			still, err := fails(slices.Concat(items[middle:], needed))
			switch {
			case err != nil:
				return slices.Concat(items[enough:], needed), err
			case still:
				enough = middle
			default:
				tooFew = middle
			}
		}
		needed, items = slices.Concat(items[enough:enough+1], needed), items[enough+1:]
	}
	return needed, nil
}

// shrink takes single items away for as long as fails stays true, so that none that is left
// can be.
func shrink[T any](items []T, fails func([]T) (bool, error)) ([]T, error) {
	for i := 0; i < len(items); {
		less := slices.Concat(items[:i], items[i+1:])
		still, err := fails(less)
		if err != nil {
			return items, err
		}
		if !still {
			i++
			continue
		}
		items, i = less, 0
	}
	return items, nil
}
