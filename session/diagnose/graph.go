package diagnose

import (
	"cmp"
	"slices"
	"strings"
)

// Roots makes a forest of findings, which may be one already: what follows from
// a finding of the list is put into its Follows, and what follows from none is
// returned, in the order of the list, causes of a failed session
// first, what did no harm last. The
// same list always gives the same forest. Findings that explain each other in a
// circle all stay roots.
func Roots(list []*Finding) []*Finding {
	g := newGraph(list)
	for _, f := range g.all {
		f.Follows = nil
	}
	var roots []*Finding
	for i, f := range g.all {
		if g.circular(i) || g.parents[i] < 0 {
			roots = append(roots, f)
			continue
		}
		p := g.all[g.parents[i]]
		p.Follows = append(p.Follows, f)
	}
	slices.SortStableFunc(roots, func(a, b *Finding) int { return cmp.Compare(a.rank(), b.rank()) })
	return roots
}

// Each calls do with a finding and all that follows from it, in the order of
// reading; depth is how far it is from f.
func (f *Finding) Each(do func(f *Finding, depth int)) { f.each(0, do) }

func (f *Finding) each(depth int, do func(*Finding, int)) {
	do(f, depth)
	for _, g := range f.Follows {
		g.each(depth+1, do)
	}
}

// Consequences is how many findings follow from f, directly or not.
func (f *Finding) Consequences() int {
	n := -1
	f.Each(func(*Finding, int) { n++ })
	return n
}

// fails says whether f is why a session failed, or that it did.
func (f *Finding) fails() bool {
	return f.Rule.On&Failures != 0 || slices.ContainsFunc(f.Follows, (*Finding).fails)
}

func (f *Finding) rank() int {
	switch {
	case f.fails():
		return 0
	case f.Harmless:
		return 2
	}
	return 1
}

// graph says what explains what in a list of findings.
type graph struct {
	all     []*Finding
	parents []int            // by finding: what explains it, -1 for nothing
	broad   []int            // findings whose rule covers others
	at      map[uint64][]int // findings by the frames they cite
	like    map[uint64][]int // findings by the attempts they cite, see attempts: at most maxLike of each
}

const maxLike = 16

func newGraph(list []*Finding) *graph {
	g := &graph{}
	seen := make(map[*Finding]bool, len(list))
	for _, f := range list {
		seen[f] = true
	}
	for _, f := range list {
		f.Each(func(below *Finding, depth int) {
			if depth > 0 && seen[below] {
				return // it is in the list, or was below another one
			}
			seen[below] = true
			g.all = append(g.all, below)
		})
	}
	fallbacks := false
	for i, f := range g.all {
		if len(f.Rule.Covers) > 0 {
			g.broad = append(g.broad, i)
		}
		fallbacks = fallbacks || f.Rule.Fallback > 0
	}
	if fallbacks {
		g.cite()
	}
	g.parents = make([]int, len(g.all))
	for i := range g.all {
		g.parents[i] = g.parent(i)
	}
	return g
}

// cite notes which findings speak of a frame, and of an attempt.
func (g *graph) cite() {
	g.at, g.like = map[uint64][]int{}, map[uint64][]int{}
	once := func(m map[uint64][]int, n uint64, i, most int) {
		if at := m[n]; len(at) < most && (len(at) == 0 || at[len(at)-1] != i) {
			m[n] = append(at, i)
		}
	}
	for i, f := range g.all {
		for _, list := range [][]uint64{f.Frames, f.Shows} {
			for _, n := range list {
				once(g.at, n, i, len(g.all))
				if attempt, failed := f.attempts[n]; failed && f.Rule.Fallback <= 1 {
					once(g.like, attempt, i, maxLike)
				}
			}
		}
	}
}

// parent is what explains a finding best, -1 for nothing: what the tables of
// the rules say, or else, of a fallback, what speaks of the same exchange.
func (g *graph) parent(i int) int {
	f, best := g.all[i], -1
	for _, b := range g.broad {
		if b != i && g.all[b].covers(f) && !f.covers(g.all[b]) {
			best = g.better(best, b)
		}
	}
	if f.Seen && f.Rule.On&Refusals != 0 && f.Rule.Fallback == 0 && best < 0 {
		for _, n := range f.Frames {
			for _, b := range g.at[n] {
				if f.yields(g.all[b]) {
					best = g.better(best, b)
				}
			}
		}
	}
	if best >= 0 || f.Rule.Fallback == 0 {
		return best
	}
	for _, about := range f.about {
		found := -1
		for _, n := range about {
			found = g.explaining(i, found, g.at[n])
		}
		for k := 0; k < len(about) && found < 0; k++ { // an equal attempt
			if attempt, failed := f.attempts[about[k]]; failed {
				found = g.explaining(i, found, g.like[attempt])
			}
		}
		if found < 0 {
			return -1 // once it is explained by nothing
		}
		best = g.better(best, found)
	}
	return best
}

// explaining is what explains a fallback best, of what was found so far and a list.
func (g *graph) explaining(i, found int, list []int) int {
	for _, b := range list {
		switch x := g.all[b]; {
		case !x.explains(g.all[i]) || g.all[i].covers(x):
		case found < 0 || x.Rule.On&Failures != 0: // that, in its turn, follows from its cause
			found = b
		case g.all[found].Rule.On&Failures == 0:
			found = g.better(found, b)
		}
	}
	return found
}

// better is the worse of two findings; of equals the surer, then the earlier one.
func (g *graph) better(a, b int) int {
	if a < 0 {
		return b
	}
	x, y := g.all[a], g.all[b]
	if cmp.Or(cmp.Compare(x.Severity, y.Severity), cmp.Compare(rank(x), rank(y)), cmp.Compare(a, b)) <= 0 {
		return a
	}
	return b
}

// rank puts what knows a cause before what does not.
func rank(f *Finding) int {
	if f.Seen {
		return 1
	}
	return 0
}

// yields says whether a refusal that has only a possible cause stands behind a certain
// finding about the same exchange.
func (f *Finding) yields(certain *Finding) bool {
	return !certain.Seen && certain.Severity < Note && certain.Session == f.Session &&
		certain.Rule.Fallback == 0 && !certain.Rule.Manner
}

// circular says whether a finding explains itself by way of others.
func (g *graph) circular(i int) bool {
	for n, at := 0, g.parents[i]; at >= 0 && n <= len(g.all); n, at = n+1, g.parents[at] {
		if at == i {
			return true
		}
	}
	return false
}

// covers says whether the table of f's rule explains g. A note explains no more than
// notes.
func (f *Finding) covers(g *Finding) bool {
	for _, id := range f.Rule.Covers {
		id, anywhere := strings.CutSuffix(id, "*")
		// What belongs to no session, as the steps of a login, can explain any.
		if id != g.Rule.ID || f.Severity == Note && g.Severity < Note ||
			f.Session != g.Session && (f.Session >= 0 || !anywhere) {
			continue
		}
		if anywhere || slices.ContainsFunc(g.Frames, func(n uint64) bool { return slices.Contains(f.Frames, n) }) {
			return true
		}
	}
	return false
}

// survived says whether f shows at a request that was served, although g failed.
func survived(f, g *Finding) bool {
	return slices.ContainsFunc(g.Served, func(n uint64) bool { return slices.Contains(f.Shows, n) })
}

// explains says whether f, which speaks of the same exchange as the fallback g,
// says more than it: an error or a warning does, and a note about refusals.
func (f *Finding) explains(g *Finding) bool {
	switch {
	case f == g || f.Rule.Fallback >= g.Rule.Fallback || f.Rule.Manner:
		return false
	case f.Rule.Fallback == 0 && survived(f, g):
		return false
	case f.Severity < Note:
		return true
	case f.Rule.Fallback > 0:
		return g.Severity == Note
	}
	return f.Rule.Explains || f.Rule.On.wide()&(Refusals|Errors|Settled|HTTPResponses|Ends) != 0
}
