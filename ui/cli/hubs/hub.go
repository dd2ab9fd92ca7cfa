// Package hubs is what the command line knows of the hub.
package hubs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/intercept/clients"
	"midwire/intercept/hub"
	"midwire/intercept/hub/confine"
	"midwire/intercept/hub/plan"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/safe"
)

// Env is what the commands need of midwire.
type Env struct {
	Out, Err  *os.File
	Getenv    func(string) string
	Version   string
	Folder    func() (string, error) // of recordings
	Usage     func(error) error      // makes an error one that the user fixes by calling otherwise
	OnTrouble func(error)
	// Clients is the machine whose clients are looked for.
	Clients func() (clients.Env, error)
	// Recorder makes what creates recordings as the flags say, all of one flow: that
	// of the flags, or the one given.
	Recorder func(flow string) (func(record.Header) *record.Writer, error)
}

type options struct {
	listen, from, store, dir, level string
	advertise                       string
	timeout                         time.Duration
	upstream                        intercept.HTTPOptions
	free                            bool
}

// Command is midwire hub.
func (e *Env) Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "hub [CONFIG]",
		Short: "Serve several servers at one address, isolated per session",
		Long: `Puts the servers of a configuration behind one address:

  /mcp             all of them, tools named SERVER_TOOL; each session has its own instances
  /NAME/mcp        one of them, unchanged; a stdio server is reached over Streamable HTTP
  /session/init    begins a session with a working directory and preferences
  /healthz         how it is, and /metrics in Prometheus' format

CONFIG is YAML, JSON or TOML: mcpServers as clients write it, or servers with
executionContext, allowedDirectories, workingDirectory and env. --from takes the
servers of a client's own configuration.

Every leg is recorded, in one flow: midwire check compares them.`,
		Example: "  midwire hub servers.yaml --listen 127.0.0.1:7000\n  midwire hub --from claude-code",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.run(cmd.Context(), o, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "address for clients; without it a free port of this machine")
	f.StringVar(&o.from, "from", "", "take the servers of this client's configuration, like claude-code; CONFIG is then its file, if not the usual one")
	f.StringVar(&o.store, "store", "", "where sessions are kept: a file (default: hub.jsonl beside the recordings), or nats://HOST[:PORT][/BUCKET], which hubs share")
	f.StringVar(&o.advertise, "advertise", "", "URL by which other hubs with the same store reach this one (default: where it listens)")
	f.StringVar(&o.dir, "dir", "", "working directory of sessions that name none (default: here)")
	f.DurationVar(&o.timeout, "session-timeout", time.Hour, "a session ends when nobody has used it for so long; 0: never")
	f.StringVar(&o.level, "log", "info", "debug, info, warn or error: what is said on standard error, as JSON lines")
	f.StringSliceVar(&o.upstream.AllowHosts, "allow-host", nil, "a name clients may call the hub by, beside local ones (repeatable)")
	f.StringVar(&o.upstream.CACert, "cacert", "", "file of certificates of remote servers to trust as well")
	f.BoolVar(&o.upstream.Insecure, "insecure", false, "accept any certificate of remote servers")
	f.BoolVar(&o.free, "no-confine", false, "do not limit the files of local servers to their directories")
	return c
}

// Confine is the command behind which the hub starts a local server whose files
// are limited.
func (e *Env) Confine() *cobra.Command {
	var l confine.Limits
	c := &cobra.Command{
		Use: "confine --write DIR --read DIR -- COMMAND [ARG…]", Hidden: true, Args: cobra.MinimumNArgs(1),
		Short: "Run a program that can access only some directories",
		RunE: func(_ *cobra.Command, args []string) error {
			return fmt.Errorf("%s: %w", args[0], confine.Exec(l, args, os.Environ()))
		},
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringArrayVar(&l.Write, "write", nil, "directory whose files it may read and write (repeatable)")
	c.Flags().StringArrayVar(&l.Read, "read", nil, "directory whose files it may read (repeatable)")
	return c
}

func (e *Env) usagef(format string, a ...any) error { return e.Usage(fmt.Errorf(format, a...)) }

func (e *Env) run(ctx context.Context, o options, args []string) error {
	o.upstream.Listen = o.listen
	if err := o.upstream.Check(); err != nil {
		return e.Usage(err)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.level)); err != nil {
		return e.usagef("--log is debug, info, warn or error, not %q", o.level)
	}
	config, err := e.config(o, args)
	if err != nil {
		return err
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	recordings, err := e.Folder()
	if err != nil {
		return err
	}
	recorder, err := e.Recorder("hub-" + time.Now().UTC().Format("20060102T150405.000"))
	if err != nil {
		return err
	}
	store, err := openStore(ctx, o.store, filepath.Join(filepath.Dir(recordings), "hub.jsonl"))
	if err != nil {
		return err
	}
	defer store.Close()
	ln, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Choose another address with --listen", o.listen, err)
	}
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	h := &hub.Hub{
		Config: config, Listen: ln, Store: store, Record: recorder, Environ: os.Environ(), Dir: o.dir,
		Lookup:  func(name string) (string, bool) { v := e.Getenv(name); return v, v != "" },
		Timeout: o.timeout, Version: e.Version, OnTrouble: e.OnTrouble,
		AllowHosts: o.upstream.AllowHosts, Upstream: o.upstream,
		Log: slog.New(slog.NewJSONHandler(e.Err, &slog.HandlerOptions{Level: level, ReplaceAttr: masked})),
	}
	if !o.free {
		h.Confine = e.confine(config)
	}
	if a, ok := ln.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		e.OnTrouble(fmt.Errorf("warning: %s can be reached by other machines: whoever reaches it can use the servers, and is recorded", a))
	}
	leave, err := e.join(ctx, h, o.advertise)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer leave()
	e.welcome(h, "http://"+ln.Addr().String())
	return h.Run(ctx)
}

// masked is an attribute of the log without credentials: one error may quote another.
func masked(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(redact.Text(a.Value.String()))
	}
	return a
}

func (e *Env) config(o options, args []string) (*plan.Config, error) {
	if o.from == "" {
		if len(args) == 0 {
			return nil, e.usagef("hub takes a configuration, or --from CLIENT: midwire hub servers.yaml")
		}
		data, err := os.ReadFile(args[0])
		if err != nil {
			return nil, err
		}
		c, err := plan.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", args[0], err)
		}
		return c, nil
	}
	id := o.from
	if id == "claude" {
		id = "claude-code"
	}
	client, ok := clients.Lookup(id)
	if !ok {
		return nil, e.usagef("--from: %q is no client that midwire knows. midwire wrap --help lists them", o.from)
	}
	machine, err := e.Clients()
	if err != nil {
		return nil, err
	}
	only := ""
	if len(args) > 0 {
		only = args[0]
	}
	entries, odd := machine.Entries(client, only)
	for _, text := range odd {
		e.OnTrouble(errors.New("warning: " + text))
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s has no servers in its configuration. midwire wrap --list shows where midwire looks", client.Name)
	}
	return plan.FromEntries(entries)
}

// confine is the command line that confines, nil where there is nothing to confine
// or no way to.
func (e *Env) confine(c *plan.Config) []string {
	wanted := false
	for _, s := range c.Servers {
		wanted = wanted || len(s.Command) > 0 && (len(s.Allowed) > 0 || s.Context == plan.Local) && !s.Free
	}
	self, err := os.Executable()
	switch {
	case !wanted:
		return nil
	case err != nil || !confine.Supported():
		e.OnTrouble(errors.New("warning: this system cannot limit the files of local servers. " +
			"They are told their directories, by {workingDirectory} and roots, and may use others all the same"))
		return nil
	}
	return []string{self, "confine"}
}

// welcome says where clients find what, as it stands in the configuration, and what
// sessions lack that bring nothing of their own.
func (e *Env) welcome(h *hub.Hub, origin string) {
	fmt.Fprintf(e.Out, "midwire: all servers   %s/mcp\n", origin)
	for _, p := range h.Config.For(plan.Wish{Dir: h.Dir, Lookup: h.Lookup}) {
		fmt.Fprintf(e.Out, "midwire: %-13s %s/%s/mcp  (%s)\n", p.Name, origin, p.Name, safe.Whole(hub.Shown(&p)))
	}
}
