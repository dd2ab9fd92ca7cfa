// Package remote has the commands for the recordings of other hosts: watch, ship, feed.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	natsclient "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"midwire/intercept"
	"midwire/intercept/hub/nats"
	"midwire/session/defect"
	"midwire/session/hosts"
	"midwire/session/library/prune"
)

// Env is what the commands need of the command line.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Folder   func() (string, error) // of the recordings
	Version  string
	// Show returns what shows recordings while play runs, and what reports events on
	// the screen; nil where there is none.
	Show func(quiet bool) (show func(ctx context.Context, play func(context.Context) error) error, say func(string))
}

// UsageError is a mistake of the user.
type UsageError struct{ error }

func usage(format string, a ...any) error { return UsageError{fmt.Errorf(format, a...)} }

// Commands are the commands.
func (e *Env) Commands() []*cobra.Command {
	return []*cobra.Command{e.watch(), e.ship(), e.feed()}
}

func (e *Env) say(text string) { fmt.Fprintln(e.Err, "midwire: "+text) }

const defaultStream = "midwire"

// chosen are the flags that say which recordings go from one host to another.
type chosen struct {
	ids   []string
	since string
	all   bool
	once  bool
}

func (o *chosen) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.ids, "recording", nil, "only this recording: its id or the beginning of it (repeatable)")
	f.StringVar(&o.since, "since", "24h", "recordings that began in this time, beside live ones: 12h, 7d")
	f.BoolVar(&o.all, "all", false, "all recordings, however old")
	f.BoolVar(&o.once, "once", false, "end when everything that is there was copied")
}

func (o *chosen) options(e *Env, say func(string)) (hosts.Options, error) {
	opt := hosts.Options{Once: o.once, Say: say, Choice: hosts.Choice{IDs: o.ids}}
	rule, err := prune.ParseRule(o.since, "")
	if err != nil || rule.Older == 0 {
		return opt, usage("--since: %w", err)
	}
	if !o.all {
		opt.Choice.Since = time.Now().Add(-rule.Older)
	}
	opt.Dir, err = e.Folder()
	return opt, err
}

// hostsOptions are the flags of midwire watch.
type hostsOptions struct {
	chosen
	list, quiet bool
	remote, max string
}

func (e *Env) watch() *cobra.Command {
	var o hostsOptions
	c := &cobra.Command{
		Use:   "watch (ssh://[USER@]HOST[:PORT][/HOME] | nats://HOST[:PORT][/STREAM])…",
		Short: "Copy recordings of other hosts here, live, and show them",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return e.watchHosts(cmd.Context(), o, args) },
	}
	f := c.Flags()
	o.chosen.flags(f)
	f.BoolVar(&o.list, "list", false, "list what the hosts of ssh:// have, and copy nothing")
	f.BoolVar(&o.quiet, "quiet", false, "copy only: no screen and no lines of messages")
	f.StringVar(&o.remote, "remote", "midwire", "midwire on the hosts of ssh://, when it is not in the PATH of their shell")
	f.StringVar(&o.max, "max", "1GiB", "how much one host may send in one run")
	return c
}

func (e *Env) watchHosts(ctx context.Context, o hostsOptions, addresses []string) error {
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	show, say := e.Show(o.quiet || o.once || o.list)
	if say == nil {
		say = e.say
	}
	var all []func(context.Context) error // each copies from one address until ctx ends, or lists what is there
	for _, address := range addresses {
		one, err := e.source(address, o, say)
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	errs := make([]error, len(all))
	if o.list {
		for i, list := range all {
			errs[i] = list(ctx)
		}
		return errors.Join(errs...)
	}
	return show(ctx, func(ctx context.Context) error {
		var running sync.WaitGroup
		for i, follow := range all {
			running.Go(func() {
				defer defect.Fails("copying from another host", &errs[i])
				errs[i] = follow(ctx)
			})
		}
		running.Wait()
		return errors.Join(errs...)
	})
}

// source understands an address. It connects to nothing yet.
func (e *Env) source(address string, o hostsOptions, say func(string)) (func(context.Context) error, error) {
	opt, err := o.options(e, say)
	if err != nil {
		return nil, err
	}
	room, err := prune.ParseRule("", o.max)
	if err != nil {
		return nil, usage("--max: %w", err)
	}
	opt.Max = room.Keep
	if !strings.HasPrefix(address, "ssh:") {
		if _, err := streamOf(address); err != nil {
			return nil, err
		}
		if o.list {
			return nil, usage("--list is for ssh://: a stream has no list. midwire watch --once copies what it has")
		}
		return func(ctx context.Context) error { return followStream(ctx, address, opt) }, nil
	}
	host, err := hosts.ParseSSH(address)
	if err != nil {
		return nil, usage("%q: %w", address, err)
	}
	host.Program = o.remote
	if o.list {
		return func(ctx context.Context) error {
			text, err := host.List(ctx)
			_, failed := io.WriteString(e.Out, text)
			return errors.Join(err, failed)
		}, nil
	}
	r := &hosts.Receiver{Host: host.Name, Options: opt}
	return func(ctx context.Context) error { return host.Follow(ctx, r) }, nil
}

func followStream(ctx context.Context, address string, opt hosts.Options) error {
	js, stream, _, err := dial(address, !opt.Once)
	if err != nil {
		return err
	}
	defer js.Conn().Close()
	d := hosts.Drain{Options: opt, Stream: stream, JS: js}
	return d.Follow(ctx)
}

// streamOf is the name of the stream in an address.
func streamOf(address string) (string, error) {
	_, stream, _, err := nats.Split(address)
	if stream == "" {
		stream = defaultStream
	}
	if err == nil {
		err = hosts.CheckToken(stream)
	}
	if err != nil {
		return "", usage("%w; midwire watch takes ssh://HOST and nats://HOST, midwire ship nats://HOST", err)
	}
	return stream, nil
}

// dial connects to the server of an address, or with wait returns before it can.
func dial(address string, wait bool) (js jetstream.JetStream, stream string, replicas int, err error) {
	if stream, err = streamOf(address); err != nil {
		return nil, "", 0, err
	}
	conn, _, replicas, err := nats.Dial(address, "midwire", natsclient.RetryOnFailedConnect(wait))
	if err != nil {
		return nil, "", 0, fmt.Errorf("NATS: %w: check that it runs, its address and your credentials", err)
	}
	js, err = jetstream.New(conn)
	return js, stream, replicas, err
}

// feed is what midwire watch runs on another host.
func (e *Env) feed() *cobra.Command {
	home := ""
	c := &cobra.Command{
		Use: "feed", Hidden: true, Args: cobra.NoArgs,
		Short: "Serve the recordings of this host on standard input and output",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := e.Folder()
			if home != "" {
				dir, err = filepath.Join(home, "recordings"), nil
			}
			if err != nil {
				return err
			}
			feed := hosts.Feed{Dir: dir, Version: e.Version}
			return feed.Serve(cmd.Context(), e.In, e.Out)
		},
	}
	c.Flags().StringVar(&home, "home", "", "the MIDWIRE_HOME whose recordings are served")
	return c
}

func (e *Env) ship() *cobra.Command {
	var o chosen
	name := ""
	c := &cobra.Command{
		Use:   "ship nats://HOST[:PORT][/STREAM]",
		Short: "Publish recordings of this host to NATS, for midwire watch",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.runShip(cmd.Context(), o, name, args[0])
		},
	}
	o.flags(c.Flags())
	c.Flags().StringVar(&name, "name", hosts.HostName(), "name of this host")
	return c
}

func (e *Env) runShip(ctx context.Context, o chosen, name, address string) error {
	opt, err := o.options(e, e.say)
	if err != nil {
		return err
	}
	if err := hosts.CheckToken(name); err != nil {
		return usage("--name: %w", err)
	}
	if _, err := streamOf(address); err != nil {
		return err
	}
	ctx, stop := intercept.UntilAsked(ctx)
	defer stop()
	js, stream, replicas, err := dial(address, !o.once)
	if err != nil {
		return err
	}
	defer js.Conn().Close()
	s := hosts.Shipper{Options: opt, Host: name, Stream: stream, Replicas: replicas, JS: js}
	return s.Ship(ctx)
}
