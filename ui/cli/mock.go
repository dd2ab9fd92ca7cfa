package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/mock"
	"midwire/session/safe"
)

func (a *app) mock() *cobra.Command {
	var listen, timing, match string
	var sessions []int
	var allow []string
	c := &cobra.Command{
		Use: "mock REC", Short: "Act as the recorded server, on stdio or over HTTP",
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("--timing", timing, "recorded", "none"); err != nil {
				return err
			}
			if err := oneOf("--match", match, "strict", "nearest"); err != nil {
				return err
			}
			chosen, err := sessionIndexes(sessions)
			if err != nil {
				return err
			}
			return a.script(args[0], func(s *replay.Script) error {
				m := &mock.Server{
					Script: s, Sessions: chosen, AllowHosts: allow,
					Timing: timing == "recorded", Nearest: match == "nearest",
					Say: func(text string) { fmt.Fprintln(a.Err, safe.Whole(text)) },
				}
				ctx, stop := intercept.UntilAsked(cmd.Context())
				defer stop()
				if listen == "" {
					return a.mockStdio(ctx, m)
				}
				return a.mockHTTP(ctx, m, listen)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&listen, "listen", "", "HOST:PORT to serve HTTP on; port 0 for a free one")
	f.StringSliceVar(&allow, "allow-host", nil, "with --listen: another name than a local one that clients may call it by (repeatable)")
	f.StringVar(&timing, "timing", "none", "recorded: respond as slowly as the server did; none: at once")
	f.StringVar(&match, "match", "strict", "strict, or nearest: respond to a request that is not in the recording as to the nearest one")
	f.IntSliceVar(&sessions, "session", nil, "only this session, as midwire show numbers them (repeatable)")
	return c
}

// mockStdio serves one client until it closes our input, or a signal comes.
func (a *app) mockStdio(ctx context.Context, m *mock.Server) error {
	served := make(chan error, 1)
	go func() { served <- m.Stdio(ctx, a.In, a.Out) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil // whoever asked us to end does not wait for more input
	}
}

func (a *app) mockHTTP(ctx context.Context, m *mock.Server, listen string) error {
	if _, _, err := net.SplitHostPort(listen); err != nil {
		return usagef("--listen takes HOST:PORT like 127.0.0.1:7000, not %q", listen)
	}
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. --listen takes an address of this machine that is free", listen, err)
	}
	if addr, ok := ln.Addr().(*net.TCPAddr); ok && !intercept.IsLocal(addr.IP.String()) {
		fmt.Fprintf(a.Err, "midwire: warning: %s can be reached by other machines\n", addr)
	}
	said := safe.Whole(fmt.Sprintf("midwire: clients use http://%s%s", ln.Addr(), m.Endpoint()))
	if _, err := io.WriteString(a.Out, said+"\n"); err != nil {
		return errors.Join(err, ln.Close())
	}
	return m.Serve(ctx, ln)
}
