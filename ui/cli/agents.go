package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/intercept"
	"midwire/session/pace"
	"midwire/ui/agent"
	"midwire/ui/agent/ask"
)

// recordings are those of the folder, and with files those that lie elsewhere.
func (a *app) askable(files bool) *ask.Recordings {
	return &ask.Recordings{
		Folder: a.folder, Files: files, Stdin: a.In, Version: a.Version, Masking: a.masking, Keep: a.secrets.Keep,
		Trouble: a.onTrouble,
	}
}

// answer asks a question and prints what comes back: as the tool of the MCP server
// says it, or as JSON.
func answer[Q ask.Question[R], R ask.Result](ctx context.Context, a *app, q Q, asJSON bool) error {
	defer pace.Memory(128<<20, 4)()
	r := a.askable(true)
	r.Replay = a.replayed
	defer r.Close()
	bar := a.progress()
	r.Seen = func(done, all int) { bar.Show(done, all, "recordings") }
	out, err := ask.Answer(ctx, r, q)
	bar.End()
	if err != nil {
		said := errors.New(ask.Shell(err.Error()))
		if errors.As(err, new(ask.Mistake)) {
			return usageError{said}
		}
		return said
	}
	return a.print(asJSON, out, func() string { return ask.Markdown(out, true) })
}

// questionFlags adds the flags of a question, which they fill, to those of a command. Those that
// are there already stay.
func questionFlags(f *pflag.FlagSet, question any, when string) {
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
func twin[Q ask.Question[R], R ask.Result](a *app, c *cobra.Command, schema string) *cobra.Command {
	q, asJSON := new(Q), false
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON (docs/schemas/"+schema+".json)")
	questionFlags(c.Flags(), q, "")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			ask.Words(q)[0].Value.SetString(args[0])
		}
		return answer(cmd.Context(), a, *q, asJSON)
	}
	return c
}

// twins are the commands that are nothing but that.
func (a *app) twins() []*cobra.Command {
	return []*cobra.Command{
		twin[ask.Diagnose](a, &cobra.Command{
			Use: "diagnose [REC[.SESSION]]", Short: "Diagnose a session for a coding agent: the cause first",
			Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeRecordings,
		}, "diagnose"),
		twin[ask.Search](a, &cobra.Command{
			Use: "search TEXT", Short: "Search recordings", Args: cobra.ExactArgs(1),
		}, "search"),
		twin[ask.Wait](a, &cobra.Command{
			Use: "wait [REC[.SESSION]]", Short: "Wait up to a minute for a message or a finding",
			Args: cobra.MaximumNArgs(1), ValidArgsFunction: a.completeRecordings,
		}, "wait"),
		twin[ask.Tools](a, &cobra.Command{
			Use: "tools REC[.SESSION]", Short: "List a server's tools with calls, errors, sizes and problems",
			Args: cobra.ExactArgs(1), ValidArgsFunction: a.completeRecordings,
		}, "tools"),
	}
}

// showing are the flags of midwire show that print a page or a frame as the tools
// do.
type showing struct {
	Messages ask.Messages
	Frame    ask.Message
	JSON     bool
}

func (s *showing) flags(c *cobra.Command) {
	c.Flags().BoolVar(&s.JSON, "json", false, "print JSON (docs/schemas/messages.json, message.json)")
	questionFlags(c.Flags(), &s.Messages, "")
	questionFlags(c.Flags(), &s.Frame, "with FRAME: ")
}

// asked says whether a page or a frame is wanted, and not the whole recording.
func (s *showing) asked(args []string) bool {
	m := s.Messages
	return len(args) > 1 || s.JSON || m.Filter != "" || m.Around > 0 || m.Limit > 0 || m.Cursor != ""
}

// answer prints the page, or the frame of the second argument.
func (s *showing) answer(ctx context.Context, a *app, args []string) error {
	s.Messages.Session, s.Frame.Session = args[0], args[0]
	if len(args) == 1 {
		return answer(ctx, a, s.Messages, s.JSON)
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(args[1], "#"), 10, 64)
	if err != nil {
		return usagef("show: a frame is a number, not %q", args[1])
	}
	s.Frame.Frame = n
	return answer(ctx, a, s.Frame, s.JSON)
}

// mcp is midwire mcp.
func (a *app) mcp() *cobra.Command {
	listen, allow := "", false
	c := &cobra.Command{
		Use: "mcp", Short: "Serve recordings to coding agents over MCP", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen != "" && !agent.Loopback(listen) {
				return usagef("--listen %s: recordings are confidential. Use 127.0.0.1:PORT or [::1]:PORT", listen)
			}
			r := a.askable(false)
			defer r.Close()
			if allow {
				r.Replay = a.replayed
			}
			ctx, stop := intercept.UntilAsked(cmd.Context())
			defer stop()
			server := agent.New(r)
			if listen != "" {
				return a.serveAgents(ctx, server, listen)
			}
			err := server.Run(ctx, &agent.Stdio{Reader: a.In, Writer: a.Out})
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

// serveAgents serves HTTP until ctx ends.
func (a *app) serveAgents(ctx context.Context, server *sdk.Server, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", agent.Handler(server))
	guarded := intercept.Guard(http.MaxBytesHandler(mux, agent.MaxRequest), "")
	h := &http.Server{Handler: guarded, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(a.Err, "midwire: MCP server at http://%s/mcp\n", l.Addr())
	stop := context.AfterFunc(ctx, func() { h.Close() })
	defer stop()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// skill is midwire skill.
func (a *app) skill() *cobra.Command {
	install := ""
	c := &cobra.Command{
		Use: "skill", Short: "Print an Agent Skill about midwire for coding agents", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if install == "" {
				_, err := fmt.Fprint(a.Out, agent.Skill)
				return err
			}
			path, err := agent.InstallSkill(install)
			if err == nil {
				_, err = fmt.Fprintln(a.Out, path)
			}
			return err
		},
	}
	c.Flags().StringVar(&install, "install", "", "folder of skills to write it into, as .claude/skills")
	return c
}
