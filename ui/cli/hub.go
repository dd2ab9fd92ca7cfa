package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"midwire/intercept"
	"midwire/intercept/clients"
	"midwire/intercept/hub"
	"midwire/intercept/hub/confine"
	"midwire/intercept/hub/nats"
	"midwire/intercept/hub/plan"
	"midwire/intercept/hub/registry"
	"midwire/session/record/redact"
	"midwire/session/safe"
	"midwire/session/safefile"
	"midwire/ui/cli/collect"
)

type hubOptions struct {
	listen, from, store, dir, level string
	advertise                       string
	timeout                         time.Duration
	upstream                        intercept.HTTPOptions
	free                            bool
	tells                           collect.Flags
}

func (a *app) hub() *cobra.Command {
	var o hubOptions
	c := &cobra.Command{
		Use:   "hub [CONFIG]",
		Short: "Serve several servers at one address, isolated per session",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runHub(cmd.Context(), o, args)
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
	o.tells.Add(f)
	f.BoolVar(&o.free, "no-confine", false, "do not limit the files of local servers to their directories")
	return c
}

// confined is the command behind which the hub starts a local server whose files
// are limited.
func (a *app) confined() *cobra.Command {
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

func (a *app) runHub(ctx context.Context, o hubOptions, args []string) error {
	o.upstream.Listen = o.listen
	if err := o.upstream.Check(); err != nil {
		return usageError{err}
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.level)); err != nil {
		return usagef("--log is debug, info, warn or error, not %q", o.level)
	}
	config, err := a.hubConfig(o, args)
	if err != nil {
		return err
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	recordings, err := a.folder()
	if err != nil {
		return err
	}
	recorder, err := a.flowRecorder("hub-" + time.Now().UTC().Format("20060102T150405.000"))
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
		Lookup:  func(name string) (string, bool) { v := a.Getenv(name); return v, v != "" },
		Timeout: o.timeout, Version: a.Version, OnTrouble: a.onTrouble,
		AllowHosts: o.upstream.AllowHosts, Upstream: o.upstream,
		Log: slog.New(slog.NewJSONHandler(a.Err, &slog.HandlerOptions{Level: level, ReplaceAttr: maskedAttr})),
	}
	if !o.free {
		h.Confine = a.confine(config)
	}
	if at, ok := ln.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		a.onTrouble(fmt.Errorf("warning: %s can be reached by other machines: whoever reaches it can use the servers, and is recorded", at))
	}
	leave, err := a.joinHubs(ctx, h, o.advertise)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer leave()
	tell, err := a.tell(&o.tells)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer tell()
	a.telemetry.Begin()
	a.sayServers(h, "http://"+ln.Addr().String())
	return h.Run(ctx)
}

// maskedAttr is an attribute of the log without credentials: one error may quote another.
func maskedAttr(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindString {
		a.Value = slog.StringValue(redact.Text(a.Value.String()))
	}
	return a
}

func (a *app) hubConfig(o hubOptions, args []string) (*plan.Config, error) {
	if o.from == "" {
		if len(args) == 0 {
			return nil, usagef("hub takes a configuration, or --from CLIENT: midwire hub servers.yaml")
		}
		data, err := safefile.ReadGiven(args[0], 16<<20)
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
		return nil, usagef("--from: %q is no client that midwire knows. midwire wrap --help lists them", o.from)
	}
	machine, err := a.machine(".")
	if err != nil {
		return nil, err
	}
	only := ""
	if len(args) > 0 {
		only = args[0]
	}
	entries, odd := machine.Entries(client, only)
	for _, text := range odd {
		a.onTrouble(errors.New("warning: " + text))
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s has no servers in its configuration. midwire wrap --list shows where midwire looks", client.Name)
	}
	return plan.FromEntries(entries)
}

// confine is the command line that confines, nil where there is nothing to confine
// or no way to.
func (a *app) confine(c *plan.Config) []string {
	wanted := false
	for _, s := range c.Servers {
		wanted = wanted || len(s.Command) > 0 && (len(s.Allowed) > 0 || s.Context == plan.Local) && !s.Free
	}
	self, err := os.Executable()
	switch {
	case !wanted:
		return nil
	case err != nil || !confine.Supported():
		a.onTrouble(errors.New("warning: this system cannot limit the files of local servers. " +
			"They are told their directories, by {workingDirectory} and roots, and may use others all the same"))
		return nil
	}
	return []string{self, "confine"}
}

// sayServers says where clients find what, as it stands in the configuration, and what
// sessions lack that bring nothing of their own.
func (a *app) sayServers(h *hub.Hub, origin string) {
	fmt.Fprintf(a.Out, "midwire: all servers   %s/mcp\n", origin)
	for _, p := range h.Config.Plan(plan.Wish{Dir: h.Dir, Lookup: h.Lookup}) {
		fmt.Fprintf(a.Out, "midwire: %-13s %s/%s/mcp  (%s)\n", p.Name, origin, p.Name, safe.Whole(hub.Shown(&p)))
	}
}

// openStore opens the store that a user names: the file of a journal, or a bucket
// of NATS.
func openStore(ctx context.Context, name, usual string) (registry.Store, error) {
	if name == "" {
		name = usual
	}
	if scheme, _, ok := strings.Cut(name, "://"); ok {
		if scheme == "nats" || scheme == "tls" {
			return nats.Open(ctx, name)
		}
		return nil, fmt.Errorf("--store: %s is no kind of store that midwire knows", scheme)
	}
	j, err := registry.OpenJournal(name)
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	return j, nil
}

// joinHubs makes the hub one of those that share its store. Where others reach it is
// what the user advertises, else where it listens. leave takes it off their list.
func (a *app) joinHubs(ctx context.Context, h *hub.Hub, advertise string) (leave func(), err error) {
	store, ok := h.Store.(*nats.Store)
	if !ok {
		if advertise != "" {
			return nil, usagef("--advertise is for hubs that share a store: --store nats://…")
		}
		return func() {}, nil
	}
	if a, ok := h.Listen.Addr().(*net.TCPAddr); ok && advertise == "" {
		if a.IP.IsUnspecified() {
			return nil, usagef("%s is no address for other hubs. Say where they reach this one with --advertise http://HOST:PORT", a)
		}
		advertise = "http://" + a.String()
	}
	u, err := url.Parse(advertise)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, usagef("--advertise is a URL like http://10.0.0.5:7000, not %q", advertise)
	}
	h.Name = rand.Text()[:16]
	h.AllowHosts = append(h.AllowHosts[:len(h.AllowHosts):len(h.AllowHosts)], u.Hostname())
	members, err := store.Join(ctx, h.Name, advertise)
	if err != nil {
		return nil, err
	}
	h.Members = members
	return members.Leave, nil
}
