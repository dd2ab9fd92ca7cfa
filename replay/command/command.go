// Package command has the commands that replay: replay, mock and diff.
package command

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"midwire/replay"
	"midwire/session/record"
)

// Env is what the commands need of the program.
type Env struct {
	Given    func(refs []string, use func(files []string) error) error                   // calls use with the files that references name
	Complete func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) // completes references
	Usage    func(format string, args ...any) error                                      // makes an error of wrong usage
	Exit     func(status int) error                                                      // ends the program and says nothing more
	// Record makes the recording of a tap; Options has its masking.
	Record  func(h record.Header, opt record.Options) *record.Writer
	Options func() (record.Options, error)
	Version string

	// Schema and Findings are those of replay.Options; either may be nil.
	Schema   func(schema, result []byte) []string
	Findings func(path string) ([]string, error)
}

// Commands returns them.
func Commands(env Env) []*cobra.Command {
	return []*cobra.Command{env.replay(), env.mock(), env.diff()}
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

// parse turns the flags into what comparing needs. Rules kept beside the
// recording come first.
func (c *comparing) parse(env Env, recording string) (replay.Masks, replay.Slow, error) {
	var m replay.Masks
	if !slices.Contains([]string{replay.FormatText, replay.FormatJSON, replay.FormatJUnit}, c.format) {
		return m, replay.Slow{}, env.Usage("--format is text, json or junit, not %q", c.format)
	}
	if c.slower < 0 {
		return m, replay.Slow{}, env.Usage("--slower takes a factor like 3, or 0 for never, not %g", c.slower)
	}
	rules, err := replay.LoadRules(recording)
	if err != nil {
		return m, replay.Slow{}, err
	}
	for _, text := range c.ignore {
		r, err := replay.ParseRule(text)
		if err != nil {
			return m, replay.Slow{}, env.Usage("--ignore: %w", err)
		}
		rules = append(rules, r)
	}
	m.Rules = rules
	slow := replay.DefaultSlow()
	slow.Factor = c.slower
	return m, slow, nil
}

// tell writes a report and makes the status of it.
func (c *comparing) tell(cmd *cobra.Command, env Env, r *replay.Report) error {
	if err := r.Write(cmd.OutOrStdout(), c.format); err != nil {
		return err
	}
	if r.Differs() {
		return env.Exit(1)
	}
	return nil
}

// interruptible is a context that ends when the user wants the program to.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// explain makes an interruption readable.
func explain(err error) error {
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted; what was sent so far is recorded")
	}
	return err
}

// sessionIndexes turns numbers as midwire show prints them into indexes.
func sessionIndexes(env Env, numbers []int) ([]int, error) {
	var all []int
	for _, n := range numbers {
		if n < 1 {
			return nil, env.Usage("--session takes a number from 1 as midwire show prints it, not %d", n)
		}
		all = append(all, n-1)
	}
	return all, nil
}

// load opens a recording and calls use with it.
func load(path string, use func(*replay.Script) error) error {
	s, err := replay.Load(path)
	if err != nil {
		return err
	}
	defer s.Close()
	return use(s)
}

func (env Env) diff() *cobra.Command {
	var c comparing
	var a, b []int
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Compare two recorded sessions, call by call",
		Long: `Compares two recordings: files, ids or last. What differs between any two runs,
as times and ids, does not count; neither does what --ignore or the file
A.ignore names.

Exits with 1 when they differ, with 3 when they could not be compared.`,
		Args: cobra.ExactArgs(2), ValidArgsFunction: env.Complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			return env.Given(args, func(files []string) error {
				masks, slow, err := c.parse(env, files[0])
				if err != nil {
					return err
				}
				opt := replay.DiffOptions{Masks: masks, Slow: slow}
				if opt.A, err = sessionIndexes(env, a); err != nil {
					return err
				}
				if opt.B, err = sessionIndexes(env, b); err != nil {
					return err
				}
				return load(files[0], func(x *replay.Script) error {
					return load(files[1], func(y *replay.Script) error {
						r, err := replay.Diff(x, y, opt)
						if err != nil {
							return err
						}
						return c.tell(cmd, env, r)
					})
				})
			})
		},
	}
	c.flags(cmd)
	cmd.Flags().IntSliceVar(&a, "session", nil, "session of A, as midwire show numbers them (repeatable)")
	cmd.Flags().IntSliceVar(&b, "other-session", nil, "session of B to compare it with (repeatable)")
	return cmd
}
