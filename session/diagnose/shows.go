package diagnose

import "slices"

// shown notes where a finding showed once more.
func (f *Finding) shown(again *Finding) {
	if f.Rule.Fallback > 0 && len(f.about) < MaxShows {
		f.about = append(f.about, slices.Concat(again.Frames, again.About))
	}
	if len(again.Frames) == 0 || len(f.Shows) >= MaxShows || slices.Contains(f.Shows, again.Frames[0]) {
		return
	}
	f.Shows = append(f.Shows, again.Frames[0])
	if again.Place != "" {
		f.places = append(f.places, again.Place)
	}
}

// PlaceIn is the JSON Pointer to the member that is wrong in the message of a
// frame where the finding shows, "" for none.
func (f *Finding) PlaceIn(n uint64) string {
	if i := slices.Index(f.Shows, n); i >= 0 && len(f.places) == len(f.Shows) {
		return f.places[i]
	}
	return ""
}
