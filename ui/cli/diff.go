package cli

import (
	"github.com/spf13/cobra"

	"midwire/replay"
	"midwire/ui/agent/ask"
	"midwire/ui/cli/agents"
)

func (a *app) diff() *cobra.Command {
	var c comparing
	var first, second []int
	asJSON, page := false, ask.Compare{}
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two recorded sessions, call by call",
		Long: `Compares two recordings: files, ids or last. What differs between any two runs,
as times and ids, does not count; neither does what --ignore or the file
A.ignore names.

Exits with 1 when they differ, with 3 when they could not be compared.`,
		Args: cobra.ExactArgs(2), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if page.A, page.B = args[0], args[1]; asJSON {
				return agents.Answer(cmd.Context(), a.agents, page, true)
			}
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "what differs, in short (docs/schemas/compare.json); A and B may be REC.SESSION")
	cmd.Flags().BoolVar(&page.Gateway, "gateway", false, "with --json: A and B are the two sides of a gateway")
	cmd.Flags().IntVar(&page.Limit, "limit", 0, "with --json: how many calls that differ, 20 unless told")
	cmd.Flags().StringVar(&page.Cursor, "cursor", "", "with --json: go on where a page ended")
	cmd.Flags().IntSliceVar(&first, "session", nil, "session of A, as midwire show numbers them (repeatable)")
	cmd.Flags().IntSliceVar(&second, "other-session", nil, "session of B to compare it with (repeatable)")
	return cmd
}
