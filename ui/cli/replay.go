package cli

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/run"
	"midwire/session/library"
	"midwire/ui/agent/ask"
)

type replaying struct {
	comparing
	asking
	transport     string
	sessions      []int
	yes, onlyRead bool
	dry, plan     bool
	set, env      []string
	json          bool
}

func (a *app) replay() *cobra.Command {
	var r replaying
	c := &cobra.Command{
		Use:   "replay REC (--to URL | -- COMMAND [ARG…])",
		Short: "Send a recorded client's requests to a server and compare",
		Args:  cobra.MinimumNArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if args = r.split(cmd, args); len(args) != 1 {
				return usagef("replay takes one recording, and its target as --to URL or behind --: midwire replay REC -- COMMAND")
			}
			if r.json {
				q := ask.Replay{Session: args[0], Command: r.command, To: r.to, Send: !r.plan && !r.dry, Yes: r.yes}
				return answer(cmd.Context(), a, q, true)
			}
			return a.script(args[0], func(s *replay.Script) error { return r.run(cmd.Context(), a, s) })
		},
	}
	r.flags(c)
	f := c.Flags()
	r.serverFlags(f, "URL of an HTTP server; without a path every recorded endpoint is used")
	f.Lookup("header").Usage = "'Name: value' in place of the recorded header; 'Name:' leaves it out (repeatable)"
	allowCalls(f, &r.yes)
	f.StringVar(&r.transport, "transport", "", "http or sse (HTTP+SSE of 2024-11-05); default: as recorded")
	f.IntSliceVar(&r.sessions, "session", nil, "only this session, as midwire show numbers them (repeatable)")
	f.BoolVar(&r.onlyRead, "only-read", false, "leave out calls of tools that are not marked read-only")
	f.BoolVar(&r.dry, "dry-run", false, "send nothing, show the plan")
	f.BoolVar(&r.plan, "plan", false, "the same: what would be sent, what would be substituted and why")
	f.StringArrayVar(&r.set, "set", nil, "PATH=VALUE or HANDLE=VALUE: put a value in the place of a recorded one (repeatable)")
	f.StringArrayVar(&r.env, "env", nil, "NAME=VALUE in the environment of COMMAND (repeatable)")
	f.DurationVar(&r.timeout, "timeout", time.Minute, "how long one call may take")
	f.BoolVar(&r.json, "json", false, "what differs, or the plan, in short (docs/schemas/replay.json)")
	return c
}

func (r *replaying) run(ctx context.Context, a *app, s *replay.Script) error {
	opt, err := r.options(a, s)
	if err != nil {
		return err
	}
	planning := replay.PlanOptions{}
	if planning.Sessions, err = sessionIndexes(r.sessions); err != nil {
		return err
	}
	for _, text := range r.set {
		set, err := replay.ParseSetting(text)
		if err != nil {
			return usagef("%w", err)
		}
		planning.Set = append(planning.Set, set)
	}
	p, err := s.Plan(planning)
	if err != nil {
		return err
	}
	if r.dry || r.plan {
		return p.Write(a.Out)
	}
	for _, text := range r.env {
		name, _, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return usagef("--env takes NAME=VALUE, not %q", text)
		}
		if opt.Env == nil {
			opt.Env = os.Environ()
		}
		opt.Env = append(slices.DeleteFunc(opt.Env, func(s string) bool { return strings.HasPrefix(s, name+"=") }), text)
	}
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	bar, done := a.progress(), 0
	all, _ := p.Sent(opt.OnlyRead)
	opt.Seen = func(o *replay.Outcome) { done++; bar.Show(done, all, "calls") }
	report, err := run.Run(ctx, p, opt)
	bar.End()
	switch {
	case report == nil:
		return err
	case err != nil:
		_ = report.Write(a.Out, r.format) // what there is of it
		return interrupted(err)
	}
	return r.write(a, report)
}

// replayed replays a recording for an agent, or says what would be sent.
func (a *app) replayed(ctx context.Context, file string, session int, q ask.Replay) (string, *replay.Report, error) {
	r := replaying{yes: q.Yes, plan: !q.Send}
	r.to, r.command, r.timeout = q.To, q.Command, time.Minute
	r.format, r.slower = replay.FormatText, replay.DefaultSlow().Factor
	var text strings.Builder
	var report *replay.Report
	err := load(file, func(s *replay.Script) error {
		opt, err := r.options(a, s)
		if err != nil {
			return err
		}
		planning := replay.PlanOptions{}
		if session > 0 {
			planning.Sessions = []int{session - 1}
		}
		p, err := s.Plan(planning)
		switch {
		case err != nil:
			return err
		case !q.Send:
			return p.Write(&text)
		}
		report, err = run.Run(ctx, p, opt)
		return err
	})
	return text.String(), report, err
}

func (r *replaying) options(a *app, s *replay.Script) (run.Options, error) {
	opt := run.Options{
		Transport: r.transport, Timeout: r.timeout, Yes: r.yes, OnlyRead: r.onlyRead,
		Schema: library.SchemaFaults, Findings: library.Findings,
	}
	var err error
	if opt.Masks, opt.Slow, err = r.parse(); err != nil {
		return opt, err
	}
	if !r.named() && !r.dry && !r.plan {
		return opt, usagef("replay needs a target: --to URL, or -- COMMAND. --plan shows what would be sent")
	}
	if r.transport != "" {
		if err := oneOf("--transport", r.transport, "http", "sse"); err != nil {
			return opt, err
		}
	}
	if opt.Server, err = r.server(a); err != nil {
		return opt, err
	}
	switch {
	case r.yes && r.onlyRead:
		return opt, usagef("--yes and --only-read: choose one of them")
	case r.timeout <= 0:
		return opt, usagef("--timeout takes a time like 30s, not %s", r.timeout)
	}
	return opt, nil
}
