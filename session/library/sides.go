package library

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

// Sides compares recordings for a user at a screen. Any goroutine may call
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
	files := make([]string, len(recs))
	for i, id := range recs {
		files[i] = s.Path(id)
	}
	// Of one recording alone these find nothing.
	forOne := func(r *diagnose.Rule) bool { return r.On&(diagnose.Pairs|diagnose.Flows) == 0 }
	checked, err := CheckUntil(ctx, files, slices.DeleteFunc(rules.All(), forOne), nil)
	if err != nil {
		return nil, err
	}
	all := map[string][]*diagnose.Finding{}
	for i, c := range checked {
		all[recs[i]] = c.Findings
	}
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
