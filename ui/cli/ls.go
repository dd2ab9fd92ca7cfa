package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"midwire/session/gcpace"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/safe"
)

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
