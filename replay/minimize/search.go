package minimize

import "slices"

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
