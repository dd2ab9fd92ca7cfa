package agents

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/ui/agent"
)

// mcp is midwire mcp.
func (e *Env) mcp() *cobra.Command {
	listen, allow := "", false
	c := &cobra.Command{
		Use: "mcp", Short: "Serve recordings to coding agents over MCP", Args: cobra.NoArgs,
		Long: `Serves the recordings, live and past, to a coding agent by MCP: on stdio, or with
--listen by Streamable HTTP to clients on this machine. docs/agents.md says how
to add it to Claude Code, Codex, Cursor and VS Code.

It reads. Nothing is sent to a server and no command is started unless
--allow-replay is given.`,
		Example: "  claude mcp add midwire -- midwire mcp",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen != "" && !agent.Loopback(listen) {
				return e.usagef("--listen %s: recordings are confidential. Use 127.0.0.1:PORT or [::1]:PORT", listen)
			}
			r := e.recordings(false)
			defer r.Close()
			if allow {
				r.Replay = e.Replay
			}
			ctx, stop := intercept.UntilAsked(cmd.Context())
			defer stop()
			server := agent.New(r)
			if listen != "" {
				return e.serve(ctx, server, listen)
			}
			err := server.Run(ctx, &agent.Stdio{Reader: e.In, Writer: e.Out})
			if ctx.Err() != nil {
				return nil
			}
			return err
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "serve Streamable HTTP at this address of this machine, as 127.0.0.1:7001")
	c.Flags().BoolVar(&allow, "allow-replay", false, "also offer midwire_replay, which starts commands and calls tools")
	return c
}

// serve serves HTTP until ctx ends.
func (e *Env) serve(ctx context.Context, server *sdk.Server, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", agent.Handler(server))
	guarded := intercept.Guard(http.MaxBytesHandler(mux, agent.MaxRequest), "")
	h := &http.Server{Handler: guarded, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(e.Err, "midwire: MCP server at http://%s/mcp\n", l.Addr())
	stop := context.AfterFunc(ctx, func() { h.Close() })
	defer stop()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// skill is midwire skill.
func (e *Env) skill() *cobra.Command {
	install := ""
	c := &cobra.Command{
		Use: "skill", Short: "Print an Agent Skill about midwire for coding agents", Args: cobra.NoArgs,
		Long: `Prints the Agent Skill, or with --install writes it into a folder of skills, as
.claude/skills or .agents/skills of a project or of the home.`,
		RunE: func(*cobra.Command, []string) error {
			if install == "" {
				_, err := fmt.Fprint(e.Out, agent.Skill)
				return err
			}
			path, err := agent.InstallSkill(install)
			if err == nil {
				_, err = fmt.Fprintln(e.Out, path)
			}
			return err
		},
	}
	c.Flags().StringVar(&install, "install", "", "folder of skills to write it into, as .claude/skills")
	return c
}
