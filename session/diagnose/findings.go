package diagnose

import (
	"cmp"
	"slices"
)

// findings are what a checker found.
type findings struct {
	list    []*Finding
	byKey   map[findingKey]*Finding
	changes int
}

type findingKey struct {
	rule    *Rule
	session int
	key     string
}

// MaxFindings bounds how many findings are kept; more of the same are counted
// all the same.
const MaxFindings = 5000

// add adds a finding, or counts one more of the same.
func (c *Checker) add(f Finding) {
	k := findingKey{f.Rule, f.Session, f.key}
	c.changes++
	if old := c.byKey[k]; old != nil {
		old.Count += max(f.Count, 1)
		old.shown(&f)
		for _, n := range f.Frames {
			if len(old.Frames) < MaxFrames && !slices.Contains(old.Frames, n) {
				old.Frames = append(old.Frames, n)
			}
		}
		return
	}
	if len(c.list) >= MaxFindings {
		return
	}
	help := f.Rule.Help()
	if f.Seen = f.Seen || f.Rule.Seen || f.Side == Unclear; f.Seen {
		f.Cause, f.Remedies, f.Side = "", nil, Unclear
	} else {
		f.Cause = cmp.Or(f.Cause, help.Cause)
		if f.Remedies == nil {
			f.Remedies = help.Remedies
		}
		f.Remedies = meant(f.Remedies, f.Side)
	}
	f.Count, f.Follows, f.attempts = max(f.Count, 1), nil, c.ends.attempts
	f.shown(&f)
	f.Frames = slices.Clip(f.Frames[:min(len(f.Frames), MaxFrames)])
	c.byKey[k] = &f
	c.list = append(c.list, &f)
}

// Confirm has what the rule in hand has only seen of the session in hand known, by a frame that
// says so, and adds that to its sentence.
func (c *Case) Confirm(key string, n uint64, name string, with Values) {
	r := c.asked.Rule
	f := c.checker.byKey[findingKey{r, c.sessionOf(nil), key}]
	if f == nil || !f.Seen {
		return
	}
	help := r.Help()
	f.Seen, f.Side, f.Cause, f.Remedies = false, r.Side, help.Cause, meant(help.Remedies, r.Side)
	f.Says = name
	f.Message += " " + c.Sentence(name, with)
	if f.Frames = append(slices.Clip(f.Frames), n); len(f.Frames) > MaxFrames {
		f.Frames = f.Frames[:MaxFrames]
	}
	c.checker.changes++
}

// Changes counts what was reported so far: as long as it stays the same, so
// does the result of Findings.
func (c *Checker) Changes() int { return c.changes }

// Findings returns what was found so far: the roots, each with what follows from
// it. What it points to belongs to the checker and changes with the next frame.
func (c *Checker) Findings() []*Finding { return Roots(c.list) }

// Same says whether two findings are of the same thing, perhaps seen at
// different times.
func (f *Finding) Same(g *Finding) bool {
	return f.Rule == g.Rule && f.Session == g.Session && f.key == g.key
}

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
