package agents

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"midwire/ui/agent/ask"
)

// twin is a command that is the twin of a tool: q is its question, which its flags
// and ref, the argument, fill.
func twin[Q ask.Question[R], R ask.Result](e *Env, c *cobra.Command, schema string, q *Q, ref *string) *cobra.Command {
	asJSON := false
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (docs/schemas/"+schema+".json)")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		*ref = strings.Join(args, "") // one, or none
		return Answer(cmd.Context(), e, *q, asJSON)
	}
	return c
}

// diagnose is midwire diagnose.
func (e *Env) diagnose() *cobra.Command {
	q := new(ask.Diagnose)
	c := twin(e, &cobra.Command{
		Use: "diagnose [REC[.SESSION]]", Short: "The cause of what is wrong, first; without REC in the newest session with trouble",
		Long: `Says what is wrong with one session, why, which side is responsible, what to
change, and which frames prove it: the answer to an agent that asks, or to a
person in a hurry. midwire check says all that is wrong in whole recordings.`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.Complete,
	}, "diagnose", q, &q.Session)
	c.Flags().BoolVar(&q.Own, "own", false, "also look at sessions with midwire's own MCP server")
	return c
}

// search is midwire search.
func (e *Env) search() *cobra.Command {
	q := new(ask.Search)
	c := twin(e, &cobra.Command{
		Use: "search TEXT", Short: "Where a text stands, in all recordings or one", Args: cobra.ExactArgs(1),
	}, "search", q, &q.Text)
	f := c.Flags()
	f.BoolVar(&q.Regexp, "regexp", false, "TEXT is a regular expression")
	f.StringVar(&q.Session, "in", "", "only in this recording or session")
	f.IntVar(&q.Limit, "limit", 20, "how many hits, at most 50")
	f.StringVar(&q.Cursor, "cursor", "", "go on where a page ended, as it says")
	f.BoolVar(&q.Own, "own", false, "also in sessions with midwire's own MCP server")
	return c
}

// wait is midwire wait.
func (e *Env) wait() *cobra.Command {
	q := new(ask.Wait)
	c := twin(e, &cobra.Command{
		Use: "wait [REC[.SESSION]]", Short: "Waits, less than a minute, for a message or a finding",
		Long: `Waits for the first message that passes the filter of --for, or with
--for finding for the first error or warning; without REC on the newest proxy
that runs, or on the next one. Says what came, or from where to wait on.`,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: e.Complete,
	}, "wait", q, &q.Session)
	f := c.Flags()
	f.StringVar(&q.For, "for", "", "a filter, or finding; any message unless told")
	f.Uint64Var(&q.Since, "since", 0, "only behind this frame; behind what is there now unless told")
	f.IntVar(&q.Timeout, "timeout", 30, "seconds, at most 50")
	return c
}

// tools is midwire tools.
func (e *Env) tools() *cobra.Command {
	q := new(ask.Tools)
	c := twin(e, &cobra.Command{
		Use: "tools REC[.SESSION]", Short: "A server's tools: calls, failures, sizes, what is wrong with them, never called",
		Args: cobra.ExactArgs(1), ValidArgsFunction: e.Complete,
	}, "tools", q, &q.Session)
	f := c.Flags()
	f.IntVar(&q.Limit, "limit", 40, "how many tools, at most 100")
	f.StringVar(&q.Cursor, "cursor", "", "go on where a page ended, as it says")
	return c
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
	f := c.Flags()
	f.BoolVar(&s.JSON, "json", false, "print JSON (docs/schemas/messages.json, message.json)")
	f.StringVar(&s.Messages.Filter, "filter", "", "only messages that pass, as is:error or tool:search")
	f.Uint64Var(&s.Messages.Around, "around", 0, "a page of messages around this frame")
	f.IntVar(&s.Messages.Limit, "limit", 0, "messages of a page, 40 unless told, at most 100")
	f.StringVar(&s.Messages.Cursor, "cursor", "", "go on where a page ended, as it says")
	f.StringVar(&s.Frame.Path, "path", "", "with FRAME: jq program over the message, as .result.content[0].text")
	f.IntVar(&s.Frame.Offset, "offset", 0, "with FRAME: byte of its text to begin at")
	f.IntVar(&s.Frame.Max, "max-bytes", 0, "with FRAME: how much text, 6000 unless told, at most 12000")
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
