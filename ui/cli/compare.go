package cli

import (
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"midwire/replay/contrast"
	"midwire/session/export"
)

func (a *app) compare() *cobra.Command {
	var opt contrast.Options
	asJSON := false
	c := &cobra.Command{
		Use:   "compare [REC[.SESSION]]",
		Short: "Compare a failed session with those that worked",
		Long: `Compares a session that failed with good ones, which it finds by itself: of the
same client and server, else of the same server, else of the same client. What
differs is ranked by how many good sessions differ in it. Versions, the files of
the server's program, header fields, the handshake, the arguments and the
definition of the call that failed, capabilities, sizes and times are compared.

Exits with 1 when something differs, with 0 when nothing does, with 3 when there
is no good session.`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			refs, with := []string{"last"}, opt.With
			if len(args) == 1 {
				refs[0], opt.Session = sessionOf(args[0])
			}
			if with != "" {
				refs = append(refs, with)
			}
			return a.resolve(refs, func(files []string) error {
				if opt.With = ""; with != "" {
					opt.With = files[1]
				}
				return a.contrast(cmd.Context(), files[0], opt, asJSON)
			})
		},
	}
	c.Flags().StringVar(&opt.With, "with", "", "compare with the sessions of this recording")
	c.Flags().IntVar(&opt.Most, "most", 15, "how many good sessions to read")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (docs/compare.md)")
	return c
}

// sessionOf parts REC.SESSION; session 0 is none that is named.
func sessionOf(ref string) (rec string, session int) {
	if at := strings.LastIndexByte(ref, '.'); at > 0 {
		if n, err := strconv.Atoi(ref[at+1:]); err == nil && n > 0 {
			return ref[:at], n
		}
	}
	return ref, 0
}

func (a *app) contrast(ctx context.Context, file string, opt contrast.Options, asJSON bool) error {
	dir, err := a.folder()
	if err != nil {
		return err
	}
	r, err := contrast.Run(ctx, dir, file, opt)
	if err != nil {
		return err
	}
	text := r.Text()
	if asJSON {
		if text, err = export.SafeJSON(r); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(a.Out, text); err != nil {
		return err
	}
	if len(r.Differences)+len(r.Calls) > 0 {
		return statusFound
	}
	return nil
}
