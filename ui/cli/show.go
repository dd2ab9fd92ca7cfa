package cli

import (
	"github.com/spf13/cobra"

	"midwire/session/library"
)

func (a *app) show() *cobra.Command {
	raw := false
	c := &cobra.Command{
		Use: "show REC", Short: "A recording as text: a file, an id, last, or - for standard input",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(_ *cobra.Command, args []string) error {
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
	return c
}
