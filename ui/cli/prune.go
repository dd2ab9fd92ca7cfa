package cli

import (
	"cmp"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"midwire/session/library/prune"
	"midwire/session/safe"
)

func (a *app) prune() *cobra.Command {
	older, keep, dry := "", "", false
	c := &cobra.Command{
		Use: "prune", Short: "Delete old recordings", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.folder()
			if err != nil {
				return err
			}
			rule, err := a.pruneRule(older, keep)
			if err != nil {
				return err
			}
			r, err := prune.Run(dir, rule, time.Now(), dry)
			done := "deleted"
			if dry {
				done = "would be deleted"
			}
			for _, e := range r.Gone {
				fmt.Fprintf(a.Out, "%s  %s  %9s  %s\n", safe.Clean(e.ID), e.Modified.Format("2006-01-02 15:04"),
					prune.Bytes(e.Size), safe.Clean(e.Header.Label))
			}
			went := cmp.Or(r.Went(), "nothing")
			fmt.Fprintf(a.Out, "%s %s. There stay %s, in %s\n", went, done, r.Stays(), dir)
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&older, "older", "", "delete recordings that nothing was written to for longer: 30d, 4w, 12h")
	f.StringVar(&keep, "keep", "", "delete the oldest until the rest takes no more: 500MB, 2GiB")
	f.BoolVar(&dry, "dry-run", false, "say what would be deleted, and delete nothing")
	return c
}

// pruneRule is what the flags say, else the configuration.
func (a *app) pruneRule(older, keep string) (prune.Rule, error) {
	rule, err := prune.ParseRule(older, keep)
	if err != nil {
		return rule, usageError{err}
	}
	if rule.IsZero() {
		c, _, err := a.configuration()
		if err != nil {
			return rule, err
		}
		rule = c.Prune()
	}
	if rule.IsZero() {
		return rule, usagef("which recordings may go? --older 30d: those of more than 30 days; " +
			"--keep 2GiB: the oldest, until the rest takes 2 GiB. midwire ls says how much there is")
	}
	return rule, nil
}
