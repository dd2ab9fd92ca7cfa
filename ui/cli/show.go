package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"midwire/session/gcpace"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/ui/cli/agents"
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

func (a *app) show() *cobra.Command {
	raw, s := false, agents.Showing{}
	c := &cobra.Command{
		Use: "show REC [FRAME]", Short: "A recording as text: a file, an id, last, or - for standard input; or one frame of it",
		Args: cobra.RangeArgs(1, 2), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.Asked(args) {
				s.Frame.Raw = raw
				return s.Answer(cmd.Context(), a.agents, args)
			}
			return a.read(args, func(files []string) error {
				r, err := library.Read(files[0])
				if err != nil {
					return err
				}
				defer r.Reader.Close()
				return r.Show(a.Out, raw)
			})
		},
	}
	c.Flags().BoolVar(&raw, "raw", false, "every frame with its payload, in the order of the recording")
	s.Flags(c)
	return c
}

func (a *app) ls() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "ls", Short: "Sessions of every recording, newest first", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.folder()
			if err != nil {
				return err
			}
			if err := record.CheckFolder(dir); err != nil {
				fmt.Fprintf(a.Err, "midwire: warning: %v\n", safe.Clean(err.Error()))
			}
			// Most of what reading takes is garbage at once.
			defer gcpace.Pace(320<<20, 2)()
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			return library.PrintList(a.Out, dir, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}
