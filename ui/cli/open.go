package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
)

func (a *app) open() *cobra.Command {
	return &cobra.Command{
		Use: "open REC…", Short: "The screen on given recordings: files, ids, last, or - for standard input",
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.resolve(args, func(files []string) error {
				w := watching{files: files, piped: slices.Contains(args, "-")}
				play := untilEnd
				if !a.hasScreen(w) { // print what there is, and be done
					play = func(context.Context) error { return nil }
				}
				return a.watch(cmd.Context(), w, play)
			})
		},
	}
}
