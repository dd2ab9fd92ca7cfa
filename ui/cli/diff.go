package cli

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"midwire/replay"
	"midwire/replay/contrast"
	"midwire/ui/agent/ask"
)

func (a *app) diff() *cobra.Command {
	var c comparing
	var first, second []int
	asJSON, page := false, ask.Compare{}
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two recorded sessions, call by call",
		Args: cobra.ExactArgs(2), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if page.A, page.B = args[0], args[1]; asJSON {
				return answer(cmd.Context(), a, page, true)
			}
			return a.read(args, func(files []string) error {
				masks, slow, err := c.parse()
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
	questionFlags(cmd.Flags(), &page, "with --json: ")
	cmd.Flags().IntSliceVar(&first, "session", nil, "session of A, as midwire show numbers them (repeatable)")
	cmd.Flags().IntSliceVar(&second, "other-session", nil, "session of B to compare it with (repeatable)")
	return cmd
}

// comparing are the flags that replay and diff share.
type comparing struct {
	format string
	ignore []string
	slower float64
}

func (c *comparing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.format, "format", "text", "text, json or junit")
	f.StringArrayVar(&c.ignore, "ignore", nil, "do not compare this place: result.content[*].text, or METHOD:TOOL PATH (repeatable)")
	f.Float64Var(&c.slower, "slower", replay.DefaultSlow().Factor, "report calls that take so many times as long, and a quarter of a second more; 0: never")
}

// parse turns the flags into what comparing needs.
func (c *comparing) parse() (replay.Masks, replay.Slow, error) {
	var m replay.Masks
	if err := oneOf("--format", c.format, replay.FormatText, replay.FormatJSON, replay.FormatJUnit); err != nil {
		return m, replay.Slow{}, err
	}
	if c.slower < 0 {
		return m, replay.Slow{}, usagef("--slower takes a factor like 3, or 0 for never, not %g", c.slower)
	}
	for _, text := range c.ignore {
		r, err := replay.ParseRule(text)
		if err != nil {
			return m, replay.Slow{}, usagef("--ignore: %w", err)
		}
		m.Rules = append(m.Rules, r)
	}
	slow := replay.DefaultSlow()
	slow.Factor = c.slower
	return m, slow, nil
}

func (c *comparing) write(a *app, r *replay.Report) error {
	if err := r.Write(a.Out, c.format); err != nil {
		return err
	}
	if r.Differs() {
		return statusFound
	}
	return nil
}

// interrupted makes an interruption readable.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; what was sent so far is recorded")
	}
	return err
}

func (a *app) compare() *cobra.Command {
	var opt contrast.Options
	asJSON := false
	c := &cobra.Command{
		Use:   "compare [REC[.SESSION]]",
		Short: "Compare a failed session with those that worked",
		Args:  cobra.MaximumNArgs(1), ValidArgsFunction: a.completeRecordings,
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
	bar := a.progress()
	opt.Seen = func(done, all int) { bar.Show(done, all, "recordings") }
	r, err := contrast.Run(ctx, dir, file, opt)
	bar.End()
	if err != nil {
		return err
	}
	if err := a.print(asJSON, r, r.Text); err != nil {
		return err
	}
	if len(r.Differences)+len(r.Calls) > 0 {
		return statusFound
	}
	return nil
}
