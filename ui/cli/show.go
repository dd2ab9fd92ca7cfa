package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/session"
	"midwire/session/describe"
	"midwire/session/insight"
	"midwire/session/library"
	"midwire/session/mcp"
	"midwire/session/pace"
	"midwire/session/record"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
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
	raw, timed, s := false, false, showing{}
	c := &cobra.Command{
		Use: "show REC [FRAME]", Short: "Print a recording as text, or one frame of it",
		Args: cobra.RangeArgs(1, 2), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.asked(args) {
				s.Frame.Raw = raw
				return s.answer(cmd.Context(), a, args)
			}
			return a.read(args, func(files []string) error {
				r, err := library.Read(files[0])
				if err != nil {
					return err
				}
				defer r.Reader.Close()
				if timed {
					return showTime(r.Tracker, r.Load, a.Out)
				}
				return r.Show(a.Out, raw)
			})
		},
	}
	c.Flags().BoolVar(&raw, "raw", false, "every frame with its payload, in the order of the recording")
	c.Flags().BoolVar(&timed, "time", false, "where the time of each session went: client, server, person, gate")
	c.MarkFlagsMutuallyExclusive("time", "raw")
	s.flags(c)
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
			defer pace.Memory(128<<20, 4)()
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			bar := a.progress()
			return library.PrintList(a.Out, dir, asJSON, func(done, all int) {
				if bar.Show(done, all, "recordings"); done == all {
					bar.End()
				}
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

// showTime writes where the time of each session went, safe for a terminal. load reads a
// frame, nil where it cannot.
func showTime(t *session.Tracker, load func(n uint64) *wire.Frame, w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, s := range t.Sessions() {
		b := insight.BudgetOf(t, s, func(i int) string { return calledTool(t, load, i) })
		fmt.Fprintf(out, "session %d  %s\n  took %s", s.Index+1, safe.Clean(describe.Peer(s.Client)+" → "+describe.Peer(s.Server)), took(b.Total))
		for _, part := range b.Parts() {
			n := max(int(20*float64(part.Time)/float64(b.Total)+0.5), 1)
			fmt.Fprintf(out, "   %s %s %s", part.Name, strings.Repeat("█", n), took(part.Time))
		}
		fmt.Fprintln(out)
		if one := b.Slowest; one.Time > 0 {
			fmt.Fprintf(out, "  slowest: %s, %s, %s\n", safe.Clean(one.Tool), words.Count(one.Calls, "call"), took(one.Time))
		}
	}
	return out.Flush()
}

// calledTool is the tool that a row calls, "" for none.
func calledTool(t *session.Tracker, load func(n uint64) *wire.Frame, i int) string {
	row := t.Row(i)
	if row.Kind != session.RowCall || t.Name(row.Name) != mcp.ToolsCall {
		return ""
	}
	name, _, _ := describe.Parts(t, row, load(uint64(row.Request)), nil)
	return name
}

// took is a time as people write it: seconds, and what is less in milliseconds.
func took(ns int64) string {
	d := time.Duration(ns)
	if d >= time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f ms", float64(ns)/1e6)
}
