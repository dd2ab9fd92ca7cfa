package cli

import (
	"github.com/spf13/cobra"

	"midwire/replay"
)

func (a *app) diff() *cobra.Command {
	var c comparing
	var first, second []int
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two recorded sessions, call by call",
		Long: `Compares two recordings: files, ids or last. What differs between any two runs,
as times and ids, does not count; neither does what --ignore or the file
A.ignore names.

Exits with 1 when they differ, with 3 when they could not be compared.`,
		Args: cobra.ExactArgs(2), ValidArgsFunction: a.completeRecordings,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.resolve(args, func(files []string) error {
				masks, slow, err := c.parse(files[0])
				if err != nil {
					return err
				}
				opt := replay.DiffOptions{Masks: masks, Slow: slow}
				if opt.A, err = sessionIndexes(first); err != nil {
					return err
				}
				if opt.B, err = sessionIndexes(second); err != nil {
					return err
				}
				return load(files[0], func(x *replay.Script) error {
					return load(files[1], func(y *replay.Script) error {
						r, err := replay.Diff(x, y, opt)
						if err != nil {
							return err
						}
						return c.write(a, r)
					})
				})
			})
		},
	}
	c.flags(cmd)
	cmd.Flags().IntSliceVar(&first, "session", nil, "session of A, as midwire show numbers them (repeatable)")
	cmd.Flags().IntSliceVar(&second, "other-session", nil, "session of B to compare it with (repeatable)")
	return cmd
}
