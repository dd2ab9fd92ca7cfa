package agents

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/ui/agent/ask"
)

// Flags adds the flags of a question, which they fill, to those of a command. Those that
// are there already stay.
func Flags(f *pflag.FlagSet, question any, when string) {
	for _, w := range ask.Words(question) {
		name, is := strings.CutPrefix(w.Flag, "--")
		if !is || name == "" || f.Lookup(name) != nil {
			continue
		}
		switch to := w.Value.Addr().Interface().(type) {
		case *bool:
			f.BoolVar(to, name, false, when+w.About)
		case *string:
			f.StringVar(to, name, "", when+w.About)
		case *int:
			f.IntVar(to, name, 0, when+w.About)
		case *uint64:
			f.Uint64Var(to, name, 0, when+w.About)
		}
	}
}

// twin is a command that is the twin of a tool: its argument, if it is given one, and its
// flags are the members of the question.
func twin[Q ask.Question[R], R ask.Result](e *Env, c *cobra.Command, schema string) *cobra.Command {
	q, asJSON := new(Q), false
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (docs/schemas/"+schema+".json)")
	Flags(c.Flags(), q, "")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			ask.Words(q)[0].Value.SetString(args[0])
		}
		return Answer(cmd.Context(), e, *q, asJSON)
	}
	return c
}

// twins are the commands that are nothing but that.
func (e *Env) twins() []*cobra.Command {
	return []*cobra.Command{
		twin[ask.Diagnose](e, &cobra.Command{
			Use: "diagnose [REC[.SESSION]]", Short: "Diagnose a session for a coding agent: the cause first",
			Long: `Says what is wrong with one session, why, which side is responsible, what to
change, and which frames prove it: the answer to an agent that asks, or to a
person in a hurry. midwire check says all that is wrong in whole recordings.`,
			Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.Complete,
		}, "diagnose"),
		twin[ask.Search](e, &cobra.Command{
			Use: "search TEXT", Short: "Search recordings", Args: cobra.ExactArgs(1),
		}, "search"),
		twin[ask.Wait](e, &cobra.Command{
			Use: "wait [REC[.SESSION]]", Short: "Wait up to a minute for a message or a finding",
			Long: `Waits for the first message that passes the filter of --for, or with
--for finding for the first error or warning; without REC on the newest proxy
that runs, or on the next one. Says what came, or from where to wait on.`,
			Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.Complete,
		}, "wait"),
		twin[ask.Tools](e, &cobra.Command{
			Use: "tools REC[.SESSION]", Short: "List a server's tools with calls, errors, sizes and problems",
			Args: cobra.ExactArgs(1), ValidArgsFunction: e.Complete,
		}, "tools"),
	}
}

// Showing are the flags of midwire show that print a page or a frame as the tools
// do.
type Showing struct {
	Messages ask.Messages
	Frame    ask.Message
	JSON     bool
}

// Flags adds them to a command.
func (s *Showing) Flags(c *cobra.Command) {
	c.Flags().BoolVar(&s.JSON, "json", false, "print JSON (docs/schemas/messages.json, message.json)")
	Flags(c.Flags(), &s.Messages, "")
	Flags(c.Flags(), &s.Frame, "with FRAME: ")
}

// Asked says whether a page or a frame is wanted, and not the whole recording.
func (s *Showing) Asked(args []string) bool {
	m := s.Messages
	return len(args) > 1 || s.JSON || m.Filter != "" || m.Around > 0 || m.Limit > 0 || m.Cursor != ""
}

// Answer prints the page, or the frame of the second argument.
func (s *Showing) Answer(ctx context.Context, e *Env, args []string) error {
	s.Messages.Session, s.Frame.Session = args[0], args[0]
	if len(args) == 1 {
		return Answer(ctx, e, s.Messages, s.JSON)
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(args[1], "#"), 10, 64)
	if err != nil {
		return e.usagef("show: a frame is a number, not %q", args[1])
	}
	s.Frame.Frame = n
	return Answer(ctx, e, s.Frame, s.JSON)
}
