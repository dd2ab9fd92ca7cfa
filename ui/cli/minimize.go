package cli

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/minimize"
	"midwire/session/safe"
	"midwire/session/safefile"
	"midwire/session/words"
)

type minimizing struct {
	probing
	output string
	limit  time.Duration
}

func (a *app) minimize() *cobra.Command {
	var m minimizing
	c := &cobra.Command{
		Use:   "minimize REC [--to URL | -- COMMAND [ARG…]]",
		Short: "Find the smallest session that still fails in the same way",
		Args:  cobra.MinimumNArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if args = m.split(cmd, args); len(args) != 1 {
				return usagef("minimize takes one recording: midwire minimize REC")
			}
			return a.script(args[0], func(s *replay.Script) error { return m.run(cmd.Context(), a, s) })
		},
	}
	m.flags(c, 100)
	f := c.Flags()
	f.DurationVar(&m.limit, "limit", time.Minute, "how long all tries may take")
	f.StringVarP(&m.output, "output", "o", "", "write the smallest session as .md, .sh, .txtar, .html or another form of midwire export")
	return c
}

func (m *minimizing) run(ctx context.Context, a *app, s *replay.Script) error {
	call, err := m.choose(s)
	if err != nil {
		return err
	}
	probing, _, err := m.settings(a, s)
	if err != nil {
		return err
	}
	opt := minimize.Options{Most: m.most, Limit: m.limit}
	opt.Server, opt.Yes, opt.Timeout = probing.Server, probing.Yes, probing.Timeout
	what := "Sends it, and the recorded messages before it, in at most %s sessions"
	if opt.URL != nil {
		what += " of this server, whose state outlives them"
	}
	if err := m.agree(a, s, call, &probing, what); err != nil {
		return err
	}
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	bar := a.progress()
	opt.Tried = func(p minimize.Progress) { bar.Show(p.Tries, p.Most, "tries: "+words.Count(p.Left, "message")+" left") }
	r, err := minimize.Run(ctx, s, call, opt)
	bar.End()
	if r == nil {
		return err
	}
	if writing := m.write(a, r); err != nil || writing != nil {
		return errors.Join(interrupted(err), writing)
	}
	if r.Outcome != minimize.Minimal {
		return statusFound
	}
	return nil
}

// write prints the result, and writes the smallest session.
func (m *minimizing) write(a *app, r *minimize.Result) error {
	id := strings.TrimSuffix(filepath.Base(r.Minimal), ".jsonl")
	text := func() string {
		if r.Minimal == "" {
			return r.Text()
		}
		return r.Text() + "\nrecorded as " + safe.Clean(id) + "\n"
	}
	if err := a.print(m.json, r, text); err != nil || m.output == "" || r.Minimal == "" {
		return err
	}
	if filepath.Ext(m.output) != ".md" {
		o := exporting{output: m.output}
		if err := o.parse(a); err != nil {
			return err
		}
		return o.run(a, r.Minimal)
	}
	return load(r.Minimal, func(s *replay.Script) error {
		return safefile.Replace(m.output, func(w io.Writer) error {
			_, err := io.WriteString(w, r.Markdown("midwire replay "+safe.Clean(id)+".jsonl -- SERVER", s))
			return err
		})
	})
}
