package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
)

// Sides compares recordings for somebody at a screen. Any goroutine may call
// its methods.
type Sides struct {
	Path func(id string) string // where the recording of an id is
}

// maxSides bounds what Sides reads at once, in bytes: the calls in it are kept
// in memory while they are compared.
const maxSides = 128 << 20

// Compare returns what recordings show only when they are compared, each with
// each, by the id of the outer one.
func (s *Sides) Compare(ctx context.Context, recs []string) (map[string][]*diagnose.Finding, error) {
	if err := s.measure(recs); err != nil {
		return nil, err
	}
	ask := slices.DeleteFunc(slices.Clone(rules.All()), func(r *diagnose.Rule) bool { return r.On&(diagnose.Pairs|diagnose.Flows) == 0 })
	sides := make([]*diagnose.View, len(recs))
	for i, id := range recs {
		var err error
		if _, sides[i], err = checkOne(ctx, s.Path(id), ask, true); err != nil {
			return nil, err
		}
	}
	all := map[string][]*diagnose.Finding{}
	compare(sides, ask, func(outer int, found []*diagnose.Finding) {
		all[recs[outer]] = diagnose.Plain(append(all[recs[outer]], found...))
	})
	return all, nil
}

func (s *Sides) measure(recs []string) error {
	var size int64
	for _, id := range recs {
		info, err := os.Stat(s.Path(id))
		if err != nil {
			return fmt.Errorf("comparing the sides of a flow: %w", err)
		}
		size += info.Size()
	}
	if size > maxSides {
		return errors.New("too long to compare the sides of this flow here: run midwire check " + strings.Join(recs, " "))
	}
	return nil
}

// compare asks the rules about each two of the sides, and yields what they find
// with the number of the outer one.
func compare(sides []*diagnose.View, ask []*diagnose.Rule, yield func(outer int, found []*diagnose.Finding)) {
	for i := range sides {
		for j := range sides[:i] {
			// Two recordings, or a flow, are named on purpose. Among more, calls
			// that coincide prove little.
			atLeast := 5
			if len(sides) == 2 || sides[i].Flow != "" && sides[i].Flow == sides[j].Flow {
				atLeast = 0
			}
			if outer, found := diagnose.Compare(sides[j], sides[i], ask, atLeast); outer != nil {
				yield(slices.Index(sides, outer), found)
			}
		}
	}
}
