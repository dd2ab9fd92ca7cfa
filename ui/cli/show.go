package cli

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"midwire/session/export"
	"midwire/session/gcpace"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/ui/cli/agents"
)

func (a *app) open() *cobra.Command {
	return &cobra.Command{
		Use: "open REC…", Short: "Open recordings on the screen",
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
	raw, timed, s := false, false, agents.Showing{}
	c := &cobra.Command{
		Use: "show REC [FRAME]", Short: "Print a recording as text, or one frame of it",
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
				if timed {
					return export.Time(r.Tracker, r.Load, a.Out)
				}
				return r.Show(a.Out, raw)
			})
		},
	}
	c.Flags().BoolVar(&raw, "raw", false, "every frame with its payload, in the order of the recording")
	c.Flags().BoolVar(&timed, "time", false, "where the time of each session went: client, server, person, gate")
	c.MarkFlagsMutuallyExclusive("time", "raw")
	s.Flags(c)
	return c
}

func (a *app) ls() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "ls", Short: "List recorded sessions", Args: cobra.NoArgs,
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
