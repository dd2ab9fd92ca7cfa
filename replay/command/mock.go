package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/replay"
	"midwire/session/safe"
)

func (env Env) mock() *cobra.Command {
	var listen, timing, match string
	var sessions []int
	c := &cobra.Command{
		Use: "mock REC", Short: "Play the recorded server for clients: on stdio, or with --listen over HTTP",
		Long: `Plays the server of a recording. A request is answered with what the same
request was answered, and each client starts at the beginning. A request that
nobody recorded gets an error that names the nearest one that was.

Without --listen it is a stdio server: what an MCP client runs as a command.`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: env.Complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			if timing != "recorded" && timing != "none" {
				return env.Usage("--timing is recorded or none, not %q", timing)
			}
			if match != "strict" && match != "nearest" {
				return env.Usage("--match is strict or nearest, not %q", match)
			}
			chosen, err := sessionIndexes(env, sessions)
			if err != nil {
				return err
			}
			return env.Given(args, func(files []string) error {
				return load(files[0], func(s *replay.Script) error {
					m := &replay.Mock{
						Script: s, Sessions: chosen, Timing: timing == "recorded", Nearest: match == "nearest",
						Say: func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), safe.Whole(text)) },
					}
					ctx, stop := interruptible(cmd.Context())
					defer stop()
					if listen == "" {
						return onStdio(ctx, cmd, m)
					}
					return onHTTP(ctx, cmd, env, m, listen)
				})
			})
		},
	}
	f := c.Flags()
	f.StringVar(&listen, "listen", "", "HOST:PORT to serve HTTP on; port 0 for a free one")
	f.StringVar(&timing, "timing", "none", "recorded: answer as slowly as the server did; none: at once")
	f.StringVar(&match, "match", "strict", "strict, or nearest: answer a request that nobody recorded like the nearest one")
	f.IntSliceVar(&sessions, "session", nil, "only this session, as midwire show numbers them (repeatable)")
	return c
}

// onStdio serves one client until it closes our input, or a signal comes.
func onStdio(ctx context.Context, cmd *cobra.Command, m *replay.Mock) error {
	served := make(chan error, 1)
	go func() { served <- m.Stdio(ctx, cmd.InOrStdin(), cmd.OutOrStdout()) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return nil // whoever asked us to end does not wait for more input
	}
}

func onHTTP(ctx context.Context, cmd *cobra.Command, env Env, m *replay.Mock, listen string) error {
	if _, _, err := net.SplitHostPort(listen); err != nil {
		return env.Usage("--listen takes HOST:PORT like 127.0.0.1:7000, not %q", listen)
	}
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. --listen takes an address of this machine that is free", listen, err)
	}
	path := "/mcp"
	for _, s := range m.Script.Sessions {
		if s.Endpoint != "" {
			path = s.Endpoint
			break
		}
	}
	if a, ok := ln.Addr().(*net.TCPAddr); ok && !intercept.IsLocal(a.IP.String()) {
		fmt.Fprintf(cmd.ErrOrStderr(), "midwire: warning: %s can be reached by other machines\n", a)
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), safe.Whole(fmt.Sprintf("midwire: clients use http://%s%s", ln.Addr(), path))+"\n"); err != nil {
		return errors.Join(err, ln.Close())
	}
	return m.Serve(ctx, ln)
}
