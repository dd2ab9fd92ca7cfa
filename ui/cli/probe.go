package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/minimize"
	"midwire/replay/peer"
	"midwire/replay/probe"
	"midwire/session/safe"
	"midwire/session/safefile"
	"midwire/session/words"
)

type probing struct {
	asking
	finding string
	call    uint64
	most    int
	yes     bool
	json    bool
}

func (a *app) probe() *cobra.Command {
	var p probing
	c := &cobra.Command{
		Use:   "probe REC [--to URL | -- COMMAND [ARG…]]",
		Short: "Ask the server again, and find what makes the difference",
	}
	p.command(a, c, 24, p.run)
	return c
}

// command completes a command that asks about a request of one recording.
func (p *probing) command(
	a *app, c *cobra.Command, most int, run func(context.Context, *app, *replay.Script) error,
) {
	c.Args, c.ValidArgsFunction = cobra.MinimumNArgs(1), a.completeRecordings
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if args = p.split(cmd, args); len(args) != 1 {
			return usagef("%s takes one recording: midwire %[1]s REC", c.Name())
		}
		return a.script(args[0], func(s *replay.Script) error { return run(cmd.Context(), a, s) })
	}
	f := c.Flags()
	f.StringVar(&p.finding, "finding", "", "ask about the request of this finding; default: the gravest that a request failed by")
	f.Uint64Var(&p.call, "call", 0, "ask about the request of this frame")
	p.serverFlags(f, "URL of the server; without a path the recorded one is used")
	allowCalls(f, &p.yes)
	f.Lookup("yes").Usage += ", and do not wait for enter"
	f.IntVar(&p.most, "most", most, "how many sessions may be opened")
	f.DurationVar(&p.timeout, "timeout", 10*time.Second, "how long one session may take")
	f.BoolVar(&p.json, "json", false, "print JSON")
}

func (p *probing) run(ctx context.Context, a *app, s *replay.Script) error {
	call, err := p.choose(s)
	if err == nil {
		err = probe.Check(s, call)
	}
	if err != nil {
		return err
	}
	opt, own, err := p.settings(a, s)
	if err != nil {
		return err
	}
	what := "Sends a handshake, tools/list and this request, in at most %s sessions"
	if err := p.agree(a, s, call, &opt, what); err != nil {
		return err
	}
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	bar, done := a.progress(), 0
	opt.Seen = func(t *probe.Try) { done++; bar.Show(done, opt.Most, t.Name) }
	r, err := probe.Run(ctx, s, call, opt)
	bar.End()
	if r == nil {
		return said(opt.Given(), err)
	}
	given := opt.Given()
	err = said(given, err)
	if err == nil && own && r.Outcome != probe.Other {
		err = r.Note(s, call)
	}
	text := func() string {
		if not := r.NotKept(own); not != "" && r.Says != "" {
			return r.Text() + not + "\n"
		}
		return r.Text()
	}
	if writing := a.reply(given, p.json, r, text); writing != nil || err != nil {
		return errors.Join(interrupted(err), writing)
	}
	if r.Outcome != probe.Decided {
		return statusFound
	}
	return err
}

func (p *probing) choose(s *replay.Script) (int32, error) {
	if p.call == 0 {
		return probe.Choose(s, p.finding)
	}
	if call, ok := s.CallAt(p.call); ok {
		return call, nil
	}
	return 0, usagef("#%d is no request of a client", p.call)
}

// settings are the options of a probe, and whether the recording was made here.
func (p *probing) settings(a *app, s *replay.Script) (opt probe.Options, own bool, err error) {
	if own, err = p.recorded(a, s, true); err != nil {
		return opt, own, err
	}
	opt = probe.Options{Yes: p.yes, Most: p.most, Timeout: p.timeout}
	if p.most <= 0 || p.timeout <= 0 {
		return opt, own, usagef("--most and --timeout take what is more than nothing")
	}
	opt.Server, err = p.server(a)
	return opt, own, err
}

// agree shows what will be sent and where to. On a terminal its user says yes.
func (p *probing) agree(a *app, s *replay.Script, call int32, opt *probe.Options, what string) error {
	fmt.Fprintf(a.Err, "Asking %s again: %s, #%d.\n"+what+"; nothing else.\n",
		safe.Clean(opt.String()), safe.Clean(s.Label(call)), s.CallRow(call).Request, strconv.Itoa(opt.Most))
	if p.yes || !isTerminal(a.In) || !isTerminal(a.Err) {
		return nil
	}
	fmt.Fprint(a.Err, "enter, or ctrl+c ")
	_, err := bufio.NewReader(a.In).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = errors.New("nothing was sent")
	}
	return err
}

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
	}
	m.command(a, c, 100, m.run)
	f := c.Flags()
	f.DurationVar(&m.limit, "limit", time.Minute, "how long all tries may take")
	f.StringVarP(&m.output, "output", "o", "", "write the smallest session as .md, .curl, .html or another form of midwire export")
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
	given := opt.Given()
	if err = said(given, err); r == nil {
		return err
	}
	if writing := m.write(a, r, given); err != nil || writing != nil {
		return errors.Join(interrupted(err), writing)
	}
	if r.Outcome != minimize.Minimal {
		return statusFound
	}
	return nil
}

// write prints the result, and writes the smallest session.
func (m *minimizing) write(a *app, r *minimize.Result, given peer.Secrets) error {
	id := strings.TrimSuffix(filepath.Base(r.Minimal), ".jsonl")
	text := func() string {
		if r.Minimal == "" {
			return r.Text()
		}
		return r.Text() + "\nrecorded as " + safe.Clean(id) + "\n"
	}
	if err := a.reply(given, m.json, r, text); err != nil || m.output == "" || r.Minimal == "" {
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
			_, err := io.WriteString(w, given.Text(r.Markdown("midwire replay "+safe.Clean(id)+".jsonl -- SERVER", s)))
			return err
		})
	})
}
